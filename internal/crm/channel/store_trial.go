package channel

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func trialOf(r *db.Reader, account uuid.UUID) (trialState, error) {
	return db.One(r, db.Fields(func(t *trialState) []any { return []any{&t.Code, &t.Started, &t.Verified} }),
		`SELECT code, started_at, verified_at FROM channel_inbound_test WHERE tenant_id = $1 AND account_id = $2`, r.Tenant(), account)
}

func putTrial(tx *db.Tx, account uuid.UUID, code string) error {
	return tx.Exec(`INSERT INTO channel_inbound_test (tenant_id, account_id, code, started_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, account_id) DO UPDATE SET code = excluded.code, started_at = excluded.started_at`,
		tx.Tenant(), account, code, clock.At(tx.Now()))
}

// passTrial reports whether the code was the expected one and had not expired.
func passTrial(tx *db.Tx, account uuid.UUID, code string, since clock.Time) (bool, error) {
	return tx.ExecAny(`UPDATE channel_inbound_test SET code = NULL, verified_at = $5
		WHERE tenant_id = $1 AND account_id = $2 AND code = $3 AND started_at > $4`, tx.Tenant(), account, code, since, clock.At(tx.Now()))
}
