package email

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/trtext"
)

const ingestJob = "email.ingest"

// ingestAttempts is the number of attempts before a mail is shown as failed.
const ingestAttempts = 8

type ingestPayload struct {
	ID uuid.UUID `json:"id"`
}

// Arrival is a mail handed over by a server.
type Arrival struct {
	AccountID uuid.UUID
	Route     string // "smtp" or "imap"
	From, To  string // of the envelope
	// Key identifies the delivery, so that a repetition is recognised; "" if it cannot be
	// repeated.
	Key string
	Raw io.Reader
	// Refused is the reason why the mail is only kept and not read; "" for none.
	Refused string
	// Auth is the result of checking the sender. Junk is the reason why the mail counts as
	// junk, "" if it does not: junk is kept and not read until a person asks for it.
	Auth, Junk string
	// Sender and Subject are set for a mail that is not read; "" if unknown.
	Sender, Subject string
	// Kept is called in the same transaction if the delivery is new; may be nil.
	Kept func(tx *db.Tx, b blob.Blob) error
	// Also is called in the same transaction, for a repeated delivery too; may be nil.
	Also func(tx *db.Tx) error
}

// Accept stores a mail durably, with the job that will read it; after it returns, the
// sender may be told that the mail was accepted. If the delivery was accepted before, it
// stores nothing more and returns false. If the workspace's storage is full, it returns
// storage_full and keeps nothing.
func (s *Service) Accept(ctx context.Context, a Arrival) (fresh bool, err error) {
	b, err := s.Blobs.PutWithin(ctx, caller.From(ctx).TenantID, blob.Workspace, a.Raw, s.MaxSize)
	if err != nil {
		return false, fmt.Errorf("email: keep: %w", err)
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m := Incoming{
			ID: tx.NewID(), AccountID: a.AccountID, Route: a.Route, EnvelopeFrom: printable(a.From), EnvelopeTo: printable(a.To),
			Size: b.Size, State: Received, Auth: a.Auth, Sender: printable(a.Sender), Subject: printable(a.Subject), CreatedAt: clock.At(tx.Now()), blobID: b.ID, key: a.Key,
		}
		if m.key == "" {
			m.key = m.ID.String()
		}
		if a.Refused != "" {
			m.State, m.Reason = FailedIn, &a.Refused
		} else if a.Junk != "" {
			m.State, m.Reason = Junk, &a.Junk
		}
		if fresh, err = putInbound(tx, &m); err != nil {
			return fmt.Errorf("email: put inbound: %w", err)
		}
		if fresh {
			if err := blob.Hold(tx, b.ID); err != nil {
				return err
			}
		}
		if fresh && a.Kept != nil {
			if err := a.Kept(tx, b); err != nil {
				return err
			}
		}
		if fresh && m.State == Received {
			if _, err := jobs.Enqueue(tx, ingestJob, tx.Now(), ingestPayload{m.ID}); err != nil {
				return err
			}
		}
		if a.Also != nil {
			return a.Also(tx)
		}
		return nil
	})
	return fresh, err
}

func printable(s string) string {
	return trtext.Cut(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD"), 320)
}

// ingest is the handler of ingestJob.
func (s *Service) ingest(ctx context.Context, j *jobs.Job) error {
	m, err := s.incomingOf(ctx, j)
	if err != nil {
		return err
	}
	if m.State != Received {
		return nil
	}
	err = s.digest(ctx, &m)
	if err != nil && j.Attempts >= ingestAttempts {
		s.Log.Error("mail could not be processed", "mail", m.ID, "error", err)
		return s.finishIncoming(ctx, m, FailedIn, ReasonProcessing)
	}
	return err
}

// incomingOf returns the mail of an ingest job.
func (s *Service) incomingOf(ctx context.Context, j *jobs.Job) (m Incoming, err error) {
	var p ingestPayload
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return m, errors.Join(jobs.ErrDrop, err)
	}
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Incoming, error) { return inboundByID(r, p.ID) })
}

