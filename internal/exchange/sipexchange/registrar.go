package sipexchange

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// How long a telephone may be signed in without signing in again.
const (
	shortestRegistration = time.Minute
	longestRegistration  = 10 * time.Minute
)

// maxContact limits the length of the address that a telephone gives.
const maxContact = 256

// binding is one telephone that is signed in as a device.
type binding struct {
	tenant    uuid.UUID
	username  string
	contact   string // the address for its calls
	source    string // where its messages come from, and ours are sent
	transport string
	agent     string
	callID    string
	cseq      int64
	since     clock.Time
	expiresAt clock.Time
}

func (x *Exchange) handleRegister(req *sip.Request, tx *sip.ServerTx) {
	device, ok := x.authenticate(req, tx)
	if !ok {
		return
	}
	if req.To().Address.User != device.Username {
		respond(tx, req, 403, "Forbidden")
		return
	}
	if why, err := x.whyRefused(device); err != nil {
		x.cfg.Log.Error("cannot check whether a telephone may sign in", "error", err)
		respond(tx, req, 503, "Service Unavailable", sip.NewHeader("Retry-After", "10"))
		return
	} else if why != "" {
		x.signOut(device.Tenant, device.Username)
		respond(tx, req, 403, "Forbidden", warning(why))
		return
	}
	wanted, code, reason := x.readContacts(req, device)
	if code != 0 {
		var headers []sip.Header
		if code == 423 {
			headers = append(headers, sip.NewHeader("Min-Expires", strconv.Itoa(int(shortestRegistration.Seconds()))))
		}
		respond(tx, req, code, reason, headers...)
		return
	}
	now, err := x.applyContacts(device, wanted)
	if err != nil {
		respond(tx, req, 503, "Service Unavailable", sip.NewHeader("Retry-After", "5"))
		return
	}
	var headers []sip.Header
	for _, b := range x.bindingsOf(device.Username) {
		left := int(b.expiresAt.Sub(now).Seconds())
		headers = append(headers, sip.NewHeader("Contact", "<"+b.contact+">;expires="+strconv.Itoa(left)))
	}
	respond(tx, req, 200, "OK", headers...)
}

// whyRefused returns why a telephone may not sign in; "" if it may.
func (x *Exchange) whyRefused(d exchange.Device) (string, error) {
	if x.cfg.RefusedPhones == nil {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTimeout)
	defer cancel()
	refused, err := x.cfg.RefusedPhones(ctx, d.Tenant, []string{d.Username})
	return refused[d.Username], err
}

// warning returns a header with a text for people.
func warning(text string) sip.Header {
	return sip.NewHeader("Warning", `399 konak "`+cleanName(text)+`"`)
}

// signOut ends the registrations of a device. Its calls continue.
func (x *Exchange) signOut(tenant uuid.UUID, username string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.setBindings(context.Background(), tenant, username, nil, x.bindings[username]); err != nil {
		x.cfg.Log.Warn("a registration could not be ended", "error", err)
	}
}

// SignOutRefused signs out the telephones that may no longer be signed in.
func (x *Exchange) SignOutRefused(ctx context.Context) error {
	if x.cfg.RefusedPhones == nil {
		return nil
	}
	for tenant, usernames := range x.signedIn() {
		refused, err := x.cfg.RefusedPhones(ctx, tenant, usernames)
		if err != nil {
			return err
		}
		for username := range refused {
			x.signOut(tenant, username)
		}
	}
	return nil
}

// signedIn lists the usernames of signed-in telephones by tenant.
func (x *Exchange) signedIn() map[uuid.UUID][]string {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[uuid.UUID][]string{}
	for username, all := range x.bindings {
		out[all[0].tenant] = append(out[all[0].tenant], username)
	}
	return out
}

// readContacts reads the bindings that a telephone asks for: those to create, and those to
// end, which expire at once. A non-zero code refuses the request.
func (x *Exchange) readContacts(req *sip.Request, d exchange.Device) (wanted []*binding, code int, reason string) {
	now := x.cfg.Clock.Now()
	fallback := expiry(header(req, "Expires"), longestRegistration)
	contacts := req.GetHeaders("Contact")
	if len(contacts) > x.cfg.Limits.BindingsOfDevice {
		return nil, 400, "Too Many Contacts"
	}
	for _, h := range contacts {
		var c sip.ContactHeader
		if strings.TrimSpace(h.Value()) == "*" {
			if len(contacts) != 1 || fallback != 0 {
				return nil, 400, "Bad Request"
			}
			for _, b := range x.bindingsOf(d.Username) {
				ended := *b
				ended.expiresAt = clock.At(now)
				wanted = append(wanted, &ended)
			}
			return wanted, 0, ""
		}
		if parsed, ok := h.(*sip.ContactHeader); ok {
			c = *parsed
		} else {
			return nil, 400, "Bad Request"
		}
		life := fallback
		if value, ok := c.Params.Get("expires"); ok {
			life = expiry(value, fallback)
		}
		if life > 0 && life < shortestRegistration {
			return nil, 423, "Interval Too Brief"
		}
		uri := c.Address.String()
		if c.Address.Scheme != "sip" || len(uri) > maxContact || !isPlain(uri) {
			return nil, 400, "Bad Request"
		}
		wanted = append(wanted, &binding{
			tenant: d.Tenant, username: d.Username, contact: uri, source: req.Source(), transport: req.Transport(),
			agent: clean(header(req, "User-Agent"), 100), callID: string(*req.CallID()), cseq: int64(req.CSeq().SeqNo),
			since: clock.At(now), expiresAt: clock.At(now.Add(min(life, longestRegistration))),
		})
	}
	return wanted, 0, ""
}

