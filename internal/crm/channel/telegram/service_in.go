package telegram

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// maxDownload is the largest file that bots can download from the provider.
const maxDownload = 20 << 20

// Receive handles a call of the provider for a bot. A call without the right secret gets
// the same answer as one for an unknown bot.
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
			// Paused by a person: nothing comes in. The provider keeps the update and calls
			// again, for a day.
			return fault.New(fault.ChannelUnavailable).Because(o.Account.Status)
		}
		u, err := s.Provider.Read(body)
		if err != nil {
			return fault.New(fault.BadRequest).Wrap(err)
		}
		if err = s.take(o.Context(ctx, ip), o.Account, u); errors.Is(err, errStopped) {
			return fault.New(fault.ChannelUnavailable).Because(channel.Paused)
		}
		return err
	}
	return fault.New(fault.NotFound)
}

// errStopped means that an account was paused or disconnected before an update for it was
// taken. The provider keeps the update.
var errStopped = errors.New("telegram: the account no longer carries messages")

// checkWorks returns errStopped if the account, or the bot that works in it, is not
// working.
func (s *Service) checkWorks(r *db.Reader, id uuid.UUID) error {
	var set Settings
	a, err := s.Channels.Find(r, Name, id)
	if err == nil {
		err = a.Read(&set)
	}
	if err == nil && set.Business != nil && a.Works() {
		a, err = s.Channels.Find(r, Name, set.Business.BotAccountID)
	}
	if fault.Is(err, fault.NotFound) || err == nil && !a.Works() {
		return errStopped
	}
	return err
}

// checkWorksIn is checkWorks in the transaction that takes a message.
func (s *Service) checkWorksIn(account uuid.UUID) func(*db.Tx, *inbound.Ingested) error {
	return func(tx *db.Tx, _ *inbound.Ingested) error { return s.checkWorks(&tx.Reader, account) }
}

// take brings in one update of a bot. An update that would be refused every time is logged
// and skipped, so that the provider does not send it again; that of a suspended workspace
// is taken once it is no longer suspended.
func (s *Service) take(ctx context.Context, bot channel.Account, u Update) error {
	err := s.takeUpdate(ctx, bot, u)
	if f, refused := fault.As(err); refused && f.Code.Status() < 500 && f.Code != fault.WorkspaceSuspended {
		s.Log.WarnContext(ctx, "an update from the provider was refused and skipped", "account", bot.ID, "update", u.ID, "error", err)
		return nil
	}
	return err
}

func (s *Service) takeUpdate(ctx context.Context, bot channel.Account, u Update) error {
	a, ok, err := s.accountFor(ctx, bot, u.connection())
	if err != nil || !ok {
		return err
	}
	if a.ID != bot.ID && !a.Works() {
		return s.hold(ctx, a, u)
	}
	return s.takeFor(ctx, bot, a, u)
}

// connection is the business connection that an update came over, "" for the bot.
func (u *Update) connection() string {
	switch {
	case u.Message != nil:
		return u.Message.Connection
	case u.Edited != nil:
		return u.Edited.Connection
	case u.Deleted != nil:
		return u.Deleted.Connection
	}
	return ""
}

// takeFor brings in an update of an account: the bot's own, or a person's. The update may
// have been fetched long ago, so it checks again that the account works; updates that
// create a record are checked in the transaction that creates it.
func (s *Service) takeFor(ctx context.Context, bot, a channel.Account, u Update) error {
	if u.Message == nil && u.Business == nil {
		if err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error { return s.checkWorks(r, a.ID) }); err != nil {
			return err
		}
	}
	switch {
	case u.Message != nil:
		return s.takeMessage(ctx, bot, a, *u.Message, false)
	case u.Edited != nil:
		return s.takeMessage(ctx, bot, a, *u.Edited, true)
	case u.Deleted != nil:
		return s.takeDeleted(ctx, a, *u.Deleted)
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

// accountFor returns the account that an update belongs to: the bot's own, or that of the
// person whose connection it names. It returns false if no account of the workspace has the
// connection.
func (s *Service) accountFor(ctx context.Context, bot channel.Account, connection string) (a channel.Account, ok bool, err error) {
	if connection == "" {
		return bot, true, nil
	}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		id, err := connectedAs(r, bot.ID, connection)
		if db.IsNoRow(err) {
			return nil
		}
		if err == nil {
			a, err = s.Channels.Find(r, Name, id)
		}
		ok = err == nil
		return err
	})
	return a, ok, err
}

// takeMessage brings in a message, or the new text of an edited one. It ignores groups,
// channels and messages written by bots.
func (s *Service) takeMessage(ctx context.Context, bot, a channel.Account, m Received, edited bool) error {
	if !m.Private || m.From.Bot || m.OfBot || m.Empty {
		return nil
	}
	if payload, is := startPayload(m); is && !edited {
		return s.takeStart(ctx, bot, m, payload)
	}
	if m.Unsupported {
		m.Text = unsupported
	}
	if edited {
		known, err := s.Edits.EditOnChannel(ctx, a.ID, messageID(m.Connection, m.Chat, m.ID), m.Text)
		if err != nil || known {
			return err
		}
		// The edit came before the message: it contains the whole message.
	}
	return s.ingest(ctx, a, m)
}

