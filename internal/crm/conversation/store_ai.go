package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func configuration(id *uuid.UUID, name *string) *Configuration {
	if name == nil {
		return nil
	}
	return &Configuration{ID: id, Name: *name}
}

func (c *Configuration) columns() (id *uuid.UUID, name *string) {
	if c == nil {
		return nil, nil
	}
	return c.ID, &c.Name
}

// aiRecord reads what the assistant did, nothing where it never did anything.
func aiRecord(r *db.Reader, conversation uuid.UUID) (AIRecord, error) {
	a, err := db.One(r, func(row db.Row) (AIRecord, error) {
		var a AIRecord
		var id *uuid.UUID
		var name *string
		err := row.Scan(&a.Since, &id, &name, &a.Answers, &a.LastAnsweredAt)
		a.Configuration.V = configuration(id, name)
		return a, err
	}, `SELECT since, configuration_id, configuration_name, answers, last_answered_at FROM conversation_ai_record
		WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversation)
	if db.IsNoRow(err) {
		return AIRecord{}, nil
	}
	return a, err
}

// putAISince notes when the assistant's state changed.
func putAISince(tx *db.Tx, conversation uuid.UUID, at clock.Time) error {
	_, err := tx.Exec(`INSERT INTO conversation_ai_record (tenant_id, conversation_id, since, answers) VALUES ($1, $2, $3, 0)
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET since = excluded.since`, tx.Tenant(), conversation, at)
	return err
}

// addAIAnswer notes an answer of the assistant.
func addAIAnswer(tx *db.Tx, conversation uuid.UUID, c *Configuration) error {
	id, name := c.columns()
	_, err := tx.Exec(`INSERT INTO conversation_ai_record (tenant_id, conversation_id, configuration_id, configuration_name, answers, last_answered_at)
		VALUES ($1, $2, $3, $4, 1, $5) ON CONFLICT (tenant_id, conversation_id)
		DO UPDATE SET configuration_id = excluded.configuration_id, configuration_name = excluded.configuration_name,
			answers = conversation_ai_record.answers + 1, last_answered_at = excluded.last_answered_at`,
		tx.Tenant(), conversation, id, name, clock.At(tx.Now()))
	return err
}

func aiAttributes(r *db.Reader, conversation uuid.UUID) ([]AIAttribute, error) {
	return db.All(r, func(row db.Row) (AIAttribute, error) {
		var a AIAttribute
		var value db.JSON[any]
		err := row.Scan(&a.Name, &value, &a.Source, &a.ItemID, &a.At)
		a.Value = value.V
		return a, err
	}, `SELECT name, value, source, item_id, at FROM conversation_ai_attribute
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY name`, r.Tenant(), conversation)
}

func putAIAttribute(tx *db.Tx, conversation uuid.UUID, a AIAttribute) error {
	_, err := tx.Exec(`INSERT INTO conversation_ai_attribute (tenant_id, conversation_id, name, value, source, item_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, conversation_id, name)
		DO UPDATE SET value = excluded.value, source = excluded.source, item_id = excluded.item_id, at = excluded.at`,
		tx.Tenant(), conversation, a.Name, db.AsJSON(a.Value), a.Source, a.ItemID, a.At)
	return err
}

func dropAIAttribute(tx *db.Tx, conversation uuid.UUID, name string) error {
	_, err := tx.Exec(`DELETE FROM conversation_ai_attribute WHERE tenant_id = $1 AND conversation_id = $2 AND name = $3`,
		tx.Tenant(), conversation, name)
	return err
}

// storedSummary reads the stored one; its text is nil where there is none.
func storedSummary(r *db.Reader, conversation uuid.UUID) (Summary, error) {
	s, err := db.One(r, func(row db.Row) (Summary, error) {
		var s Summary
		var id *uuid.UUID
		var name *string
		err := row.Scan(&s.Summary, &s.Language, &id, &name, &s.upTo, &s.RequestedBy, &s.GeneratedAt)
		s.Configuration.V = configuration(id, name)
		return s, err
	}, `SELECT body, language, configuration_id, configuration_name, up_to, requested_by, created_at FROM conversation_summary
		WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversation)
	if db.IsNoRow(err) {
		return Summary{}, nil
	}
	return s, err
}

func putSummary(tx *db.Tx, conversation uuid.UUID, s Summary) error {
	id, name := s.Configuration.V.columns()
	_, err := tx.Exec(`INSERT INTO conversation_summary (tenant_id, conversation_id, body, language, configuration_id,
			configuration_name, up_to, requested_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, conversation_id)
		DO UPDATE SET body = excluded.body, language = excluded.language, configuration_id = excluded.configuration_id,
			configuration_name = excluded.configuration_name, up_to = excluded.up_to, requested_by = excluded.requested_by,
			created_at = excluded.created_at`,
		tx.Tenant(), conversation, s.Summary, s.Language, id, name, s.upTo, s.RequestedBy, s.GeneratedAt)
	return err
}

func dropSummary(tx *db.Tx, conversation uuid.UUID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM conversation_summary WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), conversation)
	return n == 1, err
}

// changedSince says whether something was written after what a summary read,
// or edited or deleted after it was stored.
func changedSince(r *db.Reader, conversation uuid.UUID, s Summary) (bool, error) {
	n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind <> 'event'
			AND (at > $3 AND deleted_at IS NULL OR at <= $3 AND (edited_at > $4 OR deleted_at > $4)) LIMIT 1) AS one`,
		r.Tenant(), conversation, s.upTo, *s.GeneratedAt)
	return n > 0, err
}

// written reads the last messages and notes, the newest first.
func written(r *db.Reader, conversation uuid.UUID, limit int) ([]Item, error) {
	return db.All(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND deleted_at IS NULL AND kind <> 'event'
		ORDER BY at DESC, id DESC LIMIT $3`, r.Tenant(), conversation, limit)
}