// digest reads a mail from the disk and processes it. If the mail is stored with an S3
// service, this needs as much disk space as the mail has bytes.
func (s *Service) digest(ctx context.Context, in *Incoming) error {
	f, err := s.Blobs.OpenFile(ctx, caller.From(ctx).TenantID, in.blobID)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	m, err := message.Parse(f, in.Size, in.EnvelopeFrom)
	if reason := reasonOf(err); reason != "" {
		return s.finishIncoming(ctx, *in, FailedIn, reason)
	}
	if err != nil {
		return err
	}
	in.Sender, in.Subject = m.From.Email, m.Subject
	var a channel.Account
	var set Settings
	var st state
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if a, set, err = s.account(r, in.AccountID); err != nil {
			return err
		}
		st, err = mailboxState(r, in.AccountID)
		return err
	})
	switch {
	case fault.Is(err, fault.NotFound):
		return s.finishIncoming(ctx, *in, FailedIn, ReasonUnavailable)
	case err != nil:
		return err
	}
	if _, own := s.keys.Own(caller.From(ctx).TenantID, m.MessageID); own {
		return s.finishIncoming(ctx, *in, Ignored, ReasonOwnMail)
	}
	if m.Bounce != nil {
		return s.handleBounce(ctx, in, m.Bounce)
	}
	from := writer(m, set)
	if address.Fold(from.Email) == address.Fold(set.Address) || s.isForwardingAddress(from.Email, st) {
		return s.finishIncoming(ctx, *in, Ignored, ReasonOwnAddress)
	}
	return s.deliver(ctx, in, m, from, a, set, st)
}

// reasonOf returns why a mail cannot be processed, "" if the error is not about the mail.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, message.ErrNoSender):
		return ReasonNoSender
	case errors.Is(err, message.ErrTooDeep):
		return ReasonTooDeep
	case errors.Is(err, message.ErrTooManyParts):
		return ReasonTooMany
	case errors.Is(err, message.ErrLongHeader):
		return ReasonLongHeader
	case errors.Is(err, message.ErrEmpty):
		return ReasonEmpty
	case errors.Is(err, message.ErrUnreadable):
		return ReasonUnreadable
	}
	return ""
}

// writer returns the author of a mail. If a machine or a form of the company sends it on
// behalf of somebody, that is the Reply-To address.
func writer(m *message.Mail, set Settings) message.Address {
	if len(m.ReplyTo) > 0 && (m.Auto == message.AutoDaemon || address.Fold(m.From.Email) == address.Fold(set.Address)) {
		return m.ReplyTo[0]
	}
	return m.From
}

// ProvenSender returns the sender's address of an item's mail if DMARC proved it, and "" if
// the From header is only a claim.
func (s *Service) ProvenSender(r *db.Reader, item uuid.UUID) (string, error) {
	auth, sender, err := originOf(r, item)
	if db.IsNoRow(err) || err == nil && !slices.Contains(strings.Fields(auth), "dmarc=pass") {
		return "", nil
	}
	return sender, err
}

// isForwardingAddress reports whether an address is the mailbox's forwarding address or one
// of its reply addresses.
func (s *Service) isForwardingAddress(addr string, st state) bool {
	local, domain, _ := strings.Cut(address.Fold(addr), "@")
	base, _, _ := strings.Cut(local, "+")
	return s.Domain != "" && domain == s.Domain && base == st.local
}

// finishIncoming records the outcome of a mail.
func (s *Service) finishIncoming(ctx context.Context, m Incoming, state, reason string) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m.State, m.Reason, m.SettledAt = state, &reason, clock.Ptr(tx.Now())
		return settleInbound(tx, &m)
	})
}

