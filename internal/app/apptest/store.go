package apptest

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// inTx runs a transaction of the workspace.
func (w *Workspace) inTx(ctx context.Context, fn func(*db.Tx) error) {
	w.s.tb.Helper()
	w.s.must(w.s.DB.Tenant(w.ID).InTx(ctx, fn))
}

// samplePasskey inserts the row itself: the test owner has no device.
func (w *Workspace) samplePasskey(ctx context.Context, text string) {
	w.inTx(ctx, func(tx *db.Tx) error {
		id := tx.NewID()
		return tx.Exec(`INSERT INTO passkey (id, user_id, credential_id, credential, name, created_at)
			SELECT $1, user_id, $2, '{}', $3, $4 FROM membership WHERE tenant_id = $5 AND id = $6`,
			id, id[:], text, clock.At(tx.Now()), w.ID, w.Member)
	})
}

// sampleTemplate inserts the row itself: templates are normally created at WhatsApp. Then
// WhatsApp reports on it, which is an event.
func (w *Workspace) sampleTemplate(ctx context.Context, text string) {
	w.inTx(ctx, func(tx *db.Tx) error {
		account := tx.NewID()
		err := tx.Exec(`INSERT INTO message_template (tenant_id, id, account_id, name, language, category, status, quality,
				parameter_format, components, edits, created_at, updated_at)
			VALUES ($1, $2, $3, $4, 'tr', $5, $6, 'UNKNOWN', $7, $8, '[]', $9, $9)`,
			w.ID, tx.NewID(), account, text, template.Utility, template.Draft, template.Positional,
			db.AsJSON([]template.Component{{Type: template.Body, Text: text}}), clock.At(tx.Now()))
		if err != nil {
			return err
		}
		return w.s.Templates.ApplyReport(tx, account, template.Given{Name: text, Language: "tr", Status: "PENDING"})
	})
}

// sampleTelephony inserts the rows itself: normally a top-up begins at a bank, and a number
// is bought from a provider.
func (w *Workspace) sampleTelephony(ctx context.Context, text string) {
	w.inTx(ctx, func(tx *db.Tx) error {
		id, now := tx.NewID(), clock.At(tx.Now())
		err := tx.Exec(`INSERT INTO wallet_topup (tenant_id, id, amount, currency, state, payment_id, reason, detail, created_at, expires_at)
			VALUES ($1, $2, 10000000, 'TRY', 'failed', $3, 'refused', $3, $4, $4)`, w.ID, id, text, now)
		if err != nil {
			return err
		}
		err = tx.Exec(`INSERT INTO phone_number (tenant_id, id, e164, label, type, capabilities, status, is_default, monthly_fee, provider_id, last_error, created_at)
			VALUES ($1, $2, $3, $3, 'local', '[]', 'active', $4, 1, $3, '', $5)`, w.ID, id, text, true, now)
		if err != nil {
			return err
		}
		return samplePhones(tx, w.Member, text)
	})
}

// samplePhones inserts one row of each table that belongs to phones.
func samplePhones(tx *db.Tx, member uuid.UUID, text string) error {
	id, now := tx.NewID(), clock.At(tx.Now())
	for _, row := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO phone_block (tenant_id, id, pattern, is_prefix, note, created_at) VALUES ($1, $2, $3, $4, $3, $5)`, []any{tx.Tenant(), id, text, false, now}},
		{`INSERT INTO phone_member (tenant_id, agent_id, extension, rings, device, username, rung_at, busy_until, created_at)
			VALUES ($1, $2, $3, $4, 'desk', $3, 0, 0, $5)`, []any{tx.Tenant(), member, text, false, now}},
		{`INSERT INTO phone_line (tenant_id, id, server, transport, encryption, username, auth_user, register, e164, status, last_error, updated_at)
			VALUES ($1, $2, $3, 'udp', 'off', $3, $3, $4, $3, 'registered', '', $5)`, []any{tx.Tenant(), id, text, true, now}},
		{
			`INSERT INTO phone_channel (tenant_id, account_id, channel, e164, key_hash, created_at) VALUES ($1, $2, 'whatsapp', $3, $4, $5)`,
			[]any{tx.Tenant(), id, text, []byte(text), now},
		},
		{`INSERT INTO phone_greeting (tenant_id, slot, mode, text, voice, name, sha256, duration_ms, updated_at)
			VALUES ($1, 'welcome', 'text', $2, 'tr', $2, $2, 0, $3)`, []any{tx.Tenant(), text, now}},
		{
			`INSERT INTO phone_call (tenant_id, id, direction, via, state, open, disposition, from_e164, to_e164, agent_id, bridge_id, ended_by, cause,
				started_at, ended_at, hold_us, billed_s, cost, recording_id, recording_ms, voicemail, to_return, callback, plan)
			VALUES ($1, $2, 'inbound', 'line', 'ended', $4, 'voicemail', $3, $3, $6, $2, 'customer', $3, $5, $5, 0, 0, 0, $2, 1000, $7, $7, $4, '{}')`,
			[]any{tx.Tenant(), id, text, false, now, member, true},
		},
		{`INSERT INTO phone_leg (tenant_id, id, call_id, role, state, open, device, number, created_at, cause, last_n, last_at, paid_s, max_s, warned, billed_s, cost)
			VALUES ($1, $2, $2, 'customer', 'ended', $4, $3, $3, $5, $3, 0, $5, 0, 0, $4, 0, 0)`, []any{tx.Tenant(), id, text, false, now}},
	} {
		if err := tx.Exec(row.query, row.args...); err != nil {
			return err
		}
	}
	return nil
}

// samplePartner creates a failed sign-up at Meta.
func (w *Workspace) samplePartner(ctx context.Context, text string) {
	w.inTx(ctx, func(tx *db.Tx) error {
		return tx.Exec(`INSERT INTO partner_signup_failure (tenant_id, id, session_id, step, words, expires_at) VALUES ($1, $2, $2, 'exchange', $3, $4)`,
			w.ID, tx.NewID(), text, clock.At(tx.Now().Add(time.Hour)))
	})
}

// sampleQueue queues a mail whose recipient does not exist.
func (w *Workspace) sampleQueue(ctx context.Context, text string) {
	w.inTx(ctx, func(tx *db.Tx) error {
		id, now := tx.NewID(), clock.At(tx.Now())
		mail := tx.Exec(`INSERT INTO mail_queue (tenant_id, id, origin, sender, report_to, message_id, subject, size, blob_id, state, created_at, expires_at, finished_at)
			SELECT tenant_id, $2, 'submission', sender, sender, message_id, $3, size, blob_id, 'done', $4, $4, $4 FROM mail_journal WHERE tenant_id = $1`, w.ID, id, text, now)
		recipient := tx.Exec(`INSERT INTO mail_queue_recipient (tenant_id, mail_id, address, destination, state, attempts, answer)
			VALUES ($1, $2, $3, 'example.com', 'failed', 1, $4)`, w.ID, id, text+"@example.com", text)
		suppression := tx.Exec(`INSERT INTO mail_suppression (tenant_id, id, address, answer, created_at) VALUES ($1, $2, $3, $4, $5)`,
			w.ID, tx.NewID(), text+"@example.com", text, now)
		session := tx.Exec(`INSERT INTO mail_tls_session (tenant_id, day, sender, destination, policy_key, policy, server, failure, sessions)
			VALUES ($1, $2, $3, 'example.com', $4, 'null', $3, '', 1)`, w.ID, now, text, id)
		return errors.Join(mail, recipient, suppression, session)
	})
}
