package telegram

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const mediaJob = "telegram.media"

// mediaAttempts is how often, and mediaFor for how long a file is asked for
// before it is shown as lost.
const (
	mediaAttempts = 8
	mediaFor      = 24 * time.Hour
	// fetchFor is how long fetching one file may take.
	fetchFor = 5 * time.Minute
	// maxDownload is the largest file that the provider hands over to bots.
	maxDownload = 20 << 20
)

// Receive takes a call of the provider for a bot. One that does not carry the
// secret of a bot of ours looks like a call for a bot that nobody has.
func (s *Service) Receive(ctx context.Context, ip, bot, secret string, body []byte) error {
	owners, err := s.Channels.ByExternal(ctx, Name, bot)
	if err != nil {
		return err
	}
	for _, o := range owners {
		if subtle.ConstantTimeCompare([]byte(secret), []byte(s.secretFor(o.TenantID, bot))) != 1 {
			continue
		}
		if !o.Account.Works() {
			// Paused by a person: nothing comes in. The provider holds it and calls
			// again, for a day.
			return fault.New(fault.ChannelUnavailable).Because(o.Account.Status)
		}
		u, err := s.Provider.Read(body)
		if err != nil {
			return fault.New(fault.BadRequest).Wrap(err)
		}
		return s.take(o.Context(ctx, ip), o.Account, u)
	}
	return fault.New(fault.NotFound)
}

// take brings in one update of a bot. What will be refused each time is logged
// and passed over, so that the provider need not bring it again.
func (s *Service) take(ctx context.Context, bot channel.Account, u Update) error {
	err := s.takeUpdate(ctx, bot, u)
	if f, refused := fault.As(err); refused && f.Code.Status() < 500 {
		s.Log.WarnContext(ctx, "an update of the provider cannot be taken", "account", bot.ID, "update", u.ID, "error", err)
		return nil
	}
	return err
}

func (s *Service) takeUpdate(ctx context.Context, bot channel.Account, u Update) error {
	switch {
	case u.Message != nil:
		return s.takeMessage(ctx, bot, *u.Message, false)
	case u.Edited != nil:
		return s.takeMessage(ctx, bot, *u.Edited, true)
	case u.Deleted != nil:
		return s.takeDeleted(ctx, bot, *u.Deleted)
	case u.Reaction != nil:
		r := *u.Reaction
		return s.Inbound.CustomerReacted(ctx, bot.ID, messageID("", r.Chat, r.ID), r.Emoji)
	case u.Pressed != nil:
		return s.takePressed(ctx, bot, *u.Pressed)
	case u.Business != nil:
		return s.takeConnection(ctx, bot, *u.Business)
	}
	return nil
}

// accountFor is the account that something belongs to: the bot's own, or the
// person's whose connection it names. It says false where nobody of the workspace
// has the connection, or does not want anything from it now.
func (s *Service) accountFor(ctx context.Context, bot channel.Account, connection string) (a channel.Account, ok bool, err error) {
	if connection == "" {
		return bot, true, nil
	}
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		id, err := connectedAs(r, bot.ID, connection)
		if db.IsNoRow(err) {
			return nil
		}
		if err == nil {
			a, err = s.Channels.Find(r, Name, id)
		}
		ok = err == nil && a.Works()
		return err
	})
	return a, ok, err
}

// takeMessage brings in a message, or what it was changed to. Groups and channels
// are none of ours, and neither is what bots write.
func (s *Service) takeMessage(ctx context.Context, bot channel.Account, m Received, edited bool) error {
	if !m.Private || m.From.Bot || m.OfBot || m.Empty {
		return nil
	}
	if payload, is := startPayload(m); is && !edited {
		return s.takeStart(ctx, bot, m, payload)
	}
	a, ok, err := s.accountFor(ctx, bot, m.Connection)
	if err != nil || !ok {
		return err
	}
	if m.Unsupported {
		m.Text = unsupported
	}
	if edited {
		known, err := s.Edits.EditOnChannel(ctx, a.ID, messageID(m.Connection, m.Chat, m.ID), m.Text)
		if err != nil || known {
			return err
		}
		// The change came before the message: it brings all of it.
	}
	return s.ingest(ctx, a, m)
}

// unsupported stands for what cannot be shown here, such as a game.
const unsupported = "Bu ileti türü burada gösterilemiyor; Telegram uygulamasında görülebilir. / This kind of message cannot be shown here; it is visible in the Telegram app."

// startPayload reads the command that an app sends when somebody opens a bot for
// the first time, or by a link.
func startPayload(m Received) (payload string, is bool) {
	if m.Connection != "" {
		return "", false
	}
	command, payload, _ := strings.Cut(m.Text, " ")
	return strings.TrimSpace(payload), command == "/start"
}

// ingest brings in a message of a customer, or one that the owner of a person's
// account wrote to them. A message with a file is written at once, in its place,
// with the file pending; a job fetches it.
func (s *Service) ingest(ctx context.Context, a channel.Account, m Received) error {
	in := inbound.Inbound{
		Channel: Name, Body: strings.TrimSpace(m.Text), ProviderMessageID: messageID(m.Connection, m.Chat, m.ID), AI: a.AI, GroupID: a.GroupID,
		From: m.Customer.sender(a.ID), Detail: m.Detail, SentAt: clock.Ptr(m.At), FromUs: m.OfOwner,
	}
	if m.Connection != "" && !m.OfOwner {
		// A message that was on its way for long leaves less of the window.
		in.Window = window - max(s.DB.Clock().Now().Sub(m.At), 0)
	}
	if m.ReplyTo != 0 {
		if err := s.quote(ctx, a.ID, messageID(m.Connection, m.Chat, m.ReplyTo), in.Detail); err != nil {
			return err
		}
	}
	if m.File != nil {
		in.Attachments, in.Then = s.pending(a.ID, *m.File)
	}
	_, err := s.Inbound.Ingest(ctx, in)
	return err
}

