package whatsapp

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// Prefixes of the names of accounts in a call.
const (
	numberPrefix   = "number/"
	businessPrefix = "business/"
)

// namesOf returns the names of the accounts that an event is for: the number, and the
// numbers of the business account. A call for an unconnected number of one of our business
// accounts is accepted but ignored.
func namesOf(c Call) (out []string) {
	if c.NumberID != "" {
		out = append(out, numberPrefix+c.NumberID)
	}
	if c.BusinessID != "" {
		out = append(out, businessPrefix+c.BusinessID)
	}
	return out
}

func (s *Service) owners(ctx context.Context, name string) ([]channel.Owned, error) {
	if business, is := strings.CutPrefix(name, businessPrefix); is {
		return s.ofBusiness(ctx, business)
	}
	return s.Channels.ByExternal(ctx, Name, strings.TrimPrefix(name, numberPrefix))
}

// businessMax limits how many numbers of a business account are read.
const businessMax = 50

// ofBusiness finds the numbers of a business account. If others are in a suspended
// workspace, it also returns workspace_suspended.
func (s *Service) ofBusiness(ctx context.Context, business string) (out []channel.Owned, err error) {
	list, err := db.Read(ctx, s.DB.System("channel look-up"), func(r *db.Reader) ([]owner, error) {
		return ofBusiness(r, business, businessMax)
	})
	if err != nil {
		return nil, err
	}
	var suspended error
	for _, o := range list {
		number := channel.Owned{TenantID: o.tenant}
		number.Account, err = s.Channels.Get(number.Context(ctx, ""), Name, o.account)
		switch {
		case fault.Is(err, fault.WorkspaceSuspended):
			suspended = err
		case err != nil:
			return out, err
		default:
			out = append(out, number)
		}
	}
	return out, suspended
}

// signedFor reports whether a call is signed for a number.
func (s *Service) signedFor(ctx context.Context, a channel.Account, body []byte, signature string) (bool, error) {
	o, err := s.accounts.Open(ctx, a.ID)
	return err == nil && s.Provider.Signed(secret.Of(o.Creds.AppSecret), body, signature), err
}

// receiveCall handles one event for a number.
func (s *Service) receiveCall(ctx context.Context, a channel.Account, c Call) error {
	switch {
	case c.Message != nil:
		return s.message(ctx, a, *c.Message)
	case c.Status != nil:
		return s.status(ctx, a, *c.Status)
	case c.Template != nil:
		return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return s.Templates.ApplyReport(tx, a.ID, *c.Template) })
	case c.Number != nil:
		return s.number(ctx, a, *c.Number)
	case c.History != nil:
		return s.history(ctx, a, *c.History)
	case c.Contacts != nil:
		return s.phonebook(ctx, a, c.Contacts)
	}
	return nil
}

func (s *Service) message(ctx context.Context, a channel.Account, m Received) error {
	if m.ReactTo != "" && m.OfOwner {
		return nil // a reaction of the owner belongs to no agent
	}
	if m.ReactTo != "" {
		return s.Inbound.CustomerReacted(ctx, a.ID, m.ReactTo, m.Emoji)
	}
	if m.Unsupported {
		m.Text = unsupported
	}
	// A message by the owner proves nothing about incoming messages. The code is meant for
	// Konak and not a customer's message, so it starts no conversation.
	if m.MediaID == "" && !m.OfOwner {
		if passed, err := s.Channels.PassTrial(ctx, a.ID, m.Text); err != nil || passed {
			return err
		}
	}
	return s.ingest(ctx, a, m)
}

// unsupported replaces content that the provider does not hand over, such as a poll.
const unsupported = "Bu ileti türü burada gösterilemiyor; WhatsApp uygulamasında görülebilir. / This kind of message cannot be shown here; it is visible in the WhatsApp app."

