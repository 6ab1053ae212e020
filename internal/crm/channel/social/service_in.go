package social

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"mime"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

const mediaJob = "social.media"

// mediaAttempts is how often, and mediaFor for how long a file is asked for before it
// is shown as lost.
const (
	mediaAttempts = 8
	mediaFor      = 24 * time.Hour
	// fetchFor is how long fetching one file may take.
	fetchFor = 5 * time.Minute

	// eventsMax is how many things one call may tell: more than the provider packs
	// together, and few enough that a stranger's call costs little.
	eventsMax = 1000
	// namesMax is how many accounts one call may name: it is signed by one app.
	namesMax = 50
)

// Challenge answers the provider's question whether an address is ours.
func (s *Service) Challenge(mode, token, challenge string) (string, error) {
	if mode != "subscribe" || subtle.ConstantTimeCompare([]byte(token), []byte(s.verify)) != 1 {
		return "", fault.New(fault.NotFound)
	}
	return challenge, nil
}

// Receive takes a call of the provider. One that is not signed for an account of ours
// looks like a call for one that nobody has.
func (s *Service) Receive(ctx context.Context, ip string, body []byte, signature string) error {
	events, err := s.Provider.Read(body)
	if err != nil {
		return fault.New(fault.BadRequest).Wrap(err)
	}
	if len(events) > eventsMax {
		return fault.New(fault.NotFound)
	}
	signed := map[[2]string][]channel.Owned{} // by kind and the provider's name
	known := 0
	for _, e := range events {
		key := [2]string{e.Kind, e.Account}
		if _, looked := signed[key]; looked {
			continue
		}
		if len(signed) >= namesMax {
			return fault.New(fault.NotFound)
		}
		if signed[key], err = s.owners(ctx, ip, e, body, signature); err != nil {
			return err
		}
		known += len(signed[key])
	}
	if known == 0 {
		return fault.New(fault.NotFound)
	}
	var later error
	for _, e := range events {
		for _, o := range signed[[2]string{e.Kind, e.Account}] {
			if (e.Message != nil || e.Edited != nil) && !o.Account.Works() {
				// Paused by a person: nothing comes in. The provider holds it and calls
				// again, for a while.
				later = fault.New(fault.ChannelUnavailable).Because(o.Account.Status)
				continue
			}
			err := s.takeEvent(o.Context(ctx, ip), o.Account, e)
			if f, refused := fault.As(err); refused && f.Code.Status() < 500 {
				// It will be refused each time, so the provider need not bring it again;
				// the others of the call are not held up by it.
				s.Log.WarnContext(ctx, "an event of the provider cannot be taken", "account", o.Account.ID, "error", err)
			} else if err != nil {
				later = err
			}
		}
	}
	return later
}

// owners finds the accounts that an event names and that the call is signed for.
func (s *Service) owners(ctx context.Context, ip string, e Event, body []byte, signature string) (out []channel.Owned, err error) {
	list, err := s.Channels.ByExternal(ctx, e.Kind, e.Account)
	if err != nil {
		return nil, err
	}
	for _, o := range list {
		_, _, c, err := s.open(o.Context(ctx, ip), o.Account.ID)
		if channel.IgnoreDeleted(err) != nil {
			return nil, err
		}
		if err == nil && s.Provider.Signed(secret.Of(c.AppSecret), body, signature) {
			out = append(out, o)
		}
	}
	return out, nil
}

// takeEvent takes one thing that the provider tells an account.
func (s *Service) takeEvent(ctx context.Context, a channel.Account, e Event) error {
	switch {
	case e.Message != nil:
		return s.takeMessage(ctx, a, *e.Message, e.At)
	case e.Edited != nil:
		known, err := s.Edits.EditOnChannel(ctx, a.ID, e.Edited.ID, e.Edited.Text)
		if err != nil || known || e.Edited.Customer == "" {
			return err
		}
		// The change came before the message: it brings all of it.
		return s.ingest(ctx, a, *e.Edited, e.At)
	case e.Reaction != nil:
		return s.Inbound.CustomerReacted(ctx, a.ID, e.Reaction.MessageID, e.Reaction.Emoji)
	case e.Read != nil && e.Read.MessageID == "":
		return s.Inbound.ReadUntil(ctx, a.ID, e.Read.Customer, clock.At(e.Read.Until), clock.At(e.At))
	case e.Read != nil:
		return s.report(ctx, a.ID, e.Read.MessageID, conversation.Delivery{Status: conversation.Sent, ReadAt: clock.Ptr(e.At)})
	}
	for _, id := range e.Arrived {
		if err := s.report(ctx, a.ID, id, conversation.Delivery{Status: conversation.Sent, DeliveredAt: clock.Ptr(e.At)}); err != nil {
			return err
		}
	}
	return nil
}

// report keeps what became of a message of ours that the provider names.
func (s *Service) report(ctx context.Context, account uuid.UUID, id string, d conversation.Delivery) error {
	var item uuid.UUID
	var found bool
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		item, found, err = s.Inbound.Known(r, account, id)
		return err
	})
	if err != nil || !found {
		return err
	}
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, item, d))
}

// unsupported stands for what the provider does not hand over, such as a poll.
const unsupported = "Bu ileti türü burada gösterilemiyor; Messenger ya da Instagram uygulamasında görülebilir. / This kind of message cannot be shown here; it is visible in the Messenger or Instagram app."

