package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// ParseAddresses reads a list of e-mail addresses, each once; a malformed one, or one
// that mail servers do not take, is a refusal on the field, never dropped.
func ParseAddresses(field string, list []string) ([]string, error) {
	out, seen := []string{}, map[string]bool{}
	for _, text := range list {
		a, ok := address.ParseEmail(text)
		if !ok || !a.ASCII() {
			return nil, fault.Invalid(field, "invalid_address")
		}
		if !seen[a.Key] {
			seen[a.Key], out = true, append(out, a.Address)
		}
	}
	return out, nil
}

// SetCopies replaces who gets a copy of e-mail answers.
func (s *Service) SetCopies(ctx context.Context, id uuid.UUID, list []string) (out []string, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := Lock(tx, id); err != nil {
			return err
		}
		if out, err = ParseAddresses("email_cc", list); err != nil {
			return err
		}
		if err := putCopies(tx, id, out); err != nil {
			return fmt.Errorf("conversation: copies: %w", err)
		}
		return audit.Write(tx, "conversation.email_cc_set", id.String(), map[string]any{"email_cc": out})
	})
	return out, err
}

// Copies lists who gets a copy of e-mail answers.
func (s *Service) Copies(ctx context.Context, id uuid.UUID) (list []string, err error) {
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, err = ByID(r, id); err != nil {
			return db.NotFound(err)
		}
		list, err = CopiesOf(r, id)
		return err
	})
	return list, err
}
