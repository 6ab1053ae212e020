package whatsapp

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putNumber(tx *db.Tx, account uuid.UUID, business string) error {
	_, err := tx.Exec(`INSERT INTO whatsapp_number (tenant_id, account_id, business_id) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, account_id) DO UPDATE SET business_id = excluded.business_id`, tx.Tenant(), account, business)
	return err
}

// owner is a number and whose it is.
type owner struct{ tenant, account uuid.UUID }

// ofBusiness lists the numbers of a business account, of any tenant.
func ofBusiness(r *db.Reader, business string, limit int) ([]owner, error) {
	return db.All(r, func(row db.Row) (o owner, err error) {
		err = row.Scan(&o.tenant, &o.account)
		return o, err
	}, `SELECT n.tenant_id, n.account_id FROM whatsapp_number n
		JOIN channel_account a ON a.tenant_id = n.tenant_id AND a.id = n.account_id
		WHERE n.business_id = $1 AND a.status <> 'disconnected' ORDER BY n.account_id LIMIT $2`, business, limit)
}

// trial is the test of the way in, as it is kept.
type trial struct {
	code              *string
	started, verified *clock.Time
}

func trialOf(r *db.Reader, account uuid.UUID) (trial, error) {
	return db.One(r, func(row db.Row) (t trial, err error) {
		err = row.Scan(&t.code, &t.started, &t.verified)
		return t, err
	}, `SELECT test_code, test_started_at, test_verified_at FROM whatsapp_number WHERE tenant_id = $1 AND account_id = $2`, r.Tenant(), account)
}

func putTrial(tx *db.Tx, account uuid.UUID, code string) error {
	_, err := tx.Exec(`UPDATE whatsapp_number SET test_code = $3, test_started_at = $4
		WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account, code, clock.At(tx.Now()))
	return err
}

// passTrial says whether the code was still the one that is waited for.
func passTrial(tx *db.Tx, account uuid.UUID, code string) (bool, error) {
	n, err := tx.Exec(`UPDATE whatsapp_number SET test_code = NULL, test_verified_at = $4
		WHERE tenant_id = $1 AND account_id = $2 AND test_code = $3`, tx.Tenant(), account, code, clock.At(tx.Now()))
	return n == 1, err
}
