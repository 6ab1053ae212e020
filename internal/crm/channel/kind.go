package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Kind is a channel as this package needs it: custom, e-mail, WhatsApp and so on.
type Kind interface {
	// Route returns the way to the customer over a working account, or nil if the account
	// does not reach them. It may refuse with a fault, such as window_closed.
	Route(r *db.Reader, a Account, to contact.Contact) (*conversation.Route, error)
	// Take queues a message durably (an event, a job, a row) in the transaction that writes
	// it. It does no network I/O.
	Take(tx *db.Tx, m conversation.Outgoing) error
	// Push sends a taken message now, for callers who wait. A kind that only queues returns
	// Queued.
	Push(ctx context.Context, m conversation.Outgoing) (conversation.Delivery, error)
	// AfterChange is called in the gate's transaction when the status of an account of the kind
	// has changed.
	AfterChange(tx *db.Tx, a Account, before string) error
	// Capabilities returns what the kind can carry. Anything else is refused before it is
	// written.
	Capabilities() Capabilities
}

// Kinds maps names to kinds of channels. A kind needs the gate of the inbox, which needs
// the channels, so the app creates the map first and fills it while it builds the kinds,
// before it serves.
type Kinds map[string]Kind

var (
	_ conversation.Router         = (*Service)(nil)
	_ conversation.Asker          = (*Service)(nil)
	_ conversation.Reactor        = (*Service)(nil)
	_ conversation.Receipter      = (*Service)(nil)
	_ conversation.TemplateRouter = (*Service)(nil)
)

// Ask implements conversation.Asker, for the kinds that implement it.
func (s *Service) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	if kind, ok := s.cfg.Kinds[q.Route.Channel].(conversation.Asker); ok {
		return kind.Ask(tx, q)
	}
	return false, nil
}

// Connected implements conversation.Router.
func (s *Service) Connected(r *db.Reader) (map[string]bool, error) {
	kinds, err := workingKinds(r)
	out := make(map[string]bool, len(kinds))
	for _, k := range kinds {
		out[k] = true
	}
	return out, err
}

// accountsTried limits how many accounts a search for a route checks.
const accountsTried = 50

// Route implements conversation.Router: it returns the requested account, or the oldest
// that reaches the customer. If every account that reaches them refuses, it returns the
// first with its refusal; an account that is paused or not connected yet refuses with
// channel_unavailable.
func (s *Service) Route(r *db.Reader, w conversation.Wish) (*conversation.Route, error) {
	list, err := s.candidates(r, w)
	if err != nil {
		return nil, err
	}
	var refused *conversation.Route
	var refusal error
	for _, a := range list {
		route, err := s.routeOver(r, a, w.Contact)
		if _, known := fault.As(err); err != nil && !known {
			return nil, err
		}
		if route != nil && err == nil {
			return route, nil
		}
		if refused == nil {
			refused, refusal = route, err
		}
	}
	return refused, refusal
}

// routeOver finds the way over one account: nil if it does not reach the customer, and the
// account with its refusal if it reaches them but refuses.
func (s *Service) routeOver(r *db.Reader, a Account, to contact.Contact) (*conversation.Route, error) {
	kind, known := s.cfg.Kinds[a.Kind]
	if !known || a.Status == Disconnected {
		return nil, nil
	}
	route, err := kind.Route(r, a, to)
	if route == nil && err == nil {
		return nil, nil
	}
	if route == nil {
		route = &conversation.Route{}
	}
	route.Channel, route.AccountID = a.Kind, a.ID
	f, refused := fault.As(err)
	if _, sends := kind.(Templater); refused && sends && f.Code == fault.WindowClosed && f.Reason == "" {
		err = f.Because(fault.TemplatesOnly)
	}
	if !a.Works() && (err == nil || refused) {
		err = fault.New(fault.ChannelUnavailable).Because(a.Status)
	}
	return route, err
}

// HasAccount implements conversation.Router.
func (s *Service) HasAccount(r *db.Reader, channel string, account uuid.UUID) (bool, error) {
	a, err := byID(r, account)
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil && a.Kind == channel, err
}

func (s *Service) candidates(r *db.Reader, w conversation.Wish) ([]Account, error) {
	if w.AccountID == nil {
		return connected(r, w.Channel, accountsTried)
	}
	a, err := byID(r, *w.AccountID)
	if db.IsNoRow(err) {
		return nil, nil
	}
	return []Account{a}, err
}

// Take implements conversation.Router.
func (s *Service) Take(tx *db.Tx, m conversation.Outgoing) error {
	kind, ok := s.cfg.Kinds[m.Route.Channel]
	if !ok {
		return nil
	}
	if err := kind.Capabilities().check(m); err != nil {
		return err
	}
	return kind.Take(tx, m)
}