// deliver hands a mail to the inbox. Each step may be repeated after a crash: the inbox
// recognises the mail by its fingerprint.
func (s *Service) deliver(ctx context.Context, in *Incoming, m *message.Mail, from message.Address, a channel.Account, set Settings, st state) error {
	place, err := s.findConversation(ctx, in, m, from, set, st)
	if err != nil {
		return err
	}
	files, err := s.files(ctx, m)
	if err != nil {
		return err
	}
	fingerprint, err := m.Fingerprint()
	if err != nil {
		return err
	}
	mail := original(m, blob.Blob{ID: in.blobID, Size: in.Size})
	got, err := s.Inbound.Ingest(ctx, inbound.Inbound{
		Channel: Kind, Subject: m.Subject, Body: cmp.Or(m.Body, m.Subject), ProviderMessageID: fingerprint, ConversationID: place.ConversationID,
		From: contact.Sender{Channel: Kind, AccountID: a.ID, ExternalID: address.Fold(from.Email), Email: from.Email, Name: from.Name},
		AI:   a.AI, Automatic: m.Auto != "", AutoReply: m.AutoReply(), Attachments: files, GroupID: a.GroupID, Email: &mail,
	})
	if err != nil {
		return err
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := lockInbound(tx, in.ID)
		if err != nil || was.State != Received {
			return err
		}
		c, item := got.Conversation.ID, got.Item.ID
		done := *in
		done.State, done.Rule, done.ConversationID, done.ItemID, done.SettledAt = Done, &place.Rule, &c, &item, clock.Ptr(tx.Now())
		if got.Duplicate {
			why := ReasonDuplicate
			if _, err := findMailOfItem(&tx.Reader, item); err == nil {
				done.State, done.Reason = Ignored, &why
				return settleInbound(tx, &done)
			} else if !db.IsNoRow(err) {
				return err
			}
		}
		first, err := isFirstMail(&tx.Reader, c, got.Created || place.ConversationID == nil)
		if err != nil {
			return err
		}
		if err := s.updateCopies(tx, c, m, from, st, first); err != nil {
			return err
		}
		if err := s.record(tx, a.ID, c, item, m, from, first); err != nil {
			return err
		}
		if err := settleInbound(tx, &done); err != nil {
			return err
		}
		if got.Created && m.Auto == "" && set.AutoReply != "" && a.Works() {
			return s.autoReply(tx, a, set, st, got.Conversation, from.Email, m)
		}
		return nil
	})
}

// findConversation finds the conversation of a mail.
func (s *Service) findConversation(ctx context.Context, in *Incoming, m *message.Mail, from message.Address, set Settings, st state) (message.Place, error) {
	tenant := caller.From(ctx).TenantID
	var named *uuid.UUID
	if s.Domain != "" {
		for _, to := range append([]string{in.EnvelopeTo}, m.Recipients()...) {
			if id, ok := s.keys.Conversation(tenant, to, st.local, s.Domain); ok {
				named = &id
				break
			}
		}
	}
	who := *m
	who.From = from
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (message.Place, error) {
		latest := func(addr string) (uuid.UUID, bool, error) { return s.latestOpen(ctx, r, in.AccountID, addr) }
		return message.FindConversation(&who, named, set.ContinueOpen, threads{r, in.AccountID, latest})
	})
}

// latestOpen returns the newest conversation with an address that is not closed.
func (s *Service) latestOpen(ctx context.Context, r *db.Reader, account uuid.UUID, addr string) (uuid.UUID, bool, error) {
	list, err := recentWith(r, account, addr, 10)
	if err != nil {
		return uuid.Nil, false, err
	}
	for _, id := range list {
		c, err := s.Inbox.Get(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return uuid.Nil, false, err
		}
		if c.State != conversation.Closed && c.MergedIntoID == nil {
			return id, true, nil
		}
	}
	return uuid.Nil, false, nil
}

// files stores the attachments. Those beyond an item's maximum are only in the original,
// which keeps everything.
func (s *Service) files(ctx context.Context, m *message.Mail) ([]file.Prepared, error) {
	var out []file.Prepared
	for _, f := range m.Files[:min(len(m.Files), file.MaxPerItem)] {
		p, err := s.Files.Prepare(ctx, f.Name, f.Type, f.Reader())
		if err != nil {
			return nil, err
		}
		p.ContentID = f.ContentID
		out = append(out, p)
	}
	return out, nil
}

