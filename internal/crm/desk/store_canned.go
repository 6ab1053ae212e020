package desk

import (
	"cmp"
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const cannedColumns = `id, scope_id, shortcut, title, body, assistant, created_at, updated_at`

func scanCanned(row db.Row) (c CannedReply, err error) {
	var scope uuid.UUID
	err = row.Scan(&c.ID, &scope, &c.Shortcut, &c.Title, &c.Body, &c.Assistant, &c.CreatedAt, &c.UpdatedAt)
	c.Shared, c.OwnerID = owner(scope)
	return c, err
}

// owner returns what a scope means: shared, or the id of its agent.
func owner(scope uuid.UUID) (shared bool, id *uuid.UUID) {
	if scope == uuid.Nil {
		return true, nil
	}
	return false, &scope
}

// cannedRows is the number of canned replies that a page scans.
const cannedRows = 1000

// cannedReplies lists the canned replies visible to an agent whose words begin with the
// terms, the oldest first; a page may be shorter than its limit and more may follow.
func cannedReplies(r *db.Reader, agent uuid.UUID, terms []string, p db.Page) (db.List[CannedReply], error) {
	rows := cmp.Or(p.Window, cannedRows)
	// The next shared ones and the next of the agent's own, each by the index of its scope.
	part := func(scope string) string {
		return `SELECT * FROM (SELECT ` + cannedColumns + ` FROM crm_canned_reply WHERE tenant_id = $1 AND scope_id = ` + scope + `
			AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $6) AS part`
	}
	w := db.Window{
		Rows: rows, Columns: cannedColumns, Alias: "c", Order: "created_at, id", Where: "1 = 1",
		Query: `SELECT * FROM (` + part("$4") + ` UNION ALL ` + part("$5") + `) AS parts ORDER BY created_at, id LIMIT $6`,
		Args:  []any{r.Tenant(), p.After.Sort, p.After.ID, uuid.Nil, agent, rows},
	}
	for _, t := range terms {
		w.WhereArgs = append(w.WhereArgs, t, t+"\U0010ffff")
		last := len(w.Args) + len(w.WhereArgs)
		w.Where += ` AND EXISTS (SELECT 1 FROM crm_canned_term w WHERE w.tenant_id = $1 AND w.reply_id = c.id AND w.term >= $` +
			strconv.Itoa(last-1) + ` AND w.term < $` + strconv.Itoa(last) + `)`
	}
	return db.ReadWindow(r, scanCanned, w, p, func(c CannedReply) db.Key { return db.Key{Sort: c.CreatedAt.UnixMicro(), ID: c.ID} })
}

// cannedByID returns a canned reply visible to the agent.
func cannedByID(r *db.Reader, agent, id uuid.UUID) (CannedReply, error) {
	return db.One(r, scanCanned, `SELECT `+cannedColumns+` FROM crm_canned_reply
		WHERE tenant_id = $1 AND id = $2 AND scope_id IN ($3, $4)`, r.Tenant(), id, uuid.Nil, agent)
}

// putCanned reports whether the shortcut was free.
func putCanned(tx *db.Tx, c CannedReply, scope uuid.UUID, key string) (bool, error) {
	return tx.ExecAny(`INSERT INTO crm_canned_reply (tenant_id, id, scope_id, shortcut, shortcut_key, title, body, assistant, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (tenant_id, scope_id, shortcut_key) DO NOTHING`,
		tx.Tenant(), c.ID, scope, c.Shortcut, key, c.Title, c.Body, c.Assistant, c.CreatedAt, c.UpdatedAt)
}

// saveCanned reports whether the shortcut was free.
func saveCanned(tx *db.Tx, c CannedReply, scope uuid.UUID, key string) (bool, error) {
	return tx.ExecAny(`UPDATE crm_canned_reply SET scope_id = $3, shortcut = $4, shortcut_key = $5, title = $6, body = $7, updated_at = $8, assistant = $9
		WHERE tenant_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM crm_canned_reply o
			WHERE o.tenant_id = $1 AND o.scope_id = $3 AND o.shortcut_key = $5 AND o.id <> $2)`,
		tx.Tenant(), c.ID, scope, c.Shortcut, key, c.Title, c.Body, c.UpdatedAt, c.Assistant)
}

// releases is the number of canned replies that the assistant may use, and when the last of
// them changed.
type releases struct {
	count int
	last  int64
}

func countReleases(r *db.Reader) (releases, error) {
	return db.One(r, func(row db.Row) (v releases, err error) { return v, row.Scan(&v.count, &v.last) },
		`SELECT count(*), COALESCE(max(updated_at), 0) FROM crm_canned_reply WHERE tenant_id = $1 AND assistant`, r.Tenant())
}

// releasedReplies lists the released replies, the most recently changed first.
func releasedReplies(r *db.Reader) ([]CannedReply, error) {
	return db.All(r, scanCanned, `SELECT `+cannedColumns+` FROM crm_canned_reply WHERE tenant_id = $1 AND assistant
		ORDER BY updated_at DESC, id LIMIT $2`, r.Tenant(), maxReleased)
}

func putCannedTerms(tx *db.Tx, id uuid.UUID, terms []string) error {
	if err := dropCannedTerms(tx, id); err != nil {
		return err
	}
	for _, t := range terms {
		if err := tx.Exec(`INSERT INTO crm_canned_term (tenant_id, term, reply_id) VALUES ($1, $2, $3)`, tx.Tenant(), t, id); err != nil {
			return err
		}
	}
	return nil
}

func dropCannedTerms(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM crm_canned_term WHERE tenant_id = $1 AND reply_id = $2`, tx.Tenant(), id)
}

func dropCanned(tx *db.Tx, id uuid.UUID) error {
	if err := dropCannedTerms(tx, id); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM crm_canned_reply WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}
