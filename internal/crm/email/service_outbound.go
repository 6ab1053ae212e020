package email

import (
	"bytes"
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
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
	"konak/internal/kit/trtext"
)

const sendJob = "email.send"

// sendAttempts is how often a mail is tried: about ten hours.
const sendAttempts = 18

// parcel is what a send job carries: all that the mail is made of, so that
// every attempt sends the same.
type parcel struct {
	AccountID uuid.UUID  `json:"account_id"`
	ItemID    *uuid.UUID `json:"item_id"` // nil for an automatic answer and for a forwarded message
	// ForwardedFrom is the conversation whose message is forwarded, else nil.
	ForwardedFrom *uuid.UUID      `json:"forwarded_from"`
	ID            uuid.UUID       `json:"id"`
	MessageID     string          `json:"message_id"`
	To            []string        `json:"to"`
	Cc            []string        `json:"cc"`
	ReplyTo       string          `json:"reply_to"`
	Subject       string          `json:"subject"`
	Text          string          `json:"text"`
	InReplyTo     string          `json:"in_reply_to"`
	References    []string        `json:"references"`
	Files         []file.Outgoing `json:"files"`
	Auto          bool            `json:"auto"`
	Date          clock.Time      `json:"date"`
}

// Route implements channel.Kind: the address that wrote to the mailbox, or
// else the contact's own.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	if i, ok := channel.IdentityOn(to, a.ID); ok {
		return &conversation.Route{Address: i.ExternalID}, nil
	}
	for _, e := range to.Emails {
		if e.Primary {
			return &conversation.Route{Address: e.Address}, nil
		}
	}
	return nil, nil
}

// Push implements channel.Kind: mail is queued.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// Take implements channel.Kind: it gives the answer its Message-ID and its
// place in the thread, and enqueues it.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	_, set, err := s.account(&tx.Reader, m.Route.AccountID)
	if err != nil {
		return err
	}
	st, err := mailboxState(&tx.Reader, m.Route.AccountID)
	if err != nil {
		return err
	}
	p := parcel{
		AccountID: m.Route.AccountID, ItemID: &m.ItemID, ID: m.ItemID, To: []string{m.Route.Address}, Text: m.Body,
		Files: m.Attachments, Date: clock.At(tx.Now()), Subject: m.Subject,
	}
	for _, cc := range m.EmailCC {
		if address.Fold(cc) != address.Fold(m.Route.Address) {
			p.Cc = append(p.Cc, cc)
		}
	}
	if err := s.follow(tx, &p, m.ConversationID, set); err != nil {
		return err
	}
	return s.enqueue(tx, &p, m.ConversationID, set, st)
}

// follow puts a mail into its thread: subject and references come from the
// newest mail.
func (s *Service) follow(tx *db.Tx, p *parcel, c uuid.UUID, set Settings) error {
	last, err := latestLetter(&tx.Reader, c)
	if err != nil && !db.IsNoRow(err) {
		return err
	}
	token := ""
	if set.SubjectToken {
		token = s.keys.SubjectToken(tx.Tenant(), c)
	}
	if err == nil {
		p.Subject, p.InReplyTo = last.subject, last.messageID
		p.References = append(slices.Clone(last.thread), last.messageID)
	}
	if err == nil || token != "" {
		p.Subject = message.ReplySubject(p.Subject, token)
	}
	return nil
}

// enqueue remembers a mail of ours and sends it with a job.
func (s *Service) enqueue(tx *db.Tx, p *parcel, c uuid.UUID, set Settings, st state) error {
	_, domain, _ := strings.Cut(set.Address, "@")
	p.MessageID = s.keys.MessageID(tx.Tenant(), p.ID, domain)
	if s.Domain != "" {
		p.ReplyTo = s.keys.ReplyAddress(tx.Tenant(), c, st.local, s.Domain)
	}
	everybody := slices.Concat(p.To, p.Cc)
	l := letter{
		accountID: p.AccountID, conversationID: c, itemID: p.ItemID, ours: true, messageID: p.MessageID, thread: p.References,
		subject: p.Subject, sender: set.Address, recipients: everybody,
	}
	if err := putLetter(tx, &l); err != nil {
		return fmt.Errorf("email: put letter: %w", err)
	}
	if err := putParties(tx, c, everybody); err != nil {
		return fmt.Errorf("email: put parties: %w", err)
	}
	if err := putToken(tx, p.AccountID, s.keys.SubjectToken(tx.Tenant(), c), c); err != nil {
		return err
	}
	_, err := jobs.EnqueueForAccount(tx, sendJob, p.AccountID, tx.Now(), p)
	return err
}

// autoReply answers the first mail of a conversation, an address once a day.
func (s *Service) autoReply(tx *db.Tx, a channel.Account, set Settings, st state, c conversation.Conversation, to string, m *message.Mail) error {
	if ok, err := mayAutoReply(tx, a.ID, to); err != nil || !ok {
		return err
	}
	p := parcel{
		AccountID: a.ID, ID: tx.NewID(), To: []string{to}, Text: set.AutoReply, Auto: true, Date: clock.At(tx.Now()),
		Subject: message.ReplySubject(m.Subject, ""), InReplyTo: m.MessageID, References: append(slices.Clone(m.References), m.MessageID),
	}
	return s.enqueue(tx, &p, c.ID, set, st)
}

