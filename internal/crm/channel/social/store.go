package social

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putPage(tx *db.Tx, account uuid.UUID, page string) error {
	return tx.Exec(`INSERT INTO social_page (tenant_id, account_id, page_id) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, account_id) DO UPDATE SET page_id = excluded.page_id`, tx.Tenant(), account, page)
}

// partsKept is how long the ids of parts are kept, as the time in which a copy can arrive.
const partsKept = 7 * 24 * time.Hour

// putPart stores the provider's id of a part of a message, and deletes old ones.
func putPart(tx *db.Tx, account uuid.UUID, id string) error {
	if err := tx.Exec(`DELETE FROM social_part WHERE tenant_id = $1 AND account_id = $2 AND sent_at < $3`,
		tx.Tenant(), account, clock.At(tx.Now().Add(-partsKept))); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO social_part (tenant_id, account_id, provider_message_id, sent_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, tx.Tenant(), account, id, clock.At(tx.Now()))
}

// isPart reports whether a message is a later part of one of ours.
func isPart(r *db.Reader, account uuid.UUID, id string) (bool, error) {
	n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM social_part WHERE tenant_id = $1 AND account_id = $2 AND provider_message_id = $3`,
		r.Tenant(), account, id)
	return n > 0, err
}

// countPageUses returns the number of connected accounts, of any workspace, that use a
// page.
func countPageUses(r *db.Reader, page string) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM social_page p
		JOIN channel_account a ON a.tenant_id = p.tenant_id AND a.id = p.account_id
		WHERE p.page_id = $1 AND a.status <> 'disconnected'`, page)
}
