package reply

import (
	"context"
	"strings"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/later"
	"konak/internal/kit/db"
	"konak/internal/kit/policy"
)

// checkText asks the policy about the text of a message and puts the permitted text on the
// item. It returns what the policy found, to be recorded with the message, or its refusal:
// dlp_blocked or dlp_warning.
func (s *Service) checkText(tx *db.Tx, c *conversation.Conversation, item *conversation.Item, route *conversation.Route, override string) (policy.Incident, error) {
	v, err := s.applyPolicy(tx, c, c.Subject, item, route, override)
	return v.Incident, err
}

// checkScheduled asks the policy about a scheduled message, as if it were sent now, so that
// its author learns of a refusal at once: dlp_blocked or dlp_warning. Words that have to be
// masked are masked and recorded now; everything else that the policy finds is recorded
// when the message is sent, because it is judged again then.
func (s *Service) checkScheduled(tx *db.Tx, c *conversation.Conversation, item *conversation.Item, m *later.Scheduled, route *conversation.Route) error {
	v, err := s.applyPolicy(tx, c, c.Subject, item, route, m.Override)
	if err != nil || item.Detail[conversation.DetailRedacted] == nil {
		return err
	}
	// The signature is part of the masked text.
	m.Body, m.Format, m.Signature = v.Body, conversation.FormatPlain, false
	return s.Policy.RecordText(tx, v.Incident, m.ID.String())
}

// applyPolicy asks the policy about a message on a route and puts the permitted text on the item.
// The text of a template stays as it is. A formatted text is judged as it is read, with the
// addresses of its links; if something in it is masked, it loses its format.
func (s *Service) applyPolicy(tx *db.Tx, c *conversation.Conversation, subject string, item *conversation.Item, route *conversation.Route, override string) (v policy.TextVerdict, err error) {
	body := item.PlainBody()
	v.Subject, v.Body = subject, body
	if route == nil {
		return v, nil
	}
	t := policy.Text{Recipients: []string{route.Address}, Subject: subject, Body: body, Override: strings.TrimSpace(override)}
	if route.Channel != conversation.Mail {
		return s.judgeMessage(tx, t, item)
	}
	if c != nil {
		copies, err := conversation.CopiesOf(&tx.Reader, c.ID)
		if err != nil {
			return v, err
		}
		t.Recipients = append(t.Recipients, copies.Addresses...)
	}
	if t.Sender, err = s.Senders.SenderAddress(&tx.Reader, route.AccountID); err != nil {
		return v, err
	}
	return s.coverText(tx, t, item)
}

// judgeMessage asks the policy about a message that goes over another channel than e-mail.
// The text of a message that is sent again is fixed.
func (s *Service) judgeMessage(tx *db.Tx, t policy.Text, item *conversation.Item) (policy.TextVerdict, error) {
	subject := t.Subject
	t.Subject, t.Messaging, t.Final = "", true, true // only e-mail has a subject that the customer sees
	t.Fixed, t.Unscanned = item.Template.V != nil || item.Delivery != nil, len(item.Attachments) > 0
	v, err := s.coverText(tx, t, item)
	v.Subject = subject
	return v, err
}

// coverText asks the policy about a text and puts the permitted text on the item.
func (s *Service) coverText(tx *db.Tx, t policy.Text, item *conversation.Item) (policy.TextVerdict, error) {
	v, err := s.Policy.CheckText(tx, t)
	if err != nil {
		return v, err
	}
	if v.Body != t.Body || v.Subject != t.Subject {
		item.Body = v.Body
		item.Detail = map[string]any{conversation.DetailRedacted: true}
	}
	return v, nil
}

// RecordRefusal records a refusal of the policy whose transaction was rolled back. It
// returns err, or the error of recording it.
func (s *Service) RecordRefusal(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if failed := s.Policy.RecordRefusal(ctx, err); failed != nil {
		return failed
	}
	return err
}

// forwardedBreak separates the note from the message while both are judged.
const forwardedBreak = "\n\n\x1e\n\n"

// checkForwarded asks the policy about a message that is forwarded.
func (s *Service) checkForwarded(tx *db.Tx, f *Forwarded) error {
	sender, mailbox, err := s.Forwarder.Sender(&tx.Reader, *f)
	if err != nil {
		return err
	}
	v, err := s.Policy.CheckText(tx, policy.Text{
		Sender: sender, Recipients: f.To, Subject: f.Subject, Body: f.Note + forwardedBreak + f.Body, Override: strings.TrimSpace(f.Override),
		Final: !mailbox, Unscanned: !mailbox && len(f.Files) > 0,
	})
	if err != nil {
		return err
	}
	f.Subject = v.Subject
	var whole bool
	if f.Note, f.Body, whole = strings.Cut(v.Body, forwardedBreak); !whole {
		f.Note, f.Body = "", v.Body
	}
	if v.Incident == nil {
		return nil
	}
	return s.Policy.RecordText(tx, v.Incident, tx.NewID().String())
}