// Push implements conversation.Router.
func (s *Service) Push(ctx context.Context, m conversation.Outgoing) (conversation.Delivery, error) {
	if kind, ok := s.cfg.Kinds[m.Route.Channel]; ok {
		return kind.Push(ctx, m)
	}
	return conversation.Delivery{Status: conversation.Queued}, nil
}

// IdentityOn finds a contact's identity on an account. Of several identities it returns the
// one whose window is open longest, which is the one that the customer last wrote with.
func IdentityOn(c contact.Contact, account uuid.UUID) (out contact.Identity, found bool) {
	for _, i := range c.Identities {
		if i.ChannelAccountID == nil || *i.ChannelAccountID != account || !i.Reachable {
			continue
		}
		later := i.WindowExpiresAt != nil && (out.WindowExpiresAt == nil || i.WindowExpiresAt.After(out.WindowExpiresAt.Time))
		if !found || later {
			out, found = i, true
		}
	}
	return out, found
}

// Templater is a kind that sends templates.
type Templater interface {
	// RouteTemplate finds the customer on a working account, whether or not they wrote
	// recently; nil if the account does not reach them.
	RouteTemplate(r *db.Reader, a Account, to contact.Contact) (*conversation.Route, error)
	// Window returns the time until which free text can be sent to a customer, or nil if
	// they never wrote.
	Window(a Account, to contact.Contact) *clock.Time
}

// RouteTemplate implements conversation.TemplateRouter.
func (s *Service) RouteTemplate(r *db.Reader, to contact.Contact, t *template.Template) (*conversation.Route, error) {
	a, err := byID(r, t.AccountID)
	if db.IsNoRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kind, ok := s.cfg.Kinds[a.Kind].(Templater)
	if !ok {
		return nil, nil
	}
	if !a.Works() {
		return nil, fault.New(fault.ChannelUnavailable).Because(a.Status)
	}
	route, err := kind.RouteTemplate(r, a, to)
	if route != nil {
		route.Channel, route.AccountID = a.Kind, a.ID
	}
	return route, err
}

// Window implements conversation.TemplateRouter.
func (s *Service) Window(r *db.Reader, account uuid.UUID, to contact.Contact) (*clock.Time, bool, error) {
	a, err := byID(r, account)
	if db.IsNoRow(err) {
		return nil, false, nil
	}
	kind := s.cfg.Kinds[a.Kind]
	if err != nil || kind == nil {
		return nil, false, err
	}
	if t, ok := kind.(Templater); ok {
		return t.Window(a, to), true, nil
	}
	if _, err := kind.Route(r, a, to); !fault.Is(err, fault.WindowClosed) {
		return nil, false, nil
	}
	i, _ := IdentityOn(to, a.ID)
	return i.WindowExpiresAt, true, nil
}

// Receipts is a kind that can tell customers that their messages were read.
type Receipts interface {
	// SetReadReceipts turns read receipts on or off in the settings of an account.
	SetReadReceipts(a *Account, on bool) error
	// MarkSeen is called when an agent has read a conversation, with the customer's newest
	// message.
	MarkSeen(tx *db.Tx, a Account, providerMessageID string) error
}

// MarkSeen implements conversation.Receipter, for the kinds that implement Receipts.
func (s *Service) MarkSeen(tx *db.Tx, channel string, account uuid.UUID, providerMessageID string) error {
	kind, ok := s.cfg.Kinds[channel].(Receipts)
	if !ok {
		return nil
	}
	a, err := byID(&tx.Reader, account)
	if db.IsNoRow(err) || err == nil && !a.Works() {
		return nil
	}
	if err != nil {
		return err
	}
	return kind.MarkSeen(tx, a, providerMessageID)
}

// SetReadReceipts sets whether customers of an account see that their messages were read;
// not_found if the account's kind has no read receipts.
func (s *Service) SetReadReceipts(ctx context.Context, id uuid.UUID, on bool) (a Account, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err = s.Change(tx, "", id, func(a *Account) error {
			kind, ok := s.cfg.Kinds[a.Kind].(Receipts)
			if !ok {
				return fault.New(fault.NotFound)
			}
			return kind.SetReadReceipts(a, on)
		})
		return err
	})
	return a, err
}

// React implements conversation.Reactor, for the kinds that implement it.
func (s *Service) React(ctx context.Context, r conversation.OutgoingReaction) error {
	kind, ok := s.cfg.Kinds[r.Route.Channel].(conversation.Reactor)
	if !ok {
		return fault.New(fault.ReactionUnsupported).Because(conversation.ChannelUnsupported)
	}
	if err := s.checkSign(r); err != nil {
		return err
	}
	return kind.React(ctx, r)
}

// Reacts implements conversation.Reactor.
func (s *Service) Reacts(channel string) bool {
	kind, ok := s.cfg.Kinds[channel].(conversation.Reactor)
	return ok && kind.Reacts(channel)
}

// IgnoreDeleted returns nil if err is the fault not_found, because the record was deleted
// in the meantime. It returns every other error unchanged.
func IgnoreDeleted(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
