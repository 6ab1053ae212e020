package custom

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// takeGuard claims a submission's guard. It returns false if another submission holds it:
// permanently if the sender gave the id, for guardFor if the two are only equal.
func takeGuard(tx *db.Tx, account, submission uuid.UUID, guard string, named bool) (bool, error) {
	before := clock.At(tx.Now().Add(-guardFor))
	if named {
		before = clock.At(time.UnixMicro(0))
	}
	return tx.ExecAny(`INSERT INTO form_guard (tenant_id, account_id, guard, submission_id, at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, account_id, guard) DO UPDATE SET submission_id = excluded.submission_id, at = excluded.at
		WHERE form_guard.at <= $6`, tx.Tenant(), account, guard, submission, clock.At(tx.Now()), before)
}

func guarded(r *db.Reader, account uuid.UUID, guard string) (Submitted, error) {
	return db.One(r, func(row db.Row) (Submitted, error) {
		s := Submitted{Duplicate: true}
		err := row.Scan(&s.SubmissionID, &s.ConversationID, &s.ContactID, &s.OpportunityID)
		return s, err
	}, `SELECT s.id, s.conversation_id, s.contact_id, s.opportunity_id FROM form_guard g
		JOIN form_submission s ON s.tenant_id = g.tenant_id AND s.id = g.submission_id
		WHERE g.tenant_id = $1 AND g.account_id = $2 AND g.guard = $3`, r.Tenant(), account, guard)
}

func putSubmission(tx *db.Tx, account uuid.UUID, s *Submission, out Submitted, test bool) error {
	fields := s.Fields
	if fields == nil {
		fields = map[string]any{}
	}
	return tx.Exec(`INSERT INTO form_submission (tenant_id, id, account_id, form, fields, contact_id, conversation_id,
			opportunity_id, test, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.Tenant(), out.SubmissionID, account, s.Form, db.AsJSON(fields), out.ContactID, out.ConversationID,
		out.OpportunityID, test, clock.At(tx.Now()))
}

func putOpportunity(tx *db.Tx, o Opportunity, test bool) error {
	return tx.Exec(`INSERT INTO opportunity (tenant_id, id, title, stage, source, contact_id, conversation_id, test, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tx.Tenant(), o.ID, o.Title, o.Stage, o.Source, o.ContactID, o.ConversationID, test, o.CreatedAt)
}

func opportunities(r *db.Reader, contact *uuid.UUID, p db.Page) (db.List[Opportunity], error) {
	args := []any{r.Tenant(), p.After.Sort, p.After.ID, p.Limit + 1}
	of := ""
	if contact != nil {
		of, args = ` AND contact_id = $5`, append(args, *contact)
	}
	rows, err := db.All(r, db.Fields(func(o *Opportunity) []any {
		return []any{&o.ID, &o.Title, &o.Stage, &o.Source, &o.ContactID, &o.ConversationID, &o.CreatedAt}
	}), `SELECT id, title, stage, source, contact_id, conversation_id, created_at FROM opportunity
		WHERE tenant_id = $1 AND (created_at, id) < ($2, $3)`+of+caller.OnlyVisible(r.Context(), "test")+` ORDER BY created_at DESC, id DESC LIMIT $4`, args...)
	return db.Cut(rows, p, func(o Opportunity) db.Key { return db.Key{Sort: o.CreatedAt.UnixMicro(), ID: o.ID} }), err
}