// unsupported replaces content that cannot be shown here, such as a game.
const unsupported = "Bu ileti türü burada gösterilemiyor; Telegram uygulamasında görülebilir. / This kind of message cannot be shown here; it is visible in the Telegram app."

// startPayload parses the command that the app sends when somebody opens a bot for the
// first time, or through a link.
func startPayload(m Received) (payload string, is bool) {
	if m.Connection != "" {
		return "", false
	}
	command, payload, _ := strings.Cut(m.Text, " ")
	return strings.TrimSpace(payload), command == "/start"
}

// ingest brings in a message of a customer, or one that the owner of a person's account
// wrote to them. A message with a file is written at once, with the file pending; a job
// fetches it.
func (s *Service) ingest(ctx context.Context, a channel.Account, m Received) error {
	m.At = transport.PlausibleTime(m.At, s.DB.Clock().Now())
	in := inbound.Inbound{
		Channel: Name, Body: strings.TrimSpace(m.Text), ProviderMessageID: messageID(m.Connection, m.Chat, m.ID), AI: a.AI, GroupID: a.GroupID,
		From: m.Customer.sender(a.ID), Detail: m.Detail, SentAt: clock.Ptr(m.At), FromUs: m.OfOwner,
		Then: s.checkWorksIn(a.ID),
	}
	if m.Connection != "" && !m.OfOwner {
		// A delayed message leaves less of the window.
		in.Window = window - max(s.DB.Clock().Now().Sub(m.At), 0)
	}
	if m.ReplyTo != 0 {
		if err := s.transport.Quote(ctx, a.ID, messageID(m.Connection, m.Chat, m.ReplyTo), in.Detail); err != nil {
			return err
		}
	}
	if m.File != nil {
		s.transport.AddFiles(&in, a.ID, []RemoteFile{*m.File})
	}
	_, err := s.Inbound.Ingest(ctx, in)
	return err
}

// sender converts a person for the contacts module.
func (p Person) sender(account uuid.UUID) contact.Sender {
	return contact.Sender{
		Channel: Name, AccountID: account, ExternalID: strconv.FormatInt(p.ID, 10), Name: p.Name, Username: p.Username, Language: p.Language,
	}
}

func (s *Service) takeDeleted(ctx context.Context, a channel.Account, d Deleted) error {
	for _, id := range d.IDs {
		if err := s.Edits.DeleteOnChannel(ctx, a.ID, messageID(d.Connection, d.Chat, id)); err != nil {
			return err
		}
	}
	return nil
}

// takePressed handles a customer's press of a button: a rating, or else the button's text
// as a message.
func (s *Service) takePressed(ctx context.Context, bot channel.Account, p Pressed) error {
	if !p.Private || p.From.Bot {
		return nil
	}
	if conversation, rating, is := channel.ReadRating(p.Data); is {
		_, err := s.Inbound.RespondAs(ctx, bot.ID, p.From.sender(bot.ID).ExternalID, conversation, rating)
		s.answerButton(ctx, bot, p.ID)
		return err
	}
	in := inbound.Inbound{
		Channel: Name, Body: strings.TrimSpace(p.Text), ProviderMessageID: "button/" + p.ID, AI: bot.AI, GroupID: bot.GroupID,
		From: p.From.sender(bot.ID), Detail: map[string]any{"button": p.Data}, Then: s.checkWorksIn(bot.ID),
	}
	if err := s.transport.Quote(ctx, bot.ID, messageID("", p.Chat, p.MessageID), in.Detail); err != nil {
		return err
	}
	if _, err := s.Inbound.Ingest(ctx, in); err != nil {
		return err
	}
	s.answerButton(ctx, bot, p.ID)
	return nil
}

// answerButton stops the progress indicator that the customer's app shows on a button. If
// the call fails, the indicator stops by itself.
func (s *Service) answerButton(ctx context.Context, bot channel.Account, id string) {
	o, err := s.accounts.Open(ctx, bot.ID)
	if err == nil {
		err = s.Provider.AnswerButton(ctx, o.Creds.token(), id)
	}
	if err != nil {
		s.Log.DebugContext(ctx, "a button press could not be answered", "account", bot.ID, "error", err)
	}
}

// Download implements transport.Carrier.
func (c carrier) Download(ctx context.Context, account uuid.UUID, f RemoteFile) (string, io.ReadCloser, error) {
	o, err := c.accounts.Open(ctx, account)
	if fault.Is(err, fault.NotFound) || err == nil && o.Creds.Token == "" {
		err = transport.ErrUnavailable
	}
	if err != nil {
		return "", nil, err
	}
	content, err := c.Provider.Download(ctx, o.Creds.token(), f.ID)
	c.accounts.RecordAnswer(ctx, account, err)
	return f.Type, content, err
}
