package social

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

func putPage(tx *db.Tx, account uuid.UUID, page string) error {
	_, err := tx.Exec(`INSERT INTO social_page (tenant_id, account_id, page_id) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, account_id) DO UPDATE SET page_id = excluded.page_id`, tx.Tenant(), account, page)
	return err
}

// countPageUses says how many accounts of any workspace that are not over use a page.
func countPageUses(r *db.Reader, page string) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM social_page p
		JOIN channel_account a ON a.tenant_id = p.tenant_id AND a.id = p.account_id
		WHERE p.page_id = $1 AND a.status <> 'disconnected'`, page)
}