// pending is a file that a job fetches once its message is written. One that the
// provider hands over to nobody is shown as too large at once.
func (s *Service) pending(account uuid.UUID, f RemoteFile) ([]file.Prepared, func(*db.Tx, *inbound.Ingested) error) {
	p := file.Prepared{Name: f.Name, DeclaredType: f.Type, Type: unknownType, Pending: true}
	if f.Size > maxDownload {
		p.Pending, p.Size, p.Blocked = false, f.Size, file.BlockedSize
		return []file.Prepared{p}, nil
	}
	return []file.Prepared{p}, func(tx *db.Tx, out *inbound.Ingested) error {
		if out.Duplicate {
			return nil
		}
		_, err := jobs.EnqueueForAccount(tx, mediaJob, account, tx.Now(), pendingFile{account, out.Item.ID, out.Item.Attachments[0].ID, f})
		return err
	}
}

// sender is a person as contacts know them.
func (p Person) sender(account uuid.UUID) contact.Sender {
	return contact.Sender{
		Channel: Name, AccountID: account, ExternalID: strconv.FormatInt(p.ID, 10), Name: p.Name, Username: p.Username, Language: p.Language,
	}
}

// quote adds to a message's detail what it answers, and the item where it is one
// of ours.
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

func (s *Service) takeDeleted(ctx context.Context, bot channel.Account, d Deleted) error {
	a, ok, err := s.accountFor(ctx, bot, d.Connection)
	if err != nil || !ok {
		return err
	}
	for _, id := range d.IDs {
		if _, err := s.Edits.DeleteOnChannel(ctx, a.ID, messageID(d.Connection, d.Chat, id)); err != nil {
			return err
		}
	}
	return nil
}

// takePressed takes a button that a customer pressed: a rating, or else the words
// on it as their message.
func (s *Service) takePressed(ctx context.Context, bot channel.Account, p Pressed) error {
	if !p.Private || p.From.Bot {
		return nil
	}
	if conversation, rating, is := channel.ReadRating(p.Data); is {
		_, err := s.Inbound.Respond(ctx, bot.ID, conversation, rating, "")
		s.answerButton(ctx, bot, p.ID)
		return err
	}
	in := inbound.Inbound{
		Channel: Name, Body: strings.TrimSpace(p.Text), ProviderMessageID: "button/" + p.ID, AI: bot.AI, GroupID: bot.GroupID,
		From: p.From.sender(bot.ID), Detail: map[string]any{"button": p.Data},
	}
	if err := s.quote(ctx, bot.ID, messageID("", p.Chat, p.MessageID), in.Detail); err != nil {
		return err
	}
	if _, err := s.Inbound.Ingest(ctx, in); err != nil {
		return err
	}
	s.answerButton(ctx, bot, p.ID)
	return nil
}

// answerButton stops the clock that the customer's app shows on a button. Where
// the provider cannot be told, the clock stops by itself.
func (s *Service) answerButton(ctx context.Context, bot channel.Account, id string) {
	_, _, c, err := s.open(ctx, bot.ID)
	if err == nil {
		err = s.Provider.AnswerButton(ctx, c.token(), id)
	}
	if err != nil {
		s.Log.DebugContext(ctx, "a button could not be answered", "account", bot.ID, "error", err)
	}
}

// unknownType is what a file is before its bytes were seen.
const unknownType = "application/octet-stream"

// pendingFile is the payload of mediaJob: a file of a message that must be
// fetched.
type pendingFile struct {
	AccountID    uuid.UUID  `json:"account_id"`
	ItemID       uuid.UUID  `json:"item_id"`
	AttachmentID uuid.UUID  `json:"attachment_id"`
	File         RemoteFile `json:"file"`
}

// runMedia is the handler of mediaJob. It fetches while the account is paused
// too: what was acknowledged is ours to keep. A file that the provider does not
// hand over is shown as such.
func (s *Service) runMedia(ctx context.Context, j *jobs.Job) error {
	var p pendingFile
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	lost := file.Prepared{Name: p.File.Name, DeclaredType: p.File.Type, Type: unknownType, Blocked: file.BlockedGone}
	_, _, c, err := s.open(ctx, p.AccountID)
	if err != nil {
		return channel.IgnoreDeleted(err)
	}
	if c.Token == "" { // disconnected: nothing opens the file any more
		return s.Inbound.FillAttachment(ctx, p.ItemID, p.AttachmentID, lost)
	}
	got, err := s.fetch(ctx, c, p.File)
	switch r, refused := errors.AsType[*Refusal](err); {
	case err == nil:
	case refused && r.Status == 400, j.Attempts >= mediaAttempts, s.DB.Clock().Now().Sub(j.CreatedAt.Time) >= mediaFor:
		got = lost
	default:
		s.tokenAnswered(ctx, p.AccountID, err)
		return s.later(err)
	}
	return s.Inbound.FillAttachment(ctx, p.ItemID, p.AttachmentID, got)
}

func (s *Service) fetch(ctx context.Context, c credentials, f RemoteFile) (file.Prepared, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	content, err := s.Provider.Download(ctx, c.token(), f.ID)
	if err != nil {
		return file.Prepared{}, err
	}
	defer func() { _ = content.Close() }()
	return s.Files.Prepare(ctx, f.Name, f.Type, content)
}
