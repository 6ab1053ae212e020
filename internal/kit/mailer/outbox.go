package mailer

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// OutboxMail is a mail in the outbox.
type OutboxMail struct {
	ID        uuid.UUID  `json:"id"`
	To        string     `json:"to" example:"ayse@example.com"`
	Subject   string     `json:"subject" example:"Confirm your e-mail address"`
	Text      string     `json:"text" example:"Hello Ayşe, …" doc:"Empty if hidden"`
	Hidden    bool       `json:"hidden" doc:"The recipient has more permissions than the caller, so the text and link are hidden"`
	CreatedAt clock.Time `json:"created_at"`
	// HasLink reports whether the mail carries a link, which may open an account.
	HasLink bool `json:"-"`
	// TenantID is the workspace that it belongs to, or the zero id.
	TenantID uuid.UUID `json:"-"`
}

// Hide removes from the mail what only its recipient may see.
func (k *OutboxMail) Hide() { k.Text, k.Hidden = "", true }

// Outbox lists the stored mails of one workspace, newest first; the zero id means the mails
// that belong to no workspace.
func (m *Mailer) Outbox(ctx context.Context, tenant uuid.UUID, p db.Page) (db.List[OutboxMail], error) {
	kept, err := m.readOutbox(ctx, `WHERE tenant_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`,
		tenant, p.After.Sort, p.After.ID, p.Limit+1)
	if err != nil {
		return db.List[OutboxMail]{}, err
	}
	return db.Cut(kept, p, func(k OutboxMail) db.Key { return db.Key{Sort: k.CreatedAt.UnixMicro(), ID: k.ID} }), nil
}

// WholeOutbox returns the newest stored mails of all workspaces. It is for the operator,
// who runs the machine.
func (m *Mailer) WholeOutbox(ctx context.Context, limit int) ([]OutboxMail, error) {
	return m.readOutbox(ctx, `ORDER BY created_at DESC, id DESC LIMIT $1`, limit)
}

// readOutbox reads the mails selected by the end of a statement, and opens them.
func (m *Mailer) readOutbox(ctx context.Context, which string, args ...any) ([]OutboxMail, error) {
	type row struct {
		OutboxMail
		sealed []byte
	}
	rows, err := db.Read(ctx, m.db.System("mail outbox"), func(r *db.Reader) ([]row, error) {
		return db.All(r, func(s db.Row) (k row, err error) {
			err = s.Scan(&k.TenantID, &k.ID, &k.To, &k.Subject, &k.sealed, &k.CreatedAt)
			return k, err
		}, `SELECT tenant_id, id, recipient, subject, sealed, created_at FROM mail_outbox `+which, args...)
	})
	if err != nil {
		return nil, err
	}
	kept := make([]OutboxMail, len(rows))
	for i, k := range rows {
		out, err := m.open(k.TenantID, k.ID, k.sealed)
		if err != nil {
			return nil, err
		}
		kept[i] = k.OutboxMail
		kept[i].Text, kept[i].HasLink = out.Mail.text(), out.Mail.Link != ""
	}
	return kept, nil
}
