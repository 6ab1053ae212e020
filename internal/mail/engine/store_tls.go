package engine

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/mtasts"
)

// PolicyStore stores the policies of other domains for mtasts.
type PolicyStore struct{ DB *db.DB }

// Load returns the policy of a domain, or the zero value if none is stored.
func (s PolicyStore) Load(ctx context.Context, domain string) (mtasts.Kept, error) {
	return db.Read(ctx, s.DB.System("mail policies"), func(r *db.Reader) (mtasts.Kept, error) {
		return db.OneOr(r, mtasts.Kept{}, scanPolicy, `SELECT policy_id, policy, expires_at FROM mail_sts_policy WHERE domain = $1`, domain)
	})
}

func scanPolicy(row db.Row) (k mtasts.Kept, err error) {
	var expires clock.Time
	err = row.Scan(&k.ID, db.FromJSON(&k.Policy), &expires)
	k.Expires = expires.Time
	return k, err
}

// Save stores a policy and replaces an existing one.
func (s PolicyStore) Save(ctx context.Context, domain string, k mtasts.Kept) error {
	return s.DB.System("mail policies").InTx(ctx, func(tx *db.Tx) error {
		return tx.Exec(`INSERT INTO mail_sts_policy (domain, policy_id, policy, expires_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (domain) DO UPDATE SET policy_id = excluded.policy_id, policy = excluded.policy, expires_at = excluded.expires_at`,
			domain, k.ID, db.AsJSON(k.Policy), clock.At(k.Expires))
	})
}

// deleteExpiredPolicies deletes expired policies of other domains.
func deleteExpiredPolicies(tx *db.Tx, limit int) (int, error) {
	n, err := tx.ExecCount(`DELETE FROM mail_sts_policy WHERE domain IN (SELECT domain FROM mail_sts_policy WHERE expires_at < $1 LIMIT $2)`, clock.At(tx.Now()), limit)
	return int(n), err
}

// startOfDay returns the start of a time's day in UTC.
func startOfDay(at time.Time) clock.Time { return clock.At(at.UTC().Truncate(24 * time.Hour)) }

// addTLSSession counts a session for today.
func addTLSSession(tx *db.Tx, sender, destination string, x tlsSession) error {
	policy := db.AsJSON(x.policy)
	text, err := policy.Value()
	if err != nil {
		return err
	}
	key := uuid.NewSHA1(destinations, []byte(text.(string)))
	return tx.Exec(`INSERT INTO mail_tls_session (tenant_id, day, sender, destination, policy_key, policy, server, failure, sessions)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1)
		ON CONFLICT (tenant_id, day, sender, destination, policy_key, server, failure) DO UPDATE SET sessions = mail_tls_session.sessions + 1`,
		tx.Tenant(), startOfDay(tx.Now()), sender, destination, key, policy, x.server, x.failure)
}

// tlsDay identifies the sessions of a workspace's domain with a destination on one day.
type tlsDay struct {
	tenant              uuid.UUID
	day                 clock.Time
	sender, destination string
}

// endedTLSDays returns past days with sessions, across all workspaces.
func endedTLSDays(r *db.Reader, now time.Time, limit int) ([]tlsDay, error) {
	return db.All(r, func(row db.Row) (d tlsDay, err error) {
		return d, row.Scan(&d.tenant, &d.day, &d.sender, &d.destination)
	},
		`SELECT DISTINCT tenant_id, day, sender, destination FROM mail_tls_session WHERE day < $1 ORDER BY day, tenant_id, sender, destination LIMIT $2`, startOfDay(now), limit)
}

// takeTLSDay deletes the counts of a day and returns them.
func takeTLSDay(tx *db.Tx, d tlsDay) ([]tlsCount, error) {
	return db.All(&tx.Reader, func(row db.Row) (c tlsCount, err error) {
		err = row.Scan(db.FromJSON(&c.Policy), &c.Server, &c.Failure, &c.Sessions)
		return c, err
	}, `DELETE FROM mail_tls_session WHERE tenant_id = $1 AND day = $2 AND sender = $3 AND destination = $4
		RETURNING policy, server, failure, sessions`, tx.Tenant(), d.day, d.sender, d.destination)
}
