package assistant

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, name, active, delay_s, max_answers, created_at, updated_at`

func scan(row db.Row) (c Configuration, err error) {
	err = row.Scan(&c.ID, &c.Name, &c.Active, &c.Delay, &c.MaxAnswers, &c.CreatedAt, &c.UpdatedAt)
	return c, err
}

// list reads the oldest first.
func list(r *db.Reader, p db.Page) (db.List[Configuration], error) {
	rows, err := db.All(r, scan, `SELECT `+columns+` FROM assistant_configuration
		WHERE tenant_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`,
		r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(c Configuration) db.Key { return db.Key{Sort: c.CreatedAt.UnixMicro(), ID: c.ID} }), err
}

func byID(r *db.Reader, id uuid.UUID) (Configuration, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM assistant_configuration WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// lock keeps others from changing a configuration until the transaction ends.
func lock(tx *db.Tx, id uuid.UUID) (Configuration, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM assistant_configuration c WHERE tenant_id = $1 AND id = $2`+
		tx.Dialect().ForUpdate("c"), tx.Tenant(), id)
}

func count(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM assistant_configuration WHERE tenant_id = $1`, r.Tenant())
}

// put says whether the name was free.
func put(tx *db.Tx, c Configuration) (bool, error) {
	n, err := tx.Exec(`INSERT INTO assistant_configuration (tenant_id, id, name, name_key, active, delay_s, max_answers, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT DO NOTHING`,
		tx.Tenant(), c.ID, c.Name, nameKey(c.Name), c.Active, c.Delay, c.MaxAnswers, c.CreatedAt)
	return n == 1, err
}

// save says whether the name was free for it.
func save(tx *db.Tx, c Configuration) (bool, error) {
	n, err := tx.Exec(`UPDATE assistant_configuration SET name = $3, name_key = $4, active = $5, delay_s = $6, max_answers = $7, updated_at = $8
		WHERE tenant_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM assistant_configuration o
			WHERE o.tenant_id = $1 AND o.name_key = $4 AND o.id <> $2)`,
		tx.Tenant(), c.ID, c.Name, nameKey(c.Name), c.Active, c.Delay, c.MaxAnswers, c.UpdatedAt)
	return n == 1, err
}

func drop(tx *db.Tx, id uuid.UUID) error {
	_, err := tx.Exec(`DELETE FROM assistant_configuration WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
	return err
}

// claimMessage says whether a customer's message was still to be answered.
func claimMessage(tx *db.Tx, message, conversation uuid.UUID) (bool, error) {
	n, err := tx.Exec(`INSERT INTO assistant_answer (tenant_id, in_answer_to, conversation_id, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, tx.Tenant(), message, conversation, clock.At(tx.Now()))
	return n == 1, err
}

// setOutcome writes what became of a message that was claimed.
func setOutcome(tx *db.Tx, message uuid.UUID, item *uuid.UUID, reason *string) error {
	_, err := tx.Exec(`UPDATE assistant_answer SET item_id = $3, reason = $4 WHERE tenant_id = $1 AND in_answer_to = $2`,
		tx.Tenant(), message, item, reason)
	return err
}
