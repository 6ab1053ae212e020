package whatsapp

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const (
	// pushFor is how long the caller of Push has before the job sends the message.
	pushFor = 2 * time.Minute
	// pushTimeout is the time limit of a push; it ends before the job begins.
	pushTimeout = time.Minute
)

var (
	_ channel.Kind         = (*Service)(nil)
	_ channel.Templater    = (*Service)(nil)
	_ conversation.Reactor = (*Service)(nil)
)

// Route implements channel.Kind: customers who wrote within the window can be answered.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, known := channel.IdentityOn(to, a.ID)
	if !known && phone(to) == "" {
		return nil, nil
	}
	if !known || i.WindowExpiresAt == nil || !s.DB.Clock().Now().Before(i.WindowExpiresAt.Time) {
		return nil, fault.New(fault.WindowClosed).ExpiredAt(i.WindowExpiresAt)
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// RouteTemplate implements channel.Templater: a template is sent to the identity that
// wrote, or else to the contact's number.
func (s *Service) RouteTemplate(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	if i, known := channel.IdentityOn(to, a.ID); known {
		return &conversation.Route{Address: i.ExternalID}, nil
	}
	if n := phone(to); n != "" {
		return &conversation.Route{Address: n}, nil
	}
	return nil, nil
}

// Window implements channel.Templater.
func (s *Service) Window(a channel.Account, to contact.Contact) *clock.Time {
	i, _ := channel.IdentityOn(to, a.ID)
	return i.WindowExpiresAt
}

// phone returns a contact's number as the provider writes it.
func phone(c contact.Contact) string {
	for _, p := range c.Phones {
		if p.Primary {
			return strings.TrimPrefix(p.E164, "+")
		}
	}
	return ""
}

// Limits of one message at the provider, in characters.
const (
	maxText    = 4096
	maxCaption = 1024
)

// carrier calls the provider for the transport.
type carrier struct{ *Service }

var _ transport.Reader[Settings, credentials] = carrier{}

// Parts implements transport.Carrier. The provider accepts one file per message, so each
// file is a part.
func (carrier) Parts(m *transport.Message) (out []transport.Part) {
	if m.Template != nil || len(m.Files) == 0 {
		return []transport.Part{{Text: m.Text}}
	}
	caption := m.Text
	if kind := kindOf(m.Files[0]); caption != "" && (kind == KindAudio || utf8.RuneCountInString(caption) > maxCaption) {
		out, caption = append(out, transport.Part{Text: caption}), ""
	}
	for i := range m.Files {
		out = append(out, transport.Part{Text: caption, Files: m.Files[i : i+1]})
		caption = ""
	}
	return out
}

// kindOf returns the kind that a file is sent as; anything that is no picture, video or
// sound for the provider is a document.
func kindOf(f file.Outgoing) string {
	const mib = 1 << 20
	for _, k := range []struct {
		kind  string
		most  int64
		types []string
	}{
		{KindImage, 5 * mib, []string{"image/jpeg", "image/png"}},
		{KindVideo, 16 * mib, []string{"video/mp4", "video/3gpp"}},
		{KindAudio, 16 * mib, []string{"audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg"}},
	} {
		if f.Size <= k.most && slices.Contains(k.types, f.Type) {
			return k.kind
		}
	}
	return KindDocument
}

// Take implements channel.Kind. If a caller waits for Push, the job starts later and sends
// only what Push could not.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	out := transport.MessageOf(m)
	at := tx.Now()
	if m.Awaited && len(carrier{s}.Parts(&out)) == 1 {
		at = at.Add(pushFor)
	}
	return s.transport.EnqueueSend(tx, out, at)
}

// Capabilities implements channel.Kind.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files:     channel.AnyFile(100 << 20),
		MaxText:   maxText,
		Reactions: true, Templates: true, Calls: true, ReadReceipts: true, WindowHours: int(window.Hours()),
	}
}

