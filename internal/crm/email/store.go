package email

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const stateColumns = `local_part, polls, uid_validity, last_uid, failures, last_error, last_poll_at,
	verified_key, verified_by, verified_at, code_hash, code_expires_at, code_attempts`

var scanState = db.Fields(func(s *state) []any {
	return []any{
		&s.local, &s.polls, &s.uidValidity, &s.lastUID, &s.failures, &s.lastError, &s.lastPollAt,
		&s.verifiedKey, &s.verifiedBy, &s.verifiedAt, &s.code.hash, &s.code.expiresAt, &s.code.attempts,
	}
})

func putMailbox(tx *db.Tx, account uuid.UUID, local, addr string) (bool, error) {
	return tx.ExecAny(`INSERT INTO email_mailbox (tenant_id, account_id, local_part, address_key, polls)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		tx.Tenant(), account, local, address.Fold(addr), false)
}

// isMailbox reports whether an address is one of the workspace's mailboxes.
func isMailbox(r *db.Reader, addr string) (bool, error) {
	_, ok, err := found(db.One(r, db.Scalar[uuid.UUID], `SELECT account_id FROM email_mailbox
		WHERE tenant_id = $1 AND address_key = $2 LIMIT 1`, r.Tenant(), address.Fold(addr)))
	return ok, err
}

func mailboxState(r *db.Reader, account uuid.UUID) (state, error) {
	return db.One(r, scanState, `SELECT `+stateColumns+` FROM email_mailbox WHERE tenant_id = $1 AND account_id = $2`, r.Tenant(), account)
}

// home is the workspace and account of an address.
type home struct{ tenant, account uuid.UUID }

func byLocal(r *db.Reader, local string) (home, error) {
	return db.One(r, db.Fields(func(h *home) []any { return []any{&h.tenant, &h.account} }),
		`SELECT tenant_id, account_id FROM email_mailbox WHERE local_part = $1`, local)
}

const inboundColumns = `id, account_id, route, envelope_from, envelope_to, size, state, reason, auth, sender, subject, rule,
	conversation_id, item_id, created_at, settled_at, blob_id, delivery_key`

var scanInbound = db.Fields(func(m *Incoming) []any {
	return []any{
		&m.ID, &m.AccountID, &m.Route, &m.EnvelopeFrom, &m.EnvelopeTo, &m.Size, &m.State, &m.Reason, &m.Auth, &m.Sender, &m.Subject, &m.Rule,
		&m.ConversationID, &m.ItemID, &m.CreatedAt, &m.SettledAt, &m.blobID, &m.key,
	}
})

// putInbound stores a delivery and reports whether it is new.
func putInbound(tx *db.Tx, m *Incoming) (bool, error) {
	return tx.ExecAny(`INSERT INTO email_inbound (tenant_id, id, account_id, delivery_key, route, envelope_from, envelope_to, blob_id, size,
			state, reason, auth, sender, subject, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING`,
		tx.Tenant(), m.ID, m.AccountID, m.key, m.Route, m.EnvelopeFrom, m.EnvelopeTo, m.blobID, m.Size, m.State, m.Reason, m.Auth, m.Sender, m.Subject, m.CreatedAt)
}

func inboundByID(r *db.Reader, id uuid.UUID) (Incoming, error) {
	return db.One(r, scanInbound, `SELECT `+inboundColumns+` FROM email_inbound WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func lockInbound(tx *db.Tx, id uuid.UUID) (Incoming, error) {
	return db.One(&tx.Reader, scanInbound, `SELECT `+inboundColumns+` FROM email_inbound m WHERE tenant_id = $1 AND id = $2`+
		tx.Dialect().ForUpdate("m"), tx.Tenant(), id)
}

func settleInbound(tx *db.Tx, m *Incoming) error {
	return tx.Exec(`UPDATE email_inbound SET state = $3, reason = $4, sender = $5, subject = $6, rule = $7, conversation_id = $8,
			item_id = $9, settled_at = $10
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), m.ID, m.State, m.Reason, m.Sender, m.Subject, m.Rule, m.ConversationID, m.ItemID, m.SettledAt)
}

func deleteInbound(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM email_inbound WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}

func listInbound(r *db.Reader, state string, p db.Page) (db.List[Incoming], error) {
	rows, err := db.All(r, scanInbound, `SELECT `+inboundColumns+` FROM email_inbound
		WHERE tenant_id = $1 AND state = $2 AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5`,
		r.Tenant(), state, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Incoming) db.Key { return db.Key{Sort: m.CreatedAt.UnixMicro(), ID: m.ID} }), err
}

// mailRecord is a mail of a conversation.
type mailRecord struct {
	accountID      uuid.UUID
	conversationID uuid.UUID
	itemID         *uuid.UUID
	ours           bool
	messageID      string
	// thread holds the ids of the mails before it, oldest first.
	thread     []string
	subject    string
	sender     string
	recipients []string
}

func scanMailRecord(row db.Row) (l mailRecord, err error) {
	err = row.Scan(&l.accountID, &l.conversationID, &l.itemID, &l.ours, &l.messageID, db.FromJSON(&l.thread), &l.subject, &l.sender, db.FromJSON(&l.recipients))
	return l, err
}

const mailRecordColumns = `account_id, conversation_id, item_id, ours, message_id, thread, subject, sender, recipients`

func messageKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

func putMailRecord(tx *db.Tx, l *mailRecord) error {
	if l.thread == nil {
		l.thread = []string{}
	}
	if l.recipients == nil {
		l.recipients = []string{}
	}
	return tx.Exec(`INSERT INTO email_message (tenant_id, id, account_id, conversation_id, item_id, ours, message_key, message_id, thread,
			subject, sender, recipients, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
		tx.Tenant(), tx.NewID(), l.accountID, l.conversationID, l.itemID, l.ours, messageKey(l.messageID), l.messageID, db.AsJSON(l.thread),
		l.subject, l.sender, db.AsJSON(l.recipients), clock.At(tx.Now()))
}

// putParties records who takes part in a conversation. An address that is known stays
// known.
func putParties(tx *db.Tx, conversation uuid.UUID, addrs []string, known bool) error {
	for _, a := range addrs {
		if a == "" {
			continue
		}
		if err := tx.Exec(`INSERT INTO email_party (tenant_id, conversation_id, address_key, known) VALUES ($1, $2, $3, $4)
			ON CONFLICT (tenant_id, conversation_id, address_key) DO UPDATE SET known = email_party.known OR excluded.known`,
			tx.Tenant(), conversation, address.Fold(a), known); err != nil {
			return err
		}
	}
	return nil
}

// isKnown reports whether we wrote to an address in a conversation, or whether the
// conversation's first mail named it.
func isKnown(r *db.Reader, conversation uuid.UUID, addr string) (bool, error) {
	_, ok, err := found(db.One(r, db.Scalar[string], `SELECT address_key FROM email_party
		WHERE tenant_id = $1 AND conversation_id = $2 AND address_key = $3 AND known`, r.Tenant(), conversation, address.Fold(addr)))
	return ok, err
}

func putToken(tx *db.Tx, account uuid.UUID, token string, conversation uuid.UUID) error {
	return tx.Exec(`INSERT INTO email_token (tenant_id, account_id, token, conversation_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		tx.Tenant(), account, token, conversation)
}

func findMailOfItem(r *db.Reader, item uuid.UUID) (mailRecord, error) {
	return db.One(r, scanMailRecord, `SELECT `+mailRecordColumns+` FROM email_message WHERE tenant_id = $1 AND item_id = $2`, r.Tenant(), item)
}

// findLatestMail returns the newest mail of a conversation.
func findLatestMail(r *db.Reader, conversation uuid.UUID) (mailRecord, error) {
	return db.One(r, scanMailRecord, `SELECT `+mailRecordColumns+` FROM email_message
		WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1`, r.Tenant(), conversation)
}

// findOurMail returns the mail with this id that the account sent.
func findOurMail(r *db.Reader, account uuid.UUID, id string) (mailRecord, error) {
	return db.One(r, scanMailRecord, `SELECT `+mailRecordColumns+` FROM email_message
		WHERE tenant_id = $1 AND account_id = $2 AND message_key = $3 AND ours LIMIT 1`, r.Tenant(), account, messageKey(id))
}

// threads implements message.Threads for one account.
type threads struct {
	r       *db.Reader
	account uuid.UUID
	latest  func(addr string) (uuid.UUID, bool, error)
}

// ByMessageID implements message.Threads.
func (t threads) ByMessageID(id string) (message.Known, bool, error) {
	k, err := db.One(t.r, db.Fields(func(k *message.Known) []any { return []any{&k.ConversationID, &k.Ours} }),
		`SELECT conversation_id, ours FROM email_message WHERE tenant_id = $1 AND account_id = $2 AND message_key = $3
		ORDER BY created_at DESC LIMIT 1`, t.r.Tenant(), t.account, messageKey(id))
	return found(k, err)
}

// BySubjectToken implements message.Threads.
func (t threads) BySubjectToken(token string) (uuid.UUID, bool, error) {
	return found(db.One(t.r, db.Scalar[uuid.UUID], `SELECT conversation_id FROM email_token
		WHERE tenant_id = $1 AND account_id = $2 AND token = $3 LIMIT 1`, t.r.Tenant(), t.account, token))
}

// TakesPart implements message.Threads.
func (t threads) TakesPart(conversation uuid.UUID, addr string) (bool, error) {
	_, ok, err := found(db.One(t.r, db.Scalar[string], `SELECT address_key FROM email_party
		WHERE tenant_id = $1 AND conversation_id = $2 AND address_key = $3`, t.r.Tenant(), conversation, address.Fold(addr)))
	return ok, err
}

// Latest implements message.Threads.
func (t threads) Latest(addr string) (uuid.UUID, bool, error) { return t.latest(addr) }

func found[T any](v T, err error) (T, bool, error) {
	if db.IsNoRow(err) {
		return v, false, nil
	}
	return v, err == nil, err
}

// originOf returns the result of checking the sender of an item's mail, and the sender
// itself. If the mail arrived twice, the first one is used.
func originOf(r *db.Reader, item uuid.UUID) (auth, sender string, err error) {
	first, err := db.One(r, scanInbound, `SELECT `+inboundColumns+` FROM email_inbound WHERE tenant_id = $1 AND item_id = $2
		ORDER BY created_at, id LIMIT 1`, r.Tenant(), item)
	return first.Auth, first.Sender, err
}

// recentWith returns the conversations of an account in which an address takes part, newest
// first.
func recentWith(r *db.Reader, account uuid.UUID, addr string, limit int) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT p.conversation_id FROM email_party p
		WHERE p.tenant_id = $1 AND p.address_key = $2 AND EXISTS (SELECT 1 FROM email_message m
			WHERE m.tenant_id = $1 AND m.conversation_id = p.conversation_id AND m.account_id = $3)
		ORDER BY p.conversation_id DESC LIMIT $4`, r.Tenant(), address.Fold(addr), account, limit)
}

// autoRepliesPerDomain is the number of automatic answers per day to the addresses of one
// domain.
const autoRepliesPerDomain = 100

// mayAutoReply counts an automatic answer and reports whether it may be sent: one per day
// from a mailbox to an address (ignoring what follows a plus), a hundred to a domain, and
// limit in total per UTC day. The sender's address may be forged.
func mayAutoReply(tx *db.Tx, account uuid.UUID, addr string, limit int64) (bool, error) {
	now := tx.Now()
	if err := tx.Exec(`DELETE FROM email_auto_reply WHERE tenant_id = $1 AND since <= $2`,
		tx.Tenant(), clock.At(now.Add(-24*time.Hour))); err != nil {
		return false, err
	}
	if limit < 1 {
		return false, nil
	}
	local, domain, _ := strings.Cut(address.Fold(addr), "@")
	local, _, _ = strings.Cut(local, "+")
	for _, c := range []struct {
		scope string
		since time.Time
		limit int64
	}{
		{"address " + account.String() + " " + local + "@" + domain, now, 1},
		{"domain " + domain, now, autoRepliesPerDomain},
		{"workspace", now.UTC().Truncate(24 * time.Hour), limit},
	} {
		n, err := tx.ExecCount(`INSERT INTO email_auto_reply (tenant_id, scope, since, sent) VALUES ($1, $2, $3, 1)
			ON CONFLICT (tenant_id, scope) DO UPDATE SET sent = email_auto_reply.sent + 1 WHERE email_auto_reply.sent < $4`,
			tx.Tenant(), c.scope, clock.At(c.since), c.limit)
		if err != nil || n == 0 {
			return false, err
		}
	}
	return true, nil
}