// expiry parses a number of seconds; it returns otherwise if it cannot.
func expiry(value string, otherwise time.Duration) time.Duration {
	n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32)
	if err != nil {
		return otherwise
	}
	return time.Duration(n) * time.Second
}

// isPlain reports whether s is printable ASCII without spaces, so that it is safe in a
// message.
func isPlain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// clean returns the printable part of a peer's text, cut to n bytes.
func clean(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), n)]
}

// applyContacts creates, renews and ends bindings of a device, durably, and returns the
// time it used. A request older than the last one of its telephone changes nothing.
func (x *Exchange) applyContacts(d exchange.Device, wanted []*binding) (time.Time, error) {
	now := x.cfg.Clock.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	have := slices.Clone(x.bindings[d.Username])
	var gone []*binding
	for _, w := range wanted {
		i := slices.IndexFunc(have, func(b *binding) bool { return b.contact == w.contact })
		if i >= 0 && have[i].callID == w.callID && w.cseq < have[i].cseq {
			continue
		}
		if i >= 0 {
			w.since = have[i].since
			have = slices.Delete(have, i, i+1)
		}
		if w.expiresAt.After(now) {
			have = append(have, w)
		} else {
			gone = append(gone, w)
		}
	}
	// Bindings that expire first make way: otherwise a telephone that changes its address
	// with every start would lock itself out.
	slices.SortStableFunc(have, func(a, b *binding) int { return cmp.Compare(a.expiresAt.UnixMicro(), b.expiresAt.UnixMicro()) })
	if over := len(have) - x.cfg.Limits.BindingsOfDevice; over > 0 {
		gone, have = append(gone, have[:over]...), have[over:]
	}
	return now, x.setBindings(context.Background(), d.Tenant, d.Username, have, gone)
}

// setBindings writes the bindings of a device, and emits an event if its first came or its
// last went. The caller holds the lock.
func (x *Exchange) setBindings(ctx context.Context, tenant uuid.UUID, username string, have, gone []*binding) error {
	before := len(x.bindings[username])
	e := exchange.Event{Tenant: tenant, Device: username, At: clock.At(x.cfg.Clock.Now())}
	switch {
	case before == 0 && len(have) > 0:
		e.Type = exchange.DeviceRegisteredEvent
	case before > 0 && len(have) == 0:
		e.Type = exchange.DeviceUnregisteredEvent
	}
	err := x.store.inTx(ctx, func(tx *db.Tx) error {
		for _, b := range gone {
			if err := dropRegistration(tx, b); err != nil {
				return err
			}
		}
		for _, b := range have {
			if err := putRegistration(tx, b); err != nil {
				return err
			}
		}
		if e.Type != "" {
			return addEvent(tx, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if x.bindings[username] = have; len(have) == 0 {
		delete(x.bindings, username)
	}
	if e.Type != "" {
		signal(x.events.wake)
	}
	return nil
}

func (x *Exchange) bindingsOf(username string) []*binding {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.bindings[username])
}

// isSignedInFrom reports whether a telephone at this address is signed in as the user.
func (x *Exchange) isSignedInFrom(username string, addr netip.Addr) bool {
	return slices.ContainsFunc(x.bindingsOf(username), func(b *binding) bool {
		from := parsePeer(b.source).Addr()
		return from.IsValid() && from == addr
	})
}

// expireBindings ends the bindings that have expired.
func (x *Exchange) expireBindings(ctx context.Context, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for username, all := range x.bindings {
		isOver := func(b *binding) bool { return !b.expiresAt.After(now) }
		if !slices.ContainsFunc(all, isOver) {
			continue
		}
		var have, gone []*binding
		for _, b := range all {
			if isOver(b) {
				gone = append(gone, b)
			} else {
				have = append(have, b)
			}
		}
		if err := x.setBindings(ctx, all[0].tenant, username, have, gone); err != nil {
			x.cfg.Log.Warn("a registration could not be ended", "error", err)
		}
	}
}