// Push implements channel.Kind. It immediately records a message that the provider
// accepted.
func (s *Service) Push(ctx context.Context, m conversation.Outgoing) (conversation.Delivery, error) {
	out := transport.MessageOf(m)
	parts := carrier{s}.Parts(&out)
	if len(parts) != 1 {
		return conversation.Delivery{Status: conversation.Queued}, nil
	}
	id, err := s.sendWithin(ctx, &out, parts[0])
	d := conversation.Delivery{Status: conversation.Sent, ProviderMessageID: id}
	if err == nil {
		s.reportPushed(ctx, m.ItemID, d)
	}
	s.accounts.RecordAnswer(ctx, out.AccountID, err)
	if err == nil {
		return d, nil
	}
	if why, final := transport.FinalReason(err); final {
		return conversation.Delivery{Status: conversation.Failed, Error: why}, nil
	}
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// sendWithin sends the only part of a message before its job begins.
func (s *Service) sendWithin(ctx context.Context, m *transport.Message, p transport.Part) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	return s.transport.SendPart(ctx, m, p, func(context.Context) error { return nil })
}

// reportPushed records that a pushed message was accepted. If the database fails, it tries
// again until shortly before the job would send the message a second time.
func (s *Service) reportPushed(ctx context.Context, item uuid.UUID, d conversation.Delivery) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushFor-pushTimeout-15*time.Second)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := channel.IgnoreDeleted(s.Inbound.RecordReport(ctx, item, d))
		if err == nil {
			return
		}
		s.Log.WarnContext(ctx, "a message accepted by the provider could not be recorded, trying again", "item", item, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// SendPart implements transport.Carrier.
func (c carrier) SendPart(ctx context.Context, o *opened, m *transport.Message, p transport.Part, check func(context.Context) error) (string, error) {
	at := o.Set.access(o.Creds)
	out := Message{To: m.To, Kind: KindText, Text: p.Text, Mark: m.ItemID.String()}
	if m.Template != nil {
		out.Kind, out.Template = KindTemplate, m.Template
	}
	for _, f := range p.Files {
		content, err := c.Files.ReadFile(ctx, f)
		if err != nil {
			return "", err
		}
		defer func() { _ = content.Close() }()
		out.Kind, out.Filename = kindOf(f), f.Name
		if out.MediaID, err = c.Provider.Upload(ctx, at, f.Name, f.Type, content); err != nil {
			return "", err
		}
	}
	if err := check(ctx); err != nil {
		return "", err
	}
	return c.Provider.Send(ctx, at, out)
}

// Reacts implements conversation.Reactor.
func (s *Service) Reacts(string) bool { return true }

// React implements conversation.Reactor.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	err := s.accounts.Call(ctx, r.Route.AccountID, func(o *opened) error {
		m := Message{To: r.Route.Address, Kind: KindReaction, ReactTo: r.ProviderMessageID, Emoji: r.Emoji}
		_, err := s.Provider.Send(ctx, o.Set.access(o.Creds), m)
		return err
	})
	return transport.FaultOf(err, fault.ReactionUnsupported)
}

// AfterChange implements channel.Kind: when a number is disconnected, the provider stops
// calling for its business account, unless another number still uses it, and starts again
// on reconnection.
func (s *Service) AfterChange(tx *db.Tx, a channel.Account, before string) error {
	if before == channel.Disconnected {
		return s.transport.EnqueueRejoin(tx, a.ID)
	}
	if a.Status != channel.Disconnected {
		return nil
	}
	o, err := s.accounts.Find(&tx.Reader, a.ID)
	if err != nil {
		return err
	}
	return s.transport.EnqueueLeave(tx, transport.Leaving{AccountID: a.ID, What: o.Set.BusinessID, Token: o.Creds.Token})
}

// Leave implements transport.Carrier; What is the business account.
func (c carrier) Leave(ctx context.Context, l transport.Leaving) error {
	left, err := c.ofBusiness(ctx, l.What)
	if err != nil || len(left) > 0 {
		return err
	}
	return c.Provider.Unsubscribe(ctx, (&Settings{BusinessID: l.What}).access(credentials{Token: l.Token}))
}

// Rejoin implements transport.Carrier.
func (c carrier) Rejoin(ctx context.Context, o *opened) error {
	return c.Provider.Subscribe(ctx, o.Set.access(o.Creds), o.Set.WebhookURL, o.Set.VerifyToken)
}