// send is the handler of sendJob.
func (s *Service) send(ctx context.Context, j *jobs.Job) error {
	var p parcel
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if j.Test {
		return nil // what a test key sets off reaches nobody
	}
	raw, err := s.carry(ctx, &p)
	if _, reached := errors.AsType[*mailer.QuotaReached](err); reached {
		if err = mailer.HoldForQuota(err, j); !errors.Is(err, jobs.ErrDrop) {
			return errors.Join(err, s.showHeld(ctx, &p))
		}
	}
	if err != nil && !errors.Is(err, jobs.ErrDrop) && j.Attempts < sendAttempts {
		return err
	}
	if p.ForwardedFrom != nil && err != nil {
		if err := s.Inbound.NotForwarded(ctx, *p.ForwardedFrom, p.To, plainReason(err)); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		return nil
	}
	if p.ItemID == nil {
		return err
	}
	d := conversation.Delivery{Status: conversation.Sent}
	if err != nil {
		d = conversation.Delivery{Status: conversation.Failed, Error: plainReason(err)}
	}
	if err == nil {
		if err := s.keep(ctx, &p, raw); err != nil {
			return err
		}
	}
	if err := s.Inbound.Delivered(ctx, *p.ItemID, d); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return nil
}

// keep shows on the message as which mail it went out.
func (s *Service) keep(ctx context.Context, p *parcel, raw []byte) error {
	b, err := s.Blobs.Put(ctx, caller.From(ctx).TenantID, bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return fmt.Errorf("email: keep: %w", err)
	}
	m, err := message.Parse(raw, "")
	if err != nil {
		return err
	}
	e := original(m, b)
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return s.Inbox.KeepEmail(tx, *p.ItemID, e) })
}

// plainReason leaves out what is for the log.
func plainReason(err error) string {
	text := strings.ReplaceAll(err.Error(), jobs.ErrDrop.Error(), "")
	text = strings.Join(strings.Fields(text), " ")
	return trtext.Cut(text, 500)
}

// carry renders a mail and hands it over.
func (s *Service) carry(ctx context.Context, p *parcel) ([]byte, error) {
	var a channel.Account
	var set Settings
	var creds credentials
	var from sender
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if a, set, err = s.account(r, p.AccountID); err != nil {
			return err
		}
		if from, err = s.findSender(r, p.AccountID, set, p.ReplyTo); err != nil {
			return err
		}
		creds, err = s.credentials(r, p.AccountID)
		return err
	})
	if fault.Is(err, fault.NotFound) || err == nil && !a.Works() {
		return nil, fmt.Errorf("%w %s", jobs.ErrDrop, ReasonUnavailable)
	}
	if err != nil {
		return nil, err
	}
	if a.Reason != nil && *a.Reason == mailer.ReasonQuota {
		if err := s.clearHeld(ctx, a.ID); err != nil {
			return nil, err
		}
	}
	d := message.Draft{
		MessageID: p.MessageID, From: from.from, To: p.To, Cc: p.Cc, ReplyTo: from.replyTo,
		Subject: p.Subject, Text: p.Text, InReplyTo: p.InReplyTo, References: p.References, Auto: p.Auto, Date: p.Date.Time,
	}
	if d.Files, err = s.load(ctx, p.Files); err != nil {
		return nil, err
	}
	raw, err := d.Render()
	if err != nil {
		return nil, errors.Join(jobs.ErrDrop, err)
	}
	envelope := from.from.Email
	if p.Auto {
		envelope = "" // nobody answers an automatic answer, not even with a bounce
	}
	to := slices.Concat(p.To, p.Cc)
	if set.SMTP != nil {
		return raw, jobs.HoldOnTimeout(s.submit(ctx, set.SMTP, creds.SMTP, envelope, to, raw))
	}
	return raw, jobs.HoldOnTimeout(s.Relay.Relay(ctx, caller.From(ctx).TenantID, mailer.Relayed{
		ID: p.ID, From: envelope, To: to, Subject: p.Subject, Text: p.Text, Raw: raw,
	}))
}

// findSender returns whom a mailbox's mail is from now.
func (s *Service) findSender(r *db.Reader, account uuid.UUID, set Settings, replyTo string) (sender, error) {
	st, err := mailboxState(r, account)
	if err != nil {
		return sender{}, err
	}
	v, err := s.findVerification(r, set, st)
	return s.senderOf(set, st, v, replyTo), err
}

// showHeld shows that a mail waits for the workspace's quota: on its message
// and on the mailbox.
func (s *Service) showHeld(ctx context.Context, p *parcel) error {
	err := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return s.setAttention(tx, p.AccountID, mailer.ReasonQuota) })
	if err == nil && p.ItemID != nil {
		err = s.Inbound.Delivered(ctx, *p.ItemID, conversation.Delivery{Status: conversation.Queued, Error: mailer.ReasonQuota})
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// clearHeld shows on a mailbox that the workspace may send again, where it may.
func (s *Service) clearHeld(ctx context.Context, account uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		u, err := s.Relay.Usage(&tx.Reader)
		if err != nil || u.Used >= u.Limit {
			return err
		}
		return s.Channels.ClearAttention(tx, account, mailer.ReasonQuota)
	})
}

func (s *Service) load(ctx context.Context, list []file.Outgoing) ([]message.File, error) {
	var out []message.File
	for _, f := range list {
		r, err := s.Files.ReadFile(ctx, f)
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		out = append(out, message.File{Name: f.Name, Type: f.Type, Content: content})
	}
	return out, nil
}
