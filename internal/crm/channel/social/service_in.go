package social

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// owners finds the accounts that a name, made of kind and provider's id, refers to.
func (s *Service) owners(ctx context.Context, name string) ([]channel.Owned, error) {
	kind, account, _ := strings.Cut(name, "/")
	return s.Channels.ByExternal(ctx, kind, account)
}

// signedFor reports whether a call is signed for an account.
func (s *Service) signedFor(ctx context.Context, a channel.Account, body []byte, signature string) (bool, error) {
	o, err := s.accounts.Open(ctx, a.ID)
	return err == nil && s.Provider.Signed(secret.Of(o.Creds.AppSecret), body, signature), err
}

// takeEvent handles one event of an account.
func (s *Service) takeEvent(ctx context.Context, a channel.Account, e Event) error {
	e.At = transport.PlausibleTime(e.At, s.DB.Clock().Now())
	switch {
	case e.Message != nil:
		return s.takeMessage(ctx, a, *e.Message, e.At)
	case e.Edited != nil:
		known, err := s.Edits.EditOnChannel(ctx, a.ID, e.Edited.ID, e.Edited.Text)
		if err != nil || known {
			return err
		}
		if e.Edited.Customer == "" || e.Edited.OfPage {
			return s.Edits.Keep(ctx, a.ID, e.Edited.ID, edit.Early{Kind: edit.EarlyText, Value: e.Edited.Text})
		}
		// The edit came before the message: it contains the whole message.
		return s.ingest(ctx, a, *e.Edited, e.At)
	case e.Reaction != nil:
		return s.Inbound.CustomerReacted(ctx, a.ID, e.Reaction.MessageID, e.Reaction.Emoji)
	case e.Read != nil && e.Read.MessageID == "":
		return s.Inbound.ReadUntil(ctx, a.ID, e.Read.Customer, clock.At(e.Read.Until), clock.At(e.At))
	case e.Read != nil:
		return s.transport.Report(ctx, a.ID, e.Read.MessageID, conversation.Delivery{Status: conversation.Sent, ReadAt: clock.Ptr(e.At)})
	}
	for _, id := range e.Arrived {
		if err := s.transport.Report(ctx, a.ID, id, conversation.Delivery{Status: conversation.Sent, DeliveredAt: clock.Ptr(e.At)}); err != nil {
			return err
		}
	}
	return nil
}

// unsupported replaces content that the provider does not hand over, such as a poll.
const unsupported = "Bu ileti türü burada gösterilemiyor; Messenger ya da Instagram uygulamasında görülebilir. / This kind of message cannot be shown here; it is visible in the Messenger or Instagram app."

func (s *Service) takeMessage(ctx context.Context, a channel.Account, m Received, at time.Time) error {
	if m.Deleted {
		return s.Edits.DeleteOnChannel(ctx, a.ID, m.ID)
	}
	if m.OfPage {
		if ours, err := s.takeCopy(ctx, a, m, at); err != nil || ours {
			return err
		}
	}
	if conversation, rating, is := channel.ReadRating(m.Choice); is && !m.OfPage {
		_, err := s.Inbound.RespondAs(ctx, a.ID, m.Customer, conversation, rating)
		return err
	}
	return s.ingest(ctx, a, m, at)
}

// takeCopy handles the page's own copy of a message, and reports whether we sent it or it
// is held. A copy with our mark proves that the provider has the message, even if its
// answer to us was lost.
func (s *Service) takeCopy(ctx context.Context, a channel.Account, m Received, at time.Time) (ours bool, err error) {
	var set Settings
	if err := a.Read(&set); err != nil {
		return false, err
	}
	item, err := uuid.Parse(m.Mark)
	if err != nil && m.AppID == "" {
		if ours, err := s.sentPart(ctx, a.ID, m.ID); err != nil || ours {
			return ours, err
		}
		return s.holdCopy(ctx, a, m, at)
	}
	if err != nil {
		return m.AppID == set.AppID, nil
	}
	ours, err = db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (bool, error) { return s.Inbound.SentOver(r, a.ID, item) })
	if err != nil || !ours {
		return m.AppID != "" && m.AppID == set.AppID, err
	}
	return true, channel.IgnoreDeleted(s.Inbound.RecordReport(ctx, item, conversation.Delivery{Status: conversation.Sent, ProviderMessageID: m.ID}))
}

// holdCopy holds a copy that names no app while one of our messages to the same customer is
// being sent: it may be a copy of that one, which is unknown until the provider has
// answered. It reports whether it held the copy.
func (s *Service) holdCopy(ctx context.Context, a channel.Account, m Received, at time.Time) (held bool, err error) {
	if held, err = s.Inbound.AwaitsDelivery(ctx, a.ID, m.Customer); err != nil || !held {
		return held, err
	}
	return true, s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, err := jobs.EnqueueForAccount(tx, copyJob, a.ID, tx.Now().Add(copyPause), heldCopy{a.ID, m, at})
		return err
	})
}

// ingest brings in a message of a customer, or one that somebody wrote to them in the
// page's name. A message with files is written at once, with the files pending; jobs fetch
// them.
func (s *Service) ingest(ctx context.Context, a channel.Account, m Received, at time.Time) error {
	if m.Unsupported {
		m.Text = unsupported
	}
	in := inbound.Inbound{
		Channel: a.Kind, Body: strings.TrimSpace(m.Text), ProviderMessageID: m.ID, AI: a.AI, GroupID: a.GroupID,
		From: contact.Sender{Channel: a.Kind, AccountID: a.ID, ExternalID: m.Customer}, Detail: m.Detail, SentAt: clock.Ptr(at), FromUs: m.OfPage,
	}
	if !m.OfPage {
		// A delayed message leaves less of the window.
		in.Window = window - max(s.DB.Clock().Now().Sub(at), 0)
	}
	if m.Choice != "" {
		in.Detail["button"] = m.Choice
	}
	if m.ReplyTo != "" {
		if err := s.transport.Quote(ctx, a.ID, m.ReplyTo, in.Detail); err != nil {
			return err
		}
	}
	if in.Body == "" && len(m.Files) == 0 {
		in.Body = unsupported
	}
	in.Then = func(tx *db.Tx, out *inbound.Ingested) error {
		if out.Duplicate || out.Conversation.ContactName != m.Customer {
			return nil
		}
		_, err := jobs.EnqueueForAccount(tx, profileJob, a.ID, tx.Now(), namelessContact{a.ID, out.Conversation.ContactID, m.Customer})
		return err
	}
	s.transport.AddFiles(&in, a.ID, m.Files)
	_, err := s.Inbound.Ingest(ctx, in)
	return err
}

// Download implements transport.Carrier. A file needs nothing but its address.
func (c carrier) Download(ctx context.Context, _ uuid.UUID, f RemoteFile) (string, io.ReadCloser, error) {
	return c.Provider.Download(ctx, f.ID)
}
