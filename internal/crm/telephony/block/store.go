package block

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const columns = `id, pattern, is_prefix, note, created_at`

func scanEntry(row db.Row) (e Entry, err error) {
	var pattern string
	var isPrefix bool
	err = row.Scan(&e.ID, &pattern, &isPrefix, &e.Note, &e.CreatedAt)
	if isPrefix {
		e.Prefix = &pattern
	} else {
		e.E164 = &pattern
	}
	return e, err
}

// listEntries reads a page of the entries, newest first.
func listEntries(r *db.Reader, p db.Page) (db.List[Entry], error) {
	rows, err := db.All(r, scanEntry, `SELECT `+columns+` FROM phone_block WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
		r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Entry) db.Key { return db.Key{ID: e.ID} }), err
}

// putEntry stores an entry; it returns false if its pattern is blocked already.
func putEntry(tx *db.Tx, e Entry) (bool, error) {
	pattern, isPrefix := e.pattern()
	return tx.ExecAny(`INSERT INTO phone_block (tenant_id, `+columns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		tx.Tenant(), e.ID, pattern, isPrefix, e.Note, e.CreatedAt)
}

// deleteEntry deletes an entry and returns it; db.ErrNoRow if it does not exist.
func deleteEntry(tx *db.Tx, id uuid.UUID) (Entry, error) {
	return db.One(&tx.Reader, scanEntry, `DELETE FROM phone_block WHERE tenant_id = $1 AND id = $2 RETURNING `+columns, tx.Tenant(), id)
}

func countEntries(r *db.Reader) (int64, error) {
	return db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM phone_block WHERE tenant_id = $1`, r.Tenant())
}

// isBlocked looks for the number, and for a blocked prefix of it.
func isBlocked(r *db.Reader, e164 string) (bool, error) {
	var beginnings []string
	for i := 2; i <= len(e164); i++ {
		beginnings = append(beginnings, e164[:i])
	}
	in, arg := db.In(r.Dialect(), 2, beginnings)
	n, err := db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM phone_block WHERE tenant_id = $1 AND pattern `+in+`
		AND (is_prefix OR pattern = $3)`, r.Tenant(), arg, e164)
	return n > 0, err
}