// original returns a mail as the timeline shows it.
func original(m *message.Mail, b blob.Blob) conversation.Email {
	e := conversation.Email{
		MessageID: m.MessageID, From: formatAddress(m.From), To: list(m.To), Cc: list(m.Cc), Subject: m.Subject, Text: m.Text, HTML: m.HTML,
		RawBlobID: &b.ID, RawSize: b.Size,
	}
	if len(m.ReplyTo) > 0 {
		e.ReplyTo = m.ReplyTo[0].Email
	}
	if !m.Date.IsZero() {
		e.Date = clock.Ptr(m.Date)
	}
	for _, h := range m.Headers {
		e.Headers = append(e.Headers, conversation.Header{Name: h.Name, Value: h.Value})
	}
	return e
}

func formatAddress(a message.Address) string {
	if a.Name == "" {
		return a.Email
	}
	return a.Name + " <" + a.Email + ">"
}

func list(as []message.Address) []string {
	return each.Map(as, formatAddress)
}

// record stores a mail for threading and for the headers of answers.
func (s *Service) record(tx *db.Tx, account, c, item uuid.UUID, m *message.Mail, from message.Address, first bool) error {
	thread := slices.Concat(m.References, m.InReplyTo)
	l := mailRecord{
		accountID: account, conversationID: c, itemID: &item, messageID: m.MessageID, thread: slices.Compact(thread[:min(len(thread), 50)]),
		subject: m.Subject, sender: from.Email,
	}
	for _, to := range slices.Concat(m.To, m.Cc) {
		if len(l.recipients) < 50 {
			l.recipients = append(l.recipients, to.Email)
		}
	}
	if err := putMailRecord(tx, &l); err != nil {
		return fmt.Errorf("email: put mail: %w", err)
	}
	if err := putParties(tx, c, append([]string{m.From.Email, from.Email}, l.recipients...), first); err != nil {
		return fmt.Errorf("email: put parties: %w", err)
	}
	return putToken(tx, account, s.keys.SubjectToken(tx.Tenant(), c), c)
}

// List returns the accepted mails in a state, newest first.
func (s *Service) List(ctx context.Context, state string, p db.Page) (db.List[Incoming], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Incoming], error) { return listInbound(r, state, p) })
}

// Raw opens the original bytes of a mail. The caller must close it.
func (s *Service) Raw(ctx context.Context, id uuid.UUID) (io.ReadCloser, error) {
	m, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Incoming, error) { return inboundByID(r, id) })
	if err != nil {
		return nil, db.NotFound(err)
	}
	return s.Blobs.Open(ctx, caller.From(ctx).TenantID, m.blobID)
}

// Retry reads a failed or junk mail again.
func (s *Service) Retry(ctx context.Context, id uuid.UUID) (m Incoming, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if m, err = lockInbound(tx, id); err != nil {
			return db.NotFound(err)
		}
		if m.State != FailedIn && m.State != Junk {
			return fault.New(fault.Conflict).Because("not_failed")
		}
		if m.Reason != nil && *m.Reason == ReasonTooLarge {
			return fault.New(fault.Conflict).Because(ReasonTooLarge)
		}
		m.State, m.Reason, m.SettledAt = Received, nil, nil
		if err := settleInbound(tx, &m); err != nil {
			return err
		}
		_, err := jobs.Enqueue(tx, ingestJob, tx.Now(), ingestPayload{m.ID})
		return err
	})
	return m, err
}

// DeleteMail deletes a mail that did not become a message, and frees its storage. It
// returns conflict for one that waits to be read or became a message.
func (s *Service) DeleteMail(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m, err := lockInbound(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if m.State == Received || m.ItemID != nil {
			return fault.New(fault.Conflict).Because(m.State)
		}
		if err := deleteInbound(tx, id); err != nil {
			return err
		}
		if err := blob.Drop(tx, m.blobID); err != nil {
			return err
		}
		if err := s.Mailboxes.ReturnMail(tx, m.EnvelopeTo, m.Size); err != nil {
			return err
		}
		return audit.Write(tx, "crm.email.mail_deleted", id.String(), map[string]string{"sender": m.EnvelopeFrom, "recipient": m.EnvelopeTo, "state": m.State})
	})
}
