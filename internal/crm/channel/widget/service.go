package widget

import (
	"context"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/api"
	"konak/internal/kit/blob"
	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// Typing shows agents that a visitor is typing; live implements it.
type Typing interface {
	VisitorTypes(ctx context.Context, conversation uuid.UUID, typing bool) error
}

// Article is a help article that may answer what a visitor asks.
type Article struct {
	Title   string `json:"title" example:"Siparişim ne zaman gelir?"`
	Snippet string `json:"snippet" example:"… <em>kargo</em> iki iş günü …" doc:"Escaped HTML with matches in <em>"`
	URL     string `json:"url" example:"https://ada.help.example.com/tr/a/0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c-kargo"`
}

// Articles finds help articles of the caller's workspace, or none if the workspace does not
// offer them in the widget.
type Articles interface {
	FindArticles(ctx context.Context, language, text string, limit int) ([]Article, error)
	// OffersArticles reports whether a search can find any.
	OffersArticles(ctx context.Context) (bool, error)
}

// Config holds what the widget needs.
type Config struct {
	DB            *db.DB
	Channels      *channel.Service
	Conversations *conversation.Service
	Inbound       *inbound.Service
	Files         *file.Service
	AIRecords     *airecord.Service
	Typing        Typing
	Articles      Articles
	Bus           bus.Bus
	Limits        limit.Limiter
	// BaseURL is the address that pages load the script from.
	BaseURL string
}

// Service is live chat.
type Service struct {
	Config
	heartbeat time.Duration
}

// New returns the widget channel.
func New(c Config) *Service { return &Service{c, defaultHeartbeat} }

// NewWidget is the input for creating a widget.
type NewWidget struct {
	ID      uuid.UUID // the zero id to create one
	Name    string
	Look    Look
	Hours   *channel.Hours
	GroupID *uuid.UUID
	AI      bool
}

// Create creates a widget.
func (s *Service) Create(ctx context.Context, n NewWidget) (out Opened, err error) {
	if err := n.Look.normalise(); err != nil {
		return out, err
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		a := channel.Account{ID: n.ID, Kind: Name, Name: n.Name, Status: channel.Active, GroupID: n.GroupID, AI: n.AI}
		a.Hours.V = n.Hours
		if a, err = s.Channels.Connect(tx, a); err != nil {
			return err
		}
		key, err := s.Channels.NewKey(tx, a.ID)
		if err != nil {
			return err
		}
		out.Account, err = s.Channels.Change(tx, Name, a.ID, func(a *channel.Account) error {
			return a.Write(Settings{Key: key, Look: n.Look})
		})
		out.Snippet = s.snippet(key)
		return err
	})
	return out, err
}

func (s *Service) snippet(key string) string {
	return `<script src="` + html.EscapeString(s.BaseURL) + `/widget.js" data-key="` + html.EscapeString(key) + `" async></script>`
}

// Change is a change of a widget; nil fields stay unchanged.
type Change struct {
	Name    *string
	Look    *Look
	Hours   *channel.Hours
	Always  bool       // removes the hours
	GroupID *uuid.UUID // the nil UUID for none
}

// Update changes a widget.
func (s *Service) Update(ctx context.Context, id uuid.UUID, ch Change) (out Opened, err error) {
	if ch.Look != nil {
		if err := ch.Look.normalise(); err != nil {
			return out, err
		}
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		var set Settings
		out.Account, err = s.Channels.Change(tx, Name, id, func(a *channel.Account) error {
			if err := a.Read(&set); err != nil {
				return err
			}
			if ch.Name != nil {
				a.Name = *ch.Name
			}
			if ch.Hours != nil || ch.Always {
				a.Hours.V = ch.Hours
			}
			a.ChangeGroup(ch.GroupID)
			if ch.Look != nil {
				set.Look = *ch.Look
			}
			return a.Write(set)
		})
		out.Snippet = s.snippet(set.Key)
		return err
	})
	return out, err
}

// Get returns a widget with its snippet.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (out Opened, err error) {
	if out.Account, err = s.Channels.Get(ctx, Name, id); err != nil {
		return out, err
	}
	var set Settings
	err = out.Read(&set)
	out.Snippet = s.snippet(set.Key)
	return out, err
}

var (
	_ channel.Kind       = (*Service)(nil)
	_ conversation.Asker = (*Service)(nil)
)

