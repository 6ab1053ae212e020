package email

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/markdown"
)

// outgoingMail is the payload of a send job: everything the mail is built from, so that
// every attempt sends the same mail.
type outgoingMail struct {
	AccountID uuid.UUID  `json:"account_id"`
	ItemID    *uuid.UUID `json:"item_id"` // nil for an automatic answer and for a forwarded message
	// ForwardedFrom is the conversation whose message is forwarded, or nil.
	ForwardedFrom *uuid.UUID      `json:"forwarded_from"`
	ID            uuid.UUID       `json:"id"`
	MessageID     string          `json:"message_id"`
	To            []string        `json:"to"`
	Cc            []string        `json:"cc"`
	ReplyTo       string          `json:"reply_to"`
	Subject       string          `json:"subject"`
	Text          string          `json:"text"`
	Markdown      bool            `json:"markdown"` // how Text is written
	InReplyTo     string          `json:"in_reply_to"`
	References    []string        `json:"references"`
	Files         []file.Outgoing `json:"files"`
	Auto          bool            `json:"auto"`
	Date          clock.Time      `json:"date"`
}

// plainText returns the text of the mail without formatting.
func (p *outgoingMail) plainText() string {
	if p.Markdown {
		return markdown.Text(p.Text)
	}
	return p.Text
}

// Route implements channel.Kind: it returns the address that wrote to the mailbox, or else
// the contact's primary address.
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

// Capabilities implements channel.Kind: a mail carries files of any type, at any time.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{Files: channel.AnyFile(file.MaxSize), Formatting: true}
}

// Push implements channel.Kind: mail is always queued.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// Take implements channel.Kind: it gives the answer its Message-ID and its place in the
// thread, and enqueues it.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	_, set, err := s.account(&tx.Reader, m.Route.AccountID)
	if err != nil {
		return err
	}
	st, err := mailboxState(&tx.Reader, m.Route.AccountID)
	if err != nil {
		return err
	}
	p := outgoingMail{
		AccountID: m.Route.AccountID, ItemID: &m.ItemID, ID: m.ItemID, To: []string{m.Route.Address}, Text: m.Body, Markdown: m.Markdown,
		Files: m.Attachments, Date: clock.At(tx.Now()), Subject: m.Subject,
	}
	for _, cc := range m.EmailCC {
		if address.Fold(cc) != address.Fold(m.Route.Address) {
			p.Cc = append(p.Cc, cc)
		}
	}
	if err := s.continueThread(tx, &p, m.ConversationID, set); err != nil {
		return err
	}
	return s.enqueue(tx, &p, m.ConversationID, set, st)
}

// continueThread sets a mail's subject and references from the newest mail of its
// conversation.
func (s *Service) continueThread(tx *db.Tx, p *outgoingMail, c uuid.UUID, set Settings) error {
	last, err := findLatestMail(&tx.Reader, c)
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

// enqueue records a mail of ours and enqueues the job that sends it.
func (s *Service) enqueue(tx *db.Tx, p *outgoingMail, c uuid.UUID, set Settings, st state) error {
	_, domain, _ := strings.Cut(set.Address, "@")
	p.MessageID = s.keys.MessageID(tx.Tenant(), p.ID, domain)
	if s.Domain != "" {
		p.ReplyTo = s.keys.ReplyAddress(tx.Tenant(), c, st.local, s.Domain)
	}
	everybody := slices.Concat(p.To, p.Cc)
	l := mailRecord{
		accountID: p.AccountID, conversationID: c, itemID: p.ItemID, ours: true, messageID: p.MessageID, thread: p.References,
		subject: p.Subject, sender: set.Address, recipients: everybody,
	}
	if err := putMailRecord(tx, &l); err != nil {
		return fmt.Errorf("email: put mail: %w", err)
	}
	if err := putParties(tx, c, everybody, true); err != nil {
		return fmt.Errorf("email: put parties: %w", err)
	}
	if err := putToken(tx, p.AccountID, s.keys.SubjectToken(tx.Tenant(), c), c); err != nil {
		return err
	}
	_, err := jobs.EnqueueForAccount(tx, sendJob, p.AccountID, tx.Now(), p)
	return err
}

// autoReplyPart is the fraction (1/4) of the workspace's daily mail quota that automatic
// answers may use, so that strangers cannot use up what people need for their own mail.
const autoReplyPart = 4

// autoReply answers the first mail of a conversation if mayAutoReply allows it.
func (s *Service) autoReply(tx *db.Tx, a channel.Account, set Settings, st state, c conversation.Conversation, to string, m *message.Mail) error {
	quota, err := s.Relay.Usage(&tx.Reader)
	if err != nil {
		return err
	}
	if ok, err := mayAutoReply(tx, a.ID, to, quota.Limit/autoReplyPart); err != nil || !ok {
		return err
	}
	p := outgoingMail{
		AccountID: a.ID, ID: tx.NewID(), To: []string{to}, Text: set.AutoReply, Auto: true, Date: clock.At(tx.Now()),
		Subject: message.ReplySubject(m.Subject, ""), InReplyTo: m.MessageID, References: append(slices.Clone(m.References), m.MessageID),
	}
	return s.enqueue(tx, &p, c.ID, set, st)
}
