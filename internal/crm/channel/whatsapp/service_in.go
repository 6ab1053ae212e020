package whatsapp

import (
	"cmp"
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

const mediaJob = "whatsapp.media"

// mediaAttempts is how often, and mediaFor for how long a file is asked for
// before the message comes in without it.
const (
	mediaAttempts = 8
	mediaFor      = 24 * time.Hour
)

// Challenge answers the provider's question whether an address is ours.
func (s *Service) Challenge(mode, token, challenge string) (string, error) {
	if mode != "subscribe" || subtle.ConstantTimeCompare([]byte(token), []byte(s.verify)) != 1 {
		return "", fault.New(fault.NotFound)
	}
	return challenge, nil
}

// guest is an account that a call was signed for.
type guest struct {
	channel.Owned
	business string
}

// Receive takes a call of the provider. One that is not signed for a number of
// ours looks like a call for a number that nobody has.
func (s *Service) Receive(ctx context.Context, ip string, body []byte, signature string) error {
	calls, err := s.Provider.Read(body)
	if err != nil {
		return fault.New(fault.BadRequest).Wrap(err)
	}
	signed := map[string][]guest{} // by the number or the business account
	known := 0
	if len(calls) > callsMax {
		return fault.New(fault.NotFound)
	}
	for _, c := range calls {
		for _, key := range []string{"n" + c.NumberID, "b" + c.BusinessID} {
			if _, looked := signed[key]; looked || len(key) == 1 {
				continue
			}
			if len(signed) >= namesMax {
				return fault.New(fault.NotFound)
			}
			all, err := s.owners(ctx, key)
			if err != nil {
				return err
			}
			ok := []guest{}
			for _, g := range all {
				if mine, err := s.signedFor(ctx, g, ip, body, signature); err != nil {
					return err
				} else if mine {
					ok = append(ok, g)
				}
			}
			signed[key] = ok
			known += len(ok)
		}
	}
	if known == 0 {
		return fault.New(fault.NotFound)
	}
	var later error
	for _, c := range calls {
		at := signed["b"+c.BusinessID]
		if c.NumberID != "" {
			at = signed["n"+c.NumberID]
		}
		for _, g := range at {
			if c.Message != nil && !g.Account.Works() {
				// Paused by a person: nothing comes in. The provider holds it and
				// calls again, for days.
				later = fault.New(fault.ChannelUnavailable).Because(g.Account.Status)
				continue
			}
			err := s.receiveCall(g.Context(ctx, ip), g.Account, c)
			if f, refused := fault.As(err); refused && f.Code.Status() < 500 {
				// It will be refused each time, so the provider need not bring it
				// again; the others of the call are not held up by it.
				s.Log.WarnContext(ctx, "a message of the provider cannot be taken", "account", g.Account.ID, "error", err)
			} else if err != nil {
				later = err
			}
		}
	}
	return later
}

// callsMax is how many things one call may tell: more than the provider packs
// together, and few enough that a stranger's call costs little.
const callsMax = 1000

// namesMax is how many numbers and business accounts one call may name: it is
// signed by one app.
const namesMax = 50

func (s *Service) owners(ctx context.Context, key string) (out []guest, err error) {
	if key[0] == 'b' {
		return s.ofBusiness(ctx, key[1:])
	}
	list, err := s.Channels.ByExternal(ctx, Name, key[1:])
	for _, o := range list {
		out = append(out, guest{Owned: o})
	}
	return out, err
}

// businessMax bounds how many numbers of a business account are asked.
const businessMax = 50

// ofBusiness finds the numbers of a business account.
func (s *Service) ofBusiness(ctx context.Context, business string) (out []guest, err error) {
	var list []owner
	err = s.DB.System("channel look-up").Read(ctx, func(r *db.Reader) (err error) {
		list, err = ofBusiness(r, business, businessMax)
		return err
	})
	for _, o := range list {
		g := guest{Owned: channel.Owned{TenantID: o.tenant}, business: business}
		if g.Account, err = s.Channels.Get(g.Context(ctx, ""), Name, o.account); err != nil {
			return out, err
		}
		out = append(out, g)
	}
	return out, err
}

func (s *Service) signedFor(ctx context.Context, g guest, ip string, body []byte, signature string) (ok bool, err error) {
	err = s.tenant(g.Context(ctx, ip)).Read(ctx, func(r *db.Reader) error {
		_, _, c, err := s.account(r, g.Account.ID)
		ok = err == nil && s.Provider.Signed(secret.Of(c.AppSecret), body, signature)
		return err
	})
	return ok, channel.IgnoreDeleted(err)
}

// receiveCall takes one thing that the provider tells a number.
func (s *Service) receiveCall(ctx context.Context, a channel.Account, c Call) error {
	switch {
	case c.Message != nil:
		return s.message(ctx, a, *c.Message)
	case c.Status != nil:
		return s.status(ctx, a, *c.Status)
	case c.Template != nil:
		return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return s.Templates.Heard(tx, a.ID, *c.Template) })
	case c.Number != nil:
		return s.number(ctx, a, *c.Number)
	}
	return nil
}

func (s *Service) message(ctx context.Context, a channel.Account, m Received) error {
	if m.ReactTo != "" {
		return s.Inbound.CustomerReacted(ctx, a.ID, m.ReactTo, m.Emoji)
	}
	if m.Unsupported {
		m.Text = unsupported
	}
	if m.MediaID == "" {
		if passed, err := s.passes(ctx, a, m.Text); err != nil || passed {
			return err
		}
	}
	return s.ingest(ctx, a, m)
}

// unsupported stands for what the provider does not hand over, such as a poll.
const unsupported = "Bu ileti türü burada gösterilemiyor; WhatsApp uygulamasında görülebilir. / This kind of message cannot be shown here; it is visible in the WhatsApp app."

