package whole

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// putMerge stores what is needed to undo a merge. If the conversation was merged before,
// the record is replaced.
func putMerge(tx *db.Tx, m mergeRecord) error {
	return tx.Exec(`INSERT INTO conversation_merge (tenant_id, conversation_id, undo, merged_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET undo = excluded.undo, merged_at = excluded.merged_at`,
		tx.Tenant(), m.From, db.AsJSON(m), clock.At(tx.Now()))
}

func mergeOf(r *db.Reader, conversation uuid.UUID) (mergeRecord, error) {
	m, err := db.One(r, db.Scalar[db.JSON[mergeRecord]], `SELECT undo FROM conversation_merge
		WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversation)
	return m.V, err
}

func dropMerge(tx *db.Tx, conversation uuid.UUID) error {
	return tx.Exec(`DELETE FROM conversation_merge WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), conversation)
}
