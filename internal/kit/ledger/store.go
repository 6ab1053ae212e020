package ledger

import (
	"encoding/json"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

type head struct {
	seq  int64
	hash string
}

func scanHead(row db.Row) (h head, err error) { return h, row.Scan(&h.seq, &h.hash) }

// lockHead locks the last line of the workspace's ledger and creates the ledger if it does
// not exist.
func lockHead(tx *db.Tx) (int64, string, error) {
	if err := tx.Exec(`INSERT INTO privacy_ledger_head (tenant_id, seq, hash) VALUES ($1, 0, '') ON CONFLICT (tenant_id) DO NOTHING`, tx.Tenant()); err != nil {
		return 0, "", err
	}
	h, err := db.One(&tx.Reader, scanHead, `SELECT seq, hash FROM privacy_ledger_head h WHERE tenant_id = $1`+tx.Dialect().ForUpdate("h"), tx.Tenant())
	return h.seq, h.hash, err
}

// findHead returns the number and hash of the newest entry; zero values for an
// empty ledger.
func findHead(r *db.Reader) (int64, string, error) {
	h, err := db.One(r, scanHead, `SELECT seq, hash FROM privacy_ledger_head WHERE tenant_id = $1`, r.Tenant())
	return h.seq, h.hash, db.IgnoreNoRow(err)
}

func saveHead(tx *db.Tx, seq int64, hash string) error {
	return tx.Exec(`UPDATE privacy_ledger_head SET seq = $2, hash = $3 WHERE tenant_id = $1`, tx.Tenant(), seq, hash)
}

const lineColumns = `seq, id, at, actor_kind, actor_id, action, subject_ref, details, personal, prev_hash, hash`

func scanLine(row db.Row) (n Line, err error) {
	err = row.Scan(&n.Seq, &n.ID, &n.At, &n.Actor.Kind, &n.Actor.ID, &n.Action, &n.SubjectRef, &n.details, &n.sealed, &n.PrevHash, &n.Hash)
	if err == nil {
		// A line that was tampered with is shown without details; Verify reports it.
		if json.Unmarshal([]byte(n.details), &n.Details) != nil || n.Details == nil {
			n.Details = map[string]any{}
		}
	}
	return n, err
}

func putLine(tx *db.Tx, n *Line) error {
	return tx.Exec(`INSERT INTO privacy_ledger (tenant_id, seq, id, at, actor_kind, actor_id, action, subject_ref, details, personal, prev_hash, hash)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		tx.Tenant(), n.Seq, n.ID, n.At, n.Actor.Kind, n.Actor.ID, n.Action, n.SubjectRef, n.details, n.sealed, n.PrevHash, n.Hash)
}

func listLines(r *db.Reader, subject string, p db.Page) (db.List[Line], error) {
	query := `SELECT ` + lineColumns + ` FROM privacy_ledger WHERE tenant_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`
	args := []any{r.Tenant(), p.After.Sort, p.Limit + 1}
	if subject != "" {
		query = `SELECT ` + lineColumns + ` FROM privacy_ledger WHERE tenant_id = $1 AND subject_ref = $4 AND seq < $2 ORDER BY seq DESC LIMIT $3`
		args = append(args, subject)
	}
	rows, err := db.All(r, scanLine, query, args...)
	return db.Cut(rows, p, func(n Line) db.Key { return db.Key{Sort: n.Seq, ID: n.ID} }), err
}

func linesAfter(r *db.Reader, seq int64, limit int) ([]Line, error) {
	return db.All(r, scanLine, `SELECT `+lineColumns+` FROM privacy_ledger WHERE tenant_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, r.Tenant(), seq, limit)
}

func findKey(r *db.Reader, subject string) ([]byte, error) {
	return db.One(r, db.Scalar[[]byte], `SELECT sealed FROM privacy_subject_key WHERE tenant_id = $1 AND subject_ref = $2`, r.Tenant(), subject)
}

// putKey stores a key; a key that exists already is kept.
func putKey(tx *db.Tx, subject string, sealed []byte) error {
	return tx.Exec(`INSERT INTO privacy_subject_key (tenant_id, subject_ref, sealed) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, subject_ref) DO NOTHING`, tx.Tenant(), subject, sealed)
}

func dropKey(tx *db.Tx, subject string) error {
	return tx.Exec(`DELETE FROM privacy_subject_key WHERE tenant_id = $1 AND subject_ref = $2`, tx.Tenant(), subject)
}

// unsignedLedgers returns workspaces whose ledger has lines after the last signature and no
// signature of this day.
func unsignedLedgers(r *db.Reader, today int64, limit int) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT h.tenant_id FROM privacy_ledger_head h WHERE h.seq > 0 AND NOT EXISTS (
		SELECT 1 FROM privacy_ledger_signature s WHERE s.tenant_id = h.tenant_id AND (s.seq >= h.seq OR s.day >= $1)) LIMIT $2`, today, limit)
}

func putSignature(tx *db.Tx, h *SignedHead) error {
	return tx.Exec(`INSERT INTO privacy_ledger_signature (tenant_id, day, seq, hash, signature) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, day) DO NOTHING`, tx.Tenant(), h.day, h.Seq, h.Hash, h.Signature)
}

// signatures returns all signed heads, oldest first.
func signatures(r *db.Reader) ([]SignedHead, error) {
	return db.All(r, func(row db.Row) (h SignedHead, err error) { return h, row.Scan(&h.day, &h.Seq, &h.Hash, &h.Signature) },
		`SELECT day, seq, hash, signature FROM privacy_ledger_signature WHERE tenant_id = $1 ORDER BY day`, r.Tenant())
}
