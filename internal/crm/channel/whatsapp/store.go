package whatsapp

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

func putNumber(tx *db.Tx, account uuid.UUID, business string) error {
	return tx.Exec(`INSERT INTO whatsapp_number (tenant_id, account_id, business_id) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, account_id) DO UPDATE SET business_id = excluded.business_id`, tx.Tenant(), account, business)
}

// owner is a number with its workspace.
type owner struct{ tenant, account uuid.UUID }

// ofBusiness lists the connected numbers of a business account, of any tenant.
func ofBusiness(r *db.Reader, business string, limit int) ([]owner, error) {
	return db.All(r, db.Fields(func(o *owner) []any { return []any{&o.tenant, &o.account} }),
		`SELECT n.tenant_id, n.account_id FROM whatsapp_number n
		JOIN channel_account a ON a.tenant_id = n.tenant_id AND a.id = n.account_id
		WHERE n.business_id = $1 AND a.status <> 'disconnected' ORDER BY n.account_id LIMIT $2`, business, limit)
}
