package telegram

import (
	"context"
	"strconv"
	"unicode/utf16"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

var (
	_ conversation.Reactor = (*Service)(nil)
	_ conversation.Asker   = (*Service)(nil)
)

// Route implements channel.Kind: customers who wrote to a bot can always be answered, those
// who wrote to a person's account only while the window is open.
func (s *Service) Route(r *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, known := channel.IdentityOn(to, a.ID)
	if !known {
		return nil, nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return nil, err
	}
	if b := set.Business; b != nil {
		if bot, err := s.Channels.Find(r, Name, b.BotAccountID); err != nil {
			return nil, err
		} else if !bot.Works() {
			return nil, fault.New(fault.ChannelUnavailable).Because(bot.Status)
		}
		if b.Ended {
			return nil, fault.New(fault.ChannelUnavailable).Because(BusinessEnded)
		}
		if !b.CanReply {
			return nil, fault.New(fault.ChannelUnavailable).Because("no_reply_right")
		}
		if i.WindowExpiresAt == nil || !s.DB.Clock().Now().Before(i.WindowExpiresAt.Time) {
			return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt)
		}
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// Limits of one message at the provider, in UTF-16 units and files.
const (
	maxText    = 4096
	maxCaption = 1024
	maxAlbum   = 10
)

// carrier calls the provider for the transport.
type carrier struct{ *Service }

var (
	_ transport.Questioner[Settings, credentials] = carrier{}
	_ transport.Typist[Settings, credentials]     = carrier{}
	_ channel.Typist                              = (*Service)(nil)
)

// ShowTyping implements channel.Typist.
func (s *Service) ShowTyping(tx *db.Tx, account uuid.UUID, address string) error {
	return s.transport.EnqueueTyping(tx, account, address)
}

// ShowTyping implements transport.Typist.
func (c carrier) ShowTyping(ctx context.Context, o *opened, to string) error {
	return c.Provider.ShowTyping(ctx, o.Creds.token(), to, o.Set.connection())
}

// Parts implements transport.Carrier: the text in pieces, or as the caption of the first
// files; pictures and videos together as albums.
func (carrier) Parts(m *transport.Message) (out []transport.Part) {
	caption := m.Text
	if len(m.Files) == 0 || units(caption) > maxCaption {
		for _, piece := range channel.CutText(caption, maxText, utf16.RuneLen) {
			out = append(out, transport.Part{Text: piece})
		}
		caption = ""
	}
	for _, f := range m.Files {
		last := len(out) - 1
		if last >= 0 && len(out[last].Files) > 0 && len(out[last].Files) < maxAlbum && inAlbum(f) && inAlbum(out[last].Files[0]) {
			out[last].Files = append(out[last].Files, f)
			continue
		}
		out = append(out, transport.Part{Text: caption, Files: []file.Outgoing{f}})
		caption = ""
	}
	return out
}

func inAlbum(f file.Outgoing) bool { return kindOf(f) == KindPhoto || kindOf(f) == KindVideo }

// units returns the length of a text as the provider counts it.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// kindOf returns the kind that a file is sent as; anything that is no picture, video or
// sound for the provider is a document.
func kindOf(f file.Outgoing) string {
	const mib = 1 << 20
	switch {
	case f.Size <= 10*mib && (f.Type == "image/jpeg" || f.Type == "image/png"):
		return KindPhoto
	case f.Type == "video/mp4":
		return KindVideo
	case f.Type == "audio/ogg":
		return KindVoice
	case f.Type == "audio/mpeg" || f.Type == "audio/mp4":
		return KindAudio
	}
	return KindDocument
}

// Take implements channel.Kind.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	return s.transport.EnqueueSend(tx, transport.MessageOf(m), tx.Now())
}

// Capabilities implements channel.Kind.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files: channel.AnyFile(50 << 20), Reactions: true, ReactionSigns: reactionSigns, EditsIn: true, DeletesIn: true, Typing: true,
	}
}

// InboundAddress implements channel.Reachable.
func (s *Service) InboundAddress(a channel.Account) string {
	var set Settings
	if err := a.Read(&set); err != nil {
		return a.Name
	}
	if set.Business != nil {
		return a.Name
	}
	return "@" + set.Username
}

// Push implements channel.Kind: the message is already queued as a job.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// SendPart implements transport.Carrier.
func (c carrier) SendPart(ctx context.Context, o *opened, m *transport.Message, p transport.Part, check func(context.Context) error) (string, error) {
	out := Message{Chat: m.To, Connection: o.Set.connection(), Text: p.Text}
	for _, f := range p.Files {
		content, err := c.Files.ReadFile(ctx, f)
		if err != nil {
			return "", err
		}
		defer func() { _ = content.Close() }()
		out.Files = append(out.Files, OutgoingFile{Name: f.Name, Kind: kindOf(f), Content: content})
	}
	if err := check(ctx); err != nil {
		return "", err
	}
	ids, err := c.Provider.Send(ctx, o.Creds.token(), out)
	if err != nil {
		return "", err
	}
	chat, err := strconv.ParseInt(m.To, 10, 64)
	return messageID(out.Connection, chat, ids[0]), err
}

// Reacts implements conversation.Reactor.
func (s *Service) Reacts(string) bool { return true }

// React implements conversation.Reactor. A bot cannot react in a person's account.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	err := s.accounts.Call(ctx, r.Route.AccountID, func(o *opened) error {
		if o.Set.Business != nil {
			return fault.New(fault.ReactionUnsupported).Because(conversation.ChannelUnsupported)
		}
		number, err := numberOf(r.ProviderMessageID)
		if err != nil {
			return fault.New(fault.ReactionUnsupported).Because(conversation.NoChannelCopy)
		}
		return s.Provider.React(ctx, o.Creds.token(), r.Route.Address, number, channel.PlainSign(r.Emoji))
	})
	return transport.FaultOf(err, fault.ReactionUnsupported)
}

// Ask implements conversation.Asker. The buttons of a bot do not work in a
// person's account.
func (s *Service) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	o, err := s.accounts.Find(&tx.Reader, q.Route.AccountID)
	if err != nil || o.Set.Business != nil {
		return false, err
	}
	return s.transport.Ask(tx, q)
}

// SendQuestion implements transport.Questioner.
func (c carrier) SendQuestion(ctx context.Context, o *opened, to, text string, buttons []channel.RatingButton) error {
	m := Message{Chat: to, Text: text}
	for _, b := range buttons {
		m.Buttons = append(m.Buttons, Button(b))
	}
	_, err := c.Provider.Send(ctx, o.Creds.token(), m)
	return err
}
