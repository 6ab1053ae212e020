package email

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/reply"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// Forwarder forwards messages from the workspace's own mailboxes, or through Otherwise if
// it has none.
type Forwarder struct {
	Mailboxes *Service
	Otherwise reply.Forwarder
}

// Forward implements reply.Forwarder: it sends from the conversation's mailbox,
// or else from the workspace's oldest. Each recipient gets a separate mail.
//
// Such a mail is not part of the conversation's thread: a third party's answer
// to it begins a new conversation, and never appears among the customer's
// messages.
func (w Forwarder) Forward(tx *db.Tx, f reply.Forwarded) error {
	s := w.Mailboxes
	a, found, err := s.forwardingMailbox(&tx.Reader, f.MailboxID)
	if err != nil {
		return err
	}
	if !found {
		return w.Otherwise.Forward(tx, f)
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	_, domain, _ := strings.Cut(set.Address, "@")
	files, _ := f.Fitting()
	for _, to := range f.To {
		p := outgoingMail{
			AccountID: a.ID, ForwardedFrom: &f.ConversationID, ID: tx.NewID(), To: []string{to}, Subject: f.Title(), Text: f.Text(),
			Files: files, Date: clock.At(tx.Now()),
		}
		p.MessageID = s.keys.MessageID(tx.Tenant(), p.ID, domain)
		if _, err := jobs.EnqueueForAccount(tx, sendJob, p.AccountID, tx.Now(), p); err != nil {
			return fmt.Errorf("email: forward: %w", err)
		}
	}
	return nil
}

// Sender implements reply.Forwarder.
func (w Forwarder) Sender(r *db.Reader, f reply.Forwarded) (string, bool, error) {
	a, found, err := w.Mailboxes.forwardingMailbox(r, f.MailboxID)
	if err != nil || !found {
		return "", false, err
	}
	var set Settings
	err = a.Read(&set)
	return set.Address, true, err
}

// SenderAddress implements reply.Senders.
func (s *Service) SenderAddress(r *db.Reader, account uuid.UUID) (string, error) {
	_, set, err := s.account(r, account)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return set.Address, err
}

func (s *Service) forwardingMailbox(r *db.Reader, own *uuid.UUID) (a channel.Account, found bool, err error) {
	if own != nil {
		if a, err = s.Channels.Find(r, Kind, *own); err == nil && a.Works() {
			return a, true, nil
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return a, false, err
		}
	}
	return s.Channels.First(r, Kind)
}