// Route implements channel.Kind: every visitor can be reached, because they see the reply
// when they look.
func (s *Service) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, ok := channel.IdentityOn(to, a.ID)
	if !ok {
		return nil, nil
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

// Take implements channel.Kind: a message has arrived as soon as it is written.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	return s.Inbound.MarkSent(tx, m.ItemID)
}

// Capabilities implements channel.Kind: the chat shows everything that the inbox can write.
func (s *Service) Capabilities() channel.Capabilities {
	return channel.Capabilities{Files: channel.AnyFile(file.MaxSize), Typing: true}
}

// Push implements channel.Kind.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Sent}, nil
}

// Ask implements conversation.Asker: the widget asks by itself.
func (s *Service) Ask(*db.Tx, conversation.Question) (bool, error) { return true, nil }

// AfterChange implements channel.Kind.
func (s *Service) AfterChange(*db.Tx, channel.Account, string) error { return nil }

// page is a request from a page that shows the widget.
type page struct {
	channel.Owned
	set Settings
	ip  string
}

// enter finds the widget by its key and checks that the page may show it.
func (s *Service) enter(ctx context.Context, key, from, ip string) (context.Context, *page, error) {
	owned, err := s.Channels.ByKey(ctx, key)
	if err != nil {
		return ctx, nil, err
	}
	p := &page{Owned: owned, ip: ip}
	if owned.Account.Kind != Name {
		return ctx, nil, fault.New(fault.NotFound)
	}
	if err := owned.Account.Read(&p.set); err != nil {
		return ctx, nil, err
	}
	if !slices.Contains(p.set.Origins, from) {
		return ctx, nil, fault.New(fault.CrossOrigin)
	}
	if !owned.Account.Works() || !slices.Contains(owned.Licences, "crm") {
		return ctx, nil, fault.New(fault.ChannelUnavailable).Because(owned.Account.Status)
	}
	return owned.Context(ctx, ip), p, nil
}

// articlesOffered is the maximum number of articles that a search in the widget returns.
const articlesOffered = 4

// findArticles returns help articles that may answer a visitor.
func (s *Service) findArticles(ctx context.Context, p *page, language, text string) ([]Article, error) {
	if err := api.TakeLimits(ctx, s.Limits, searchesOfAddress.By(limit.OfIP(p.ip))); err != nil {
		return nil, err
	}
	return s.Articles.FindArticles(ctx, language, text, articlesOffered)
}

// config returns the widget's current configuration.
func (s *Service) config(ctx context.Context, p *page) (PublicConfig, error) {
	now := s.DB.Clock().Now()
	l := p.set.Look
	articles, err := s.Articles.OffersArticles(ctx)
	out := PublicConfig{
		Articles: articles,
		Name:     p.Account.Name, Open: p.Account.Hours.V.Open(now),
		Look: PublicLook{Color: l.Color, Position: l.Position, Language: l.Language, TR: l.TR, EN: l.EN, Prechat: l.Prechat},
	}
	if next := p.Account.Hours.V.Next(now); next != nil {
		out.OpensAt = clock.Ptr(*next)
	}
	return out, err
}

// visitor returns the visitor with this token; unauthenticated if it is unknown.
func (s *Service) visitor(ctx context.Context, p *page, token string) (Visitor, error) {
	if !secret.WellFormed(token, secret.VisitorPrefix) {
		return Visitor{}, fault.New(fault.Unauthenticated)
	}
	v, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Visitor, error) { return byToken(r, p.Account.ID, secret.Hash(token)) })
	return v, db.IfNoRow(err, fault.New(fault.Unauthenticated))
}

// seenEvery is the shortest interval at which a visitor's return is recorded.
const seenEvery = time.Hour

// markSeen records that a visitor came back, so that they are not deleted as idle.
func (s *Service) markSeen(ctx context.Context, v Visitor) error {
	if s.DB.Clock().Now().Before(v.SeenAt.Add(seenEvery)) {
		return nil
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return markSeen(tx, v.ID) })
}