func (s *Service) takeMessage(ctx context.Context, a channel.Account, m Received, at time.Time) error {
	if m.Deleted {
		_, err := s.Edits.DeleteOnChannel(ctx, a.ID, m.ID)
		return err
	}
	if m.OfPage {
		if ours, err := s.takeCopy(ctx, a, m); err != nil || ours {
			return err
		}
	}
	if conversation, rating, is := channel.ReadRating(m.Choice); is && !m.OfPage {
		_, err := s.Inbound.Respond(ctx, a.ID, conversation, rating, "")
		return err
	}
	return s.ingest(ctx, a, m, at)
}

// takeCopy takes the page's own copy of a message, and says whether we sent it. A copy
// that carries our mark is the provider's word that it has the message, which counts
// also where its answer to us was lost.
func (s *Service) takeCopy(ctx context.Context, a channel.Account, m Received) (ours bool, err error) {
	var set Settings
	if err := a.Read(&set); err != nil {
		return false, err
	}
	item, err := uuid.Parse(m.Mark)
	if err != nil {
		return m.AppID != "" && m.AppID == set.AppID, nil
	}
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		ours, err = s.Inbound.SentOver(r, a.ID, item)
		return err
	})
	if err != nil || !ours {
		return m.AppID != "" && m.AppID == set.AppID, err
	}
	return true, channel.IgnoreDeleted(s.Inbound.Reported(ctx, item, conversation.Delivery{Status: conversation.Sent, ProviderMessageID: m.ID}))
}

// ingest brings in a message of a customer, or one that somebody wrote to them in the
// page's name. A message with files is written at once, in its place, with the files
// pending; jobs fetch them.
func (s *Service) ingest(ctx context.Context, a channel.Account, m Received, at time.Time) error {
	if m.Unsupported {
		m.Text = unsupported
	}
	in := inbound.Inbound{
		Channel: a.Kind, Body: strings.TrimSpace(m.Text), ProviderMessageID: m.ID, AI: a.AI, GroupID: a.GroupID,
		From: contact.Sender{Channel: a.Kind, AccountID: a.ID, ExternalID: m.Customer}, Detail: m.Detail, SentAt: clock.Ptr(at), FromUs: m.OfPage,
	}
	if !m.OfPage {
		// A message that was on its way for long leaves less of the window.
		in.Window = window - max(s.DB.Clock().Now().Sub(at), 0)
	}
	if m.Choice != "" {
		in.Detail["button"] = m.Choice
	}
	if m.ReplyTo != "" {
		if err := s.quote(ctx, a.ID, m.ReplyTo, in.Detail); err != nil {
			return err
		}
	}
	for _, f := range m.Files {
		in.Attachments = append(in.Attachments, file.Prepared{Name: f.name(""), Type: unknownType, Pending: true})
	}
	if in.Body == "" && len(m.Files) == 0 {
		in.Body = unsupported
	}
	in.Then = func(tx *db.Tx, out *inbound.Ingested) error {
		if out.Duplicate {
			return nil
		}
		for i, f := range m.Files {
			p := pendingFile{a.ID, out.Item.ID, out.Item.Attachments[i].ID, f}
			if _, err := jobs.EnqueueForAccount(tx, mediaJob, a.ID, tx.Now(), p); err != nil {
				return err
			}
		}
		if out.Conversation.ContactName != m.Customer {
			return nil
		}
		_, err := jobs.EnqueueForAccount(tx, profileJob, a.ID, tx.Now(), namelessContact{a.ID, out.Conversation.ContactID, m.Customer})
		return err
	}
	_, err := s.Inbound.Ingest(ctx, in)
	return err
}

// quote adds to a message's detail what it answers, and the item where it is one of
// ours.
func (s *Service) quote(ctx context.Context, account uuid.UUID, id string, detail map[string]any) error {
	detail["quoted"] = id
	return s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		item, found, err := s.Inbound.Known(r, account, id)
		if found {
			detail["quoted_item_id"] = item
		}
		return err
	})
}

// unknownType is what a file is before its bytes were seen.
const unknownType = "application/octet-stream"

// pendingFile is the payload of mediaJob: a file of a message that must be fetched.
type pendingFile struct {
	AccountID    uuid.UUID  `json:"account_id"`
	ItemID       uuid.UUID  `json:"item_id"`
	AttachmentID uuid.UUID  `json:"attachment_id"`
	File         RemoteFile `json:"file"`
}

// endings are how files are called; the provider gives them no names.
var endings = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "video/mp4": ".mp4",
	"audio/mp4": ".m4a", "audio/mpeg": ".mp3", "audio/aac": ".aac", "application/pdf": ".pdf",
}

func (f RemoteFile) name(kind string) string {
	bare, _, err := mime.ParseMediaType(kind)
	if err != nil {
		bare = kind
	}
	return f.Kind + endings[bare]
}

// runMedia is the handler of mediaJob. It fetches while the account is paused too:
// what was acknowledged is ours to keep. A file that the provider does not hand over
// is shown as such.
func (s *Service) runMedia(ctx context.Context, j *jobs.Job) error {
	var p pendingFile
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	got, err := s.fetch(ctx, p.File)
	switch r, refused := errors.AsType[*Refusal](err); {
	case err == nil:
	case refused && !r.Passing(), j.Attempts >= mediaAttempts, s.DB.Clock().Now().Sub(j.CreatedAt.Time) >= mediaFor:
		got = file.Prepared{Name: p.File.name(""), Type: unknownType, Blocked: file.BlockedGone}
	default:
		return s.later(err)
	}
	return s.Inbound.FillAttachment(ctx, p.ItemID, p.AttachmentID, got)
}

func (s *Service) fetch(ctx context.Context, f RemoteFile) (file.Prepared, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	kind, content, err := s.Provider.Download(ctx, f.Address)
	if err != nil {
		return file.Prepared{}, err
	}
	defer func() { _ = content.Close() }()
	return s.Files.Prepare(ctx, f.name(kind), kind, content)
}