// ingest brings in what a customer wrote. A message with a file is written at
// once, in its place, with the file pending; a job fetches it.
func (s *Service) ingest(ctx context.Context, a channel.Account, m Received) error {
	in := inbound.Inbound{
		Channel: Name, Body: strings.TrimSpace(m.Text), ProviderMessageID: m.ID, AI: a.AI, GroupID: a.GroupID, AutoReply: m.System,
		From: m.sender(a.ID), Detail: m.Detail, Window: window,
	}
	if !m.At.IsZero() {
		in.SentAt = clock.Ptr(m.At)
		// A message that was on its way for long leaves less of the window.
		in.Window = window - max(s.DB.Clock().Now().Sub(m.At), 0)
	}
	if m.System {
		in.Window = 0 // the customer wrote nothing
	}
	if err := s.quote(ctx, a.ID, m.Detail); err != nil {
		return err
	}
	if m.MediaID != "" {
		in.Attachments = []file.Prepared{{
			Name: fileName(m, m.MediaType), DeclaredType: m.MediaType, Type: unknownType, Pending: true,
		}}
		in.Then = func(tx *db.Tx, out *inbound.Ingested) error {
			if out.Duplicate {
				return nil
			}
			_, err := jobs.EnqueueForAccount(tx, mediaJob, a.ID, tx.Now(), pendingFile{a.ID, out.Item.ID, out.Item.Attachments[0].ID, m})
			return err
		}
	}
	if in.Body == "" && m.MediaID == "" {
		in.Body = unsupported
	}
	_, err := s.Inbound.Ingest(ctx, in)
	return err
}

// sender is the customer as contacts know them. Somebody who shows no number is
// known by their id towards the business; with both, either finds them.
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

// quote adds the item that a message answers, where it is one of ours.
func (s *Service) quote(ctx context.Context, account uuid.UUID, detail map[string]any) error {
	id, ok := detail["quoted"].(string)
	if !ok {
		return nil
	}
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

// pendingFile is a file of a message that must be fetched.
type pendingFile struct {
	AccountID    uuid.UUID `json:"account_id"`
	ItemID       uuid.UUID `json:"item_id"`
	AttachmentID uuid.UUID `json:"attachment_id"`
	Message      Received  `json:"message"`
}

// runMedia is the handler of mediaJob. It fetches while the number is paused
// too: what was acknowledged is ours to keep. A file that the provider does not
// hand over is shown as such.
func (s *Service) runMedia(ctx context.Context, j *jobs.Job) error {
	var p pendingFile
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	lost := file.Prepared{
		Name: fileName(p.Message, p.Message.MediaType), DeclaredType: p.Message.MediaType, Type: unknownType, Blocked: file.BlockedGone,
	}
	a, at, err := s.open(ctx, p.AccountID)
	if err != nil {
		if channel.IgnoreDeleted(err) == nil { // disconnected: nothing opens the file any more
			return s.Inbound.FillAttachment(ctx, p.ItemID, p.AttachmentID, lost)
		}
		return err
	}
	file, err := s.fetch(ctx, at, p.Message)
	s.recordAnswer(ctx, a.ID, err)
	switch r, refused := errors.AsType[*Refusal](err); {
	case err == nil:
	case refused && !r.Passing() && !r.Auth(), j.Attempts >= mediaAttempts, s.DB.Clock().Now().Sub(j.CreatedAt.Time) >= mediaFor:
		file = lost
	default:
		return jobs.HoldOnTimeout(err)
	}
	return s.Inbound.FillAttachment(ctx, p.ItemID, p.AttachmentID, file)
}

func (s *Service) fetch(ctx context.Context, at Access, m Received) (file.Prepared, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	kind, content, err := s.Provider.Download(ctx, at, m.MediaID)
	if err != nil {
		return file.Prepared{}, err
	}
	defer func() { _ = content.Close() }()
	return s.Files.Prepare(ctx, fileName(m, kind), kind, content)
}

// endings are how files without a name are called.
var endings = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "video/mp4": ".mp4", "video/3gpp": ".3gp",
	"audio/ogg": ".ogg", "audio/mpeg": ".mp3", "audio/aac": ".aac", "audio/mp4": ".m4a", "audio/amr": ".amr", "application/pdf": ".pdf",
}

func fileName(m Received, kind string) string {
	if m.Filename != "" {
		return m.Filename
	}
	bare, _, err := mime.ParseMediaType(kind)
	if err != nil {
		bare = kind
	}
	return m.Kind + endings[bare]
}

// status takes a report on a message of ours, found by the mark that it was
// sent with or by the provider's name for it.
func (s *Service) status(ctx context.Context, a channel.Account, st Status) error {
	var item uuid.UUID
	var found bool
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if item, found, err = s.Inbound.Known(r, a.ID, st.MessageID); err != nil || found {
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
	if st.At.IsZero() {
		st.At = s.DB.Clock().Now()
	}
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
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, item, d))
}

// number takes what the provider says about the number itself.
func (s *Service) number(ctx context.Context, a channel.Account, n NumberNews) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		var set Settings
		if err := a.Read(&set); err != nil || digits(set.Display) != digits(n.Display) {
			return err
		}
		why := channel.NumberFlagged
		switch n.Event {
		case "FLAGGED":
			_, err := s.Channels.Set(tx, a.ID, channel.Attention, &why)
			return err
		case "UNFLAGGED":
			if a.Reason != nil && *a.Reason == why {
				_, err := s.Channels.Set(tx, a.ID, channel.Active, nil)
				return err
			}
		}
		return nil
	})
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}
