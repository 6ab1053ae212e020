package social

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

var (
	_ channel.Receipts     = (*Service)(nil)
	_ conversation.Reactor = (*Service)(nil)
	_ conversation.Asker   = (*Service)(nil)
)

// Route implements channel.Kind: customers who wrote within the window can be answered, or
// within seven days if people may use the human-agent tag.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, known := channel.IdentityOn(to, a.ID)
	if !known {
		return nil, nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return nil, err
	}
	if i.WindowExpiresAt == nil || !s.DB.Clock().Now().Before(set.lastMoment(*i.WindowExpiresAt)) {
		return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt)
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// lastMoment returns the time until which a customer with this window can be answered at
// all.
func (s *Settings) lastMoment(until clock.Time) time.Time {
	if s.HumanAgent {
		return until.Add(humanWindow - window)
	}
	return until.Time
}

// Maximum length of one text at the provider: characters on Messenger, bytes on Instagram.
const (
	maxMessengerText = 2000
	maxInstagramText = 1000
)

// carrier calls the provider for the transport.
type carrier struct{ *Service }

var (
	_ transport.Questioner[Settings, credentials] = carrier{}
	_ transport.Reader[Settings, credentials]     = carrier{}
	_ transport.PartKeeper                        = carrier{}
)

// Parts implements transport.Carrier: the text in pieces, then each file.
func (carrier) Parts(m *transport.Message) (out []transport.Part) {
	most, size := maxMessengerText, func(rune) int { return 1 }
	if m.Channel == Instagram {
		most, size = maxInstagramText, utf8.RuneLen
	}
	if m.Text != "" || len(m.Files) == 0 {
		for _, piece := range channel.CutText(m.Text, most, size) {
			out = append(out, transport.Part{Text: piece})
		}
	}
	for i := range m.Files {
		out = append(out, transport.Part{Files: m.Files[i : i+1]})
	}
	return out
}

// kindOf returns the kind that a file is sent as.
func kindOf(f file.Outgoing) string {
	for kind, types := range map[string][]string{FileImage: imageTypes, FileVideo: videoTypes, FileAudio: audioTypes} {
		if slices.Contains(types, f.Type) {
			return kind
		}
	}
	return FileOther
}

// Take implements channel.Kind. After the window only a person can reply.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	until, err := s.windowOf(&tx.Reader, m)
	if err != nil {
		return err
	}
	if !tx.Now().Before(until.Time) {
		item, err := conversation.ItemByID(&tx.Reader, m.ItemID)
		if err != nil {
			return err
		}
		// The tag states that a person replies. An API key belongs to a program, whichever
		// agent it names.
		if item.AuthorKind != conversation.ByAgent || caller.From(tx.Context()).Kind == caller.APIKey {
			return fault.New(fault.WindowClosed).ExpiredAt(&until)
		}
	}
	out := transport.MessageOf(m)
	out.WindowEndsAt = until
	return s.transport.EnqueueSend(tx, out, tx.Now())
}

// windowOf returns the time until which a message's customer can be written to without the
// human-agent tag.
func (s *Service) windowOf(r *db.Reader, m conversation.Outgoing) (until clock.Time, err error) {
	who, err := s.Contacts.Whole(r, m.ContactID)
	if err != nil {
		return until, err
	}
	if i, known := channel.IdentityOn(who, m.Route.AccountID); known && i.WindowExpiresAt != nil {
		until = *i.WindowExpiresAt
	}
	return until, nil
}

// Push implements channel.Kind: the message is already queued as a job.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// SendPart implements transport.Carrier.
func (c carrier) SendPart(ctx context.Context, o *opened, m *transport.Message, p transport.Part, check func(context.Context) error) (string, error) {
	at := accessTo(o)
	out := Message{To: m.To, Text: p.Text, Human: !c.DB.Clock().Now().Before(m.WindowEndsAt.Time)}
	if len(c.Parts(m)) == 1 {
		// A mark is sent only with a single part: the copy of one of several parts says
		// nothing about the others.
		out.Mark = m.ItemID.String()
	}
	for _, f := range p.Files {
		content, err := c.Files.ReadFile(ctx, f)
		if err != nil {
			return "", err
		}
		defer func() { _ = content.Close() }()
		out.FileKind = kindOf(f)
		out.AttachmentID, err = c.Provider.Upload(ctx, at, OutgoingFile{Name: f.Name, Type: f.Type, Kind: out.FileKind, Content: content})
		if err != nil {
			return "", err
		}
	}
	if err := check(ctx); err != nil {
		return "", err
	}
	return c.Provider.Send(ctx, at, out)
}

// Ask implements conversation.Asker.
func (s *Service) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	return s.transport.Ask(tx, q)
}

// SendQuestion implements transport.Questioner.
func (c carrier) SendQuestion(ctx context.Context, o *opened, to, text string, buttons []channel.RatingButton) error {
	m := Message{To: to, Text: text}
	for _, b := range buttons {
		m.Choices = append(m.Choices, Choice(b))
	}
	_, err := c.Provider.Send(ctx, accessTo(o), m)
	return err
}

// Reacts implements conversation.Reactor.
func (s *Service) Reacts(string) bool { return true }

// React implements conversation.Reactor.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	err := s.accounts.Call(ctx, r.Route.AccountID, func(o *opened) error {
		return s.Provider.React(ctx, accessTo(o), r.Route.Address, r.ProviderMessageID, r.Emoji)
	})
	return transport.FaultOf(err, fault.ReactionUnsupported)
}
