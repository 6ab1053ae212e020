package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/mailer"
	"konak/internal/kit/perm"
)

// Outbox lists the mails of a workspace that no mail server took. Anybody who opens the
// link of a mail acts as its recipient, so the reader sees only mails to people who may do
// no more than the reader; other mails are listed without their text.
func (s *Service) Outbox(ctx context.Context, tenant uuid.UUID, p db.Page) (db.List[mailer.OutboxMail], error) {
	list, err := s.cfg.Mailer.Outbox(ctx, tenant, p)
	if err != nil || tenant == uuid.Nil {
		return list, err
	}
	keys := each.Map(list.Rows, func(k mailer.OutboxMail) string { return address.Fold(k.To) })
	members, err := db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (map[string]perm.Set, error) { return permissionsByEmail(r, keys) })
	if err != nil {
		return db.List[mailer.OutboxMail]{}, fmt.Errorf("identity: recipients of the outbox: %w", err)
	}
	reader := caller.From(ctx).Perms
	everything := len(reader.Missing(perm.All()...)) == 0
	for i := range list.Rows {
		recipient, known := members[keys[i]]
		if known && len(reader.Missing(recipient.Sorted()...)) > 0 || !known && list.Rows[i].HasLink && !everything {
			list.Rows[i].Hide()
		}
	}
	return list, nil
}
