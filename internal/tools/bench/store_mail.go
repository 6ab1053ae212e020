package main

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// ownDomain marks a domain as the workspace's own, without asking the DNS.
func ownDomain(ctx context.Context, d *db.DB, tenant, id uuid.UUID) error {
	return d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		if err := tx.Exec(`UPDATE mail_domain SET state = 'active' WHERE tenant_id = $1 AND id = $2`, tenant, id); err != nil {
			return err
		}
		return tx.Exec(`INSERT INTO mail_domain_owner (domain, tenant_id, domain_id, since)
			SELECT domain, tenant_id, id, 0 FROM mail_domain WHERE tenant_id = $1 AND id = $2`, tenant, id)
	})
}
