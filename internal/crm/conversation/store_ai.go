package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// ConfigurationOf builds a configuration from its two columns, or nil if none is named.
func ConfigurationOf(id *uuid.UUID, name *string) *Configuration {
	if name == nil {
		return nil
	}
	return &Configuration{ID: id, Name: *name}
}

// Columns returns the two columns that a configuration is stored in.
func (c *Configuration) Columns() (id *uuid.UUID, name *string) {
	if c == nil {
		return nil, nil
	}
	return c.ID, &c.Name
}

// ReadAIAnswers returns what the assistant did; the result is empty if it never did
// anything.
func ReadAIAnswers(r *db.Reader, conversation uuid.UUID) (AIAnswers, error) {
	return db.OrZero(db.One(r, func(row db.Row) (a AIAnswers, err error) {
		var id *uuid.UUID
		var name *string
		err = row.Scan(&a.Since, &id, &name, &a.Answers, &a.LastAnsweredAt)
		a.Configuration = ConfigurationOf(id, name)
		return a, err
	}, `SELECT since, configuration_id, configuration_name, answers, last_answered_at FROM conversation_ai_record
		WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversation))
}

// putAISince records when the assistant's state changed.
func putAISince(tx *db.Tx, conversation uuid.UUID, at clock.Time) error {
	return tx.Exec(`INSERT INTO conversation_ai_record (tenant_id, conversation_id, since, answers) VALUES ($1, $2, $3, 0)
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET since = excluded.since`, tx.Tenant(), conversation, at)
}

// AddAIAnswer records what the assistant wrote: one answer and its time, or zero and nil
// for small talk.
func AddAIAnswer(tx *db.Tx, conversation uuid.UUID, c *Configuration, answers int, at *clock.Time) error {
	id, name := c.Columns()
	return tx.Exec(`INSERT INTO conversation_ai_record (tenant_id, conversation_id, configuration_id, configuration_name, answers, last_answered_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, conversation_id)
		DO UPDATE SET configuration_id = excluded.configuration_id, configuration_name = excluded.configuration_name,
			answers = conversation_ai_record.answers + excluded.answers, last_answered_at = COALESCE(excluded.last_answered_at, conversation_ai_record.last_answered_at)`,
		tx.Tenant(), conversation, id, name, answers, at)
}

// LastMessagesAndNotes reads the last messages and notes, the newest first.
func LastMessagesAndNotes(r *db.Reader, conversation uuid.UUID, limit int) ([]Item, error) {
	return db.All(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND deleted_at IS NULL AND kind <> 'event'
		ORDER BY at DESC, id DESC LIMIT $3`, r.Tenant(), conversation, limit)
}
