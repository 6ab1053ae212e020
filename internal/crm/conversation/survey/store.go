package survey

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, conversation_id, rating, comment, created_at, expires_at, responded_at`

func scan(row db.Row) (v Survey, err error) {
	err = row.Scan(&v.ID, &v.ConversationID, &v.Rating, &v.Comment, &v.CreatedAt, &v.ExpiresAt, &v.RespondedAt)
	return v, err
}

// put stores a survey and reports whether the closing had none yet.
func put(tx *db.Tx, v Survey, closing int64, test bool) (bool, error) {
	return tx.ExecAny(`INSERT INTO csat_survey (tenant_id, id, conversation_id, closing, test, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		tx.Tenant(), v.ID, v.ConversationID, closing, test, v.CreatedAt, v.ExpiresAt)
}

// Last returns the newest survey of a conversation.
func Last(r *db.Reader, conversation uuid.UUID) (Survey, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM csat_survey
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1`, r.Tenant(), conversation)
}

// Answer stores an answer and reports whether it is the first.
func Answer(tx *db.Tx, id uuid.UUID, rating int, comment string) (bool, error) {
	return tx.ExecAny(`UPDATE csat_survey SET rating = $3, comment = $4, responded_at = $5
		WHERE tenant_id = $1 AND id = $2 AND responded_at IS NULL`, tx.Tenant(), id, rating, comment, clock.At(tx.Now()))
}