// ingest brings in a message of a customer, or one that the number's owner wrote to them in
// the app on the phone. A message with a file is written at once, with the file pending; a
// job fetches it.
func (s *Service) ingest(ctx context.Context, a channel.Account, m Received) error {
	now := s.DB.Clock().Now()
	m.At = transport.PlausibleTime(m.At, now)
	in := inbound.Inbound{
		Channel: Name, Body: strings.TrimSpace(m.Text), ProviderMessageID: m.ID, AI: a.AI, GroupID: a.GroupID, AutoReply: m.System,
		From: m.sender(a.ID), Detail: m.Detail, SentAt: clock.Ptr(m.At), FromUs: m.OfOwner,
	}
	// A delayed message leaves less of the window.
	in.Window = window - max(now.Sub(m.At), 0)
	if m.System || m.OfOwner {
		in.Window = 0 // the customer wrote nothing
	}
	if id, quotes := m.Detail["quoted"].(string); quotes {
		if err := s.transport.Quote(ctx, a.ID, id, m.Detail); err != nil {
			return err
		}
	}
	if m.MediaID != "" {
		s.transport.AddFiles(&in, a.ID, []transport.RemoteFile{{ID: m.MediaID, Kind: m.Kind, Name: m.Filename, Type: m.MediaType}})
	}
	if in.Body == "" && m.MediaID == "" {
		in.Body = unsupported
	}
	_, err := s.Inbound.Ingest(ctx, in)
	return err
}

// sender converts the customer for the contacts module. A customer who hides their number
// is identified by their id at the business; with both, either finds them.
func (m *Received) sender(account uuid.UUID) contact.Sender {
	from := contact.Sender{
		Channel: Name, AccountID: account, ExternalID: m.From, OtherID: m.UserID, Name: m.Name, Username: cmp.Or(m.Username, m.Name),
	}
	if m.From != "" {
		from.Phone = "+" + m.From
	} else {
		from.ExternalID, from.OtherID = m.UserID, ""
	}
	if m.NewNumber != "" {
		from.OtherID = m.NewNumber
	}
	return from
}

// Download implements transport.Carrier.
func (c carrier) Download(ctx context.Context, account uuid.UUID, f transport.RemoteFile) (string, io.ReadCloser, error) {
	o, err := c.accounts.Open(ctx, account)
	if fault.Is(err, fault.NotFound) || err == nil && o.Creds.Token == "" {
		err = transport.ErrUnavailable
	}
	if err != nil {
		return "", nil, err
	}
	kind, content, err := c.Provider.Download(ctx, o.Set.access(o.Creds), f.ID)
	c.accounts.RecordAnswer(ctx, account, err)
	return kind, content, err
}

// status handles a report on one of our messages, found by the provider's id or by the mark
// that it was sent with.
func (s *Service) status(ctx context.Context, a channel.Account, st Status) error {
	var item uuid.UUID
	var found bool
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if item, found, err = s.Inbound.FindByProviderID(r, a.ID, st.MessageID); err != nil || found {
			return err
		}
		if item, err = uuid.Parse(st.Mark); err != nil {
			return nil //nolint:nilerr // another program's mark on the same number
		}
		found, err = s.Inbound.SentOver(r, a.ID, item)
		return err
	})
	if err != nil || !found {
		return err
	}
	d := conversation.Delivery{Status: conversation.Sent, ProviderMessageID: st.MessageID}
	st.At = transport.PlausibleTime(st.At, s.DB.Clock().Now())
	switch st.Status {
	case StatusSent:
	case StatusDelivered:
		d.DeliveredAt = clock.Ptr(st.At)
	case StatusRead:
		d.ReadAt = clock.Ptr(st.At)
	case StatusFailed:
		d = conversation.Delivery{Status: conversation.Failed, Error: st.Error}
	default:
		return nil
	}
	return channel.IgnoreDeleted(s.Inbound.RecordReport(ctx, item, d))
}

// number handles a report about the number itself.
func (s *Service) number(ctx context.Context, a channel.Account, n NumberNews) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		var set Settings
		if err := a.Read(&set); err != nil || Digits(set.Display) != Digits(n.Display) {
			return err
		}
		switch n.Event {
		case "FLAGGED":
			return s.Channels.RequireAttention(tx, a.ID, channel.NumberFlagged)
		case "UNFLAGGED":
			if a.Reason != nil && *a.Reason == channel.NumberFlagged {
				_, err := s.Channels.Set(tx, a.ID, channel.Active, nil)
				return err
			}
		}
		return nil
	})
}

// Digits returns the digits of a number without the characters between them.
func Digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}
