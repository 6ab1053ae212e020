package identity

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// CreateKey makes an API key and shows it once.
func (s *Service) CreateKey(ctx context.Context, tenant uuid.UUID, name string, test bool, scopes []perm.Permission) (secret.Text, error) {
	prefix, environment := secret.KeyLivePrefix, "live"
	if test {
		prefix, environment = secret.KeyTestPrefix, "test"
	}
	token := secret.NewToken(prefix)
	err := s.db.System("create key").InTx(ctx, func(tx *db.Tx) error {
		_, err := putKey(tx, tenant, name, environment, scopes, secret.Hash(token), secret.Last4(token))
		return err
	})
	return secret.Of(token), err
}