// begin continues the session of the visitor with this token, or creates a new visitor.
func (s *Service) begin(ctx context.Context, p *page, token string, v Visitor) (out Session, err error) {
	if token != "" {
		known, err := s.visitor(ctx, p, token)
		if err == nil {
			err = s.markSeen(ctx, known)
		}
		if err == nil {
			return s.session(ctx, known)
		}
		if !fault.Is(err, fault.Unauthenticated) {
			return out, err
		}
	}
	if err := s.allowVisitor(ctx, p); err != nil {
		return out, err
	}
	fresh := secret.NewToken(secret.VisitorPrefix)
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		v.ID = tx.NewID()
		return put(tx, p.Account.ID, v, secret.Hash(fresh))
	})
	out.Token = &fresh
	return out, err
}

func (s *Service) session(ctx context.Context, v Visitor) (out Session, err error) {
	out.Known = v.Name != "" || v.Email != "" || v.Phone != ""
	if v.ConversationID == nil {
		return out, nil
	}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		shown, err := s.Inbound.ShownTo(r, *v.ConversationID)
		if fault.Is(err, fault.NotFound) {
			return nil // deleted: the visitor starts again
		}
		c := &shown.Conversation
		out.ConversationID, out.State, out.AskRating, out.Known = &c.ID, &c.State, shown.Asked, true
		return err
	})
	return out, err
}

// Line is a visitor's message.
type Line struct {
	Body  string
	ID    string
	Name  string
	Email string
	Phone string
	Page  string
	Files []file.Prepared
}

// write brings in a visitor's message.
func (s *Service) write(ctx context.Context, p *page, v Visitor, l Line) (out Written, err error) {
	if l.Body = strings.TrimSpace(l.Body); l.Body == "" && len(l.Files) == 0 {
		return out, fault.Invalid("body", "required")
	}
	if err := v.setProfile(p.set.Prechat, l); err != nil {
		return out, err
	}
	if _, err := io.Copy(io.Discard, s.limitBytes(ctx, p, v.ID, strings.NewReader(l.Body))); err != nil {
		return out, err
	}
	in := inbound.Inbound{
		Channel: Name, Body: l.Body, Attachments: l.Files, AI: p.Account.AI, GroupID: p.Account.GroupID, ConversationID: v.ConversationID,
		From: contact.Sender{
			Channel: Name, AccountID: p.Account.ID, ExternalID: v.ID.String(), Name: v.Name, Email: v.Email, Phone: v.Phone,
			Language: v.Language, Username: guestName(v), Unproven: true,
		},
		Then: func(tx *db.Tx, out *inbound.Ingested) error {
			v.ConversationID = &out.Conversation.ID
			return save(tx, v)
		},
	}
	if l.ID != "" {
		in.ProviderMessageID = v.ID.String() + "/" + l.ID
	}
	got, err := s.Inbound.Ingest(ctx, in)
	if err != nil {
		return out, err
	}
	out.Message = show(got.Item, nil, nil)
	out.Session, err = s.session(ctx, v)
	return out, err
}

// attach brings in a file that a visitor sends.
func (s *Service) attach(ctx context.Context, p *page, v Visitor, name, declared string, r io.Reader) (out Written, err error) {
	f, err := s.Files.PrepareWithin(ctx, blob.Visitors, name, declared, s.limitBytes(ctx, p, v.ID, r))
	switch {
	case err != nil:
		return out, err
	case f.Blocked == file.BlockedSize:
		return out, fault.New(fault.BodyTooLarge, file.MaxSize)
	case f.Blocked != "":
		return out, fault.Invalid("file", f.Blocked).Because(f.Type)
	case f.Size == 0:
		return out, fault.Invalid("file", "required")
	}
	return s.write(ctx, p, v, Line{Files: []file.Prepared{f}})
}

// setProfile sets the name and addresses that the visitor gave, and refuses a first message
// without the required ones.
func (v *Visitor) setProfile(ask Prechat, l Line) error {
	from := contact.Sender{Email: l.Email, Phone: l.Phone}
	if err := from.Check(); err != nil {
		return err
	}
	for to, said := range map[*string]string{&v.Name: l.Name, &v.Email: l.Email, &v.Phone: l.Phone, &v.Page: l.Page} {
		if said = strings.TrimSpace(said); said != "" {
			*to = said
		}
	}
	f := fault.New(fault.ValidationFailed)
	if ask.Enabled && v.ConversationID == nil {
		if ask.NameRequired && v.Name == "" {
			f.Field("name", "required")
		}
		if ask.EmailRequired && v.Email == "" {
			f.Field("email", "required")
		}
	}
	return f.OrNil()
}
