package sipexchange

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

const (
	trunkExpires  = 10 * time.Minute
	firstRetry    = 5 * time.Second
	longestRetry  = 5 * time.Minute
	resolveEvery  = 5 * time.Minute
	unregisterFor = 2 * time.Second
	maxRealms     = 4
)

// trunk is an outside line and its state.
type trunk struct {
	exchange.Trunk
	// contactUser is the user in the address for calls from the line. It is random: only
	// the line's server knows it.
	contactUser string

	mu     sync.Mutex
	ha1    map[string]secret.Text // by realm
	addr   netip.AddrPort         // of its server, when last looked up
	conn   *secureConn            // of a line over TLS
	status exchange.TrunkStatus
	cancel context.CancelFunc
	done   chan struct{}
}

// isSameLogin reports whether two settings of a line sign in at the same server as the same
// user, so that one may use the other's password.
func isSameLogin(a, b exchange.Trunk) bool {
	return a.Server == b.Server && a.Transport == b.Transport && a.Username == b.Username && a.AuthUser == b.AuthUser
}

// PutTrunk implements exchange.Trunks.
func (x *Exchange) PutTrunk(ctx context.Context, in exchange.Trunk) error {
	if in.Transport == "" {
		in.Transport = "udp"
	}
	if in.Encryption == "" {
		in.Encryption = exchange.EncryptionOff
	}
	host, _, err := splitServer(in.Server, in.Transport)
	valid := err == nil && isPlain(host) && slices.Contains([]string{"udp", "tcp", "tls"}, in.Transport) && canEncrypt(in) &&
		isUser(in.Username) && (in.AuthUser == "" || isUser(in.AuthUser)) && in.Tenant != uuid.Nil && in.ID != uuid.Nil
	if !valid {
		return exchange.ErrInvalid
	}
	x.mu.Lock()
	old := x.trunks[in.ID]
	x.mu.Unlock()
	if old != nil && old.Tenant != in.Tenant {
		return exchange.ErrUnknown
	}
	t := &trunk{Trunk: in, contactUser: newTag(), ha1: map[string]secret.Text{}}
	if old != nil {
		old.stop(ctx)
		defer x.dropUnused(old)
		if isSameLogin(old.Trunk, in) && in.Password.Reveal() == "" {
			t.Password, t.contactUser, t.ha1 = old.Password, old.contactUser, maps.Clone(old.ha1)
		}
	}
	if err := x.saveTrunk(ctx, t); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.trunks[in.ID] = t
	x.startTrunk(t)
	return nil
}

// canEncrypt reports whether the encryption of a line is a known one, and its keys cannot
// be read on the way.
func canEncrypt(t exchange.Trunk) bool {
	switch t.Encryption {
	case exchange.EncryptionOff:
		return true
	case exchange.EncryptionOptional, exchange.EncryptionRequired:
		return t.Transport == "tls"
	}
	return false
}

func isUser(s string) bool {
	return s != "" && len(s) <= 64 && isPlain(s) && !strings.ContainsAny(s, `"<>@;:,?\`)
}

// splitServer splits host or host:port; without a port it returns the transport's default.
func splitServer(server, transport string) (host string, port int, err error) {
	if !strings.Contains(server, ":") || strings.Count(server, ":") > 1 && !strings.HasPrefix(server, "[") {
		server = net.JoinHostPort(server, strconv.Itoa(sip.DefaultPort(transport)))
	}
	host, text, err := net.SplitHostPort(server)
	if err != nil || host == "" || len(host) > 253 {
		return "", 0, exchange.ErrInvalid
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return "", 0, exchange.ErrInvalid
	}
	return host, int(n), nil
}

func (x *Exchange) saveTrunk(ctx context.Context, t *trunk) error {
	t.mu.Lock()
	ha1 := map[string]string{}
	for realm, h := range t.ha1 {
		ha1[realm] = h.Reveal()
	}
	t.mu.Unlock()
	return x.store.inTx(ctx, func(tx *db.Tx) error { return x.store.putTrunk(tx, t.Trunk, t.contactUser, ha1) })
}

// DropTrunk implements exchange.Trunks.
func (x *Exchange) DropTrunk(ctx context.Context, tenant, id uuid.UUID) error {
	t := x.findTrunk(tenant, id)
	if t == nil {
		return nil
	}
	if err := x.store.inTx(ctx, func(tx *db.Tx) error { return dropTrunk(tx, tenant, id) }); err != nil {
		return err
	}
	x.mu.Lock()
	delete(x.trunks, id)
	x.mu.Unlock()
	t.stop(ctx)
	x.endLegs(tenant, func(l exchange.Leg) bool { return l.Trunk == id })
	x.dropUnused(t)
	return nil
}

// findTrunk returns a line of a tenant; nil if it does not exist.
func (x *Exchange) findTrunk(tenant, id uuid.UUID) *trunk {
	x.mu.Lock()
	defer x.mu.Unlock()
	if t := x.trunks[id]; t != nil && t.Tenant == tenant {
		return t
	}
	return nil
}

// startTrunk keeps a line signed in until it is stopped.
func (x *Exchange) startTrunk(t *trunk) {
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel, t.done = cancel, make(chan struct{})
	x.spawn(func() {
		defer close(t.done)
		x.keepTrunk(ctx, t)
	})
}

// stop ends the line's goroutine, which signs out at the server.
func (t *trunk) stop(ctx context.Context) {
	t.cancel()
	select {
	case <-t.done:
	case <-ctx.Done():
	}
}

func (t *trunk) currentStatus() exchange.TrunkStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.status.State == "" { // only just created
		return exchange.TrunkStatus{State: exchange.TrunkRegistering}
	}
	return t.status
}

// setStatus stores the status of a line, and emits an event if it changed.
func (x *Exchange) setStatus(t *trunk, state exchange.TrunkState, err error) {
	text := faultText(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.status.State == state && t.status.LastError == text {
		return
	}
	t.status = exchange.TrunkStatus{State: state, LastError: text, Since: x.now()}
	status := t.status
	x.events.add(exchange.Event{Type: exchange.TrunkStatusEvent, Tenant: t.Tenant, Trunk: t.ID, Status: &status})
}

// keepTrunk keeps a line signed in: it signs in again before the registration expires, and
// after a failure at growing intervals.
func (x *Exchange) keepTrunk(ctx context.Context, t *trunk) {
	x.setStatus(t, exchange.TrunkRegistering, nil)
	d := &dialog{callID: newTag() + "@konak", localTag: newTag(), transport: strings.ToUpper(t.Transport)}
	pause := firstRetry
	for {
		wait, err := x.refreshTrunk(ctx, t, d)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errNeedsPassword):
			x.setStatus(t, exchange.TrunkNeedsPassword, err)
			wait = 24 * time.Hour // nothing changes until the password is given
		case err != nil:
			x.setStatus(t, exchange.TrunkFailed, err)
			wait, pause = pause, min(2*pause, longestRetry)
		case t.Register:
			x.setStatus(t, exchange.TrunkRegistered, nil)
			pause = firstRetry
		default:
			x.setStatus(t, exchange.TrunkReady, nil)
			pause = firstRetry
		}
		select {
		case <-ctx.Done():
			if t.currentStatus().State == exchange.TrunkRegistered {
				last, cancel := context.WithTimeout(context.Background(), unregisterFor)
				_, _ = x.register(last, t, d, 0)
				cancel()
			}
			return
		case <-t.lostConnection():
		case <-time.After(wait):
		}
	}
}

// refreshTrunk looks up the line's server and signs in. It returns when to do so again.
func (x *Exchange) refreshTrunk(ctx context.Context, t *trunk, d *dialog) (time.Duration, error) {
	if _, err := x.resolve(ctx, t); err != nil {
		return 0, err
	}
	if err := x.connectTrunk(ctx, t); err != nil {
		return 0, err
	}
	if !t.Register {
		return resolveEvery, nil
	}
	return x.register(ctx, t, d, trunkExpires)
}

// resolve looks up the address of a line's server.
func (x *Exchange) resolve(ctx context.Context, t *trunk) (string, error) {
	host, port, err := splitServer(t.Server, t.Transport)
	if err != nil {
		return "", err
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addrs) == 0 {
		return "", errNoAddress
	}
	addr := addrs[0].Unmap()
	if !x.mayReach(addr) {
		return "", errRefusedAddress
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addr = netip.AddrPortFrom(addr, uint16(port))
	return t.addr.String(), nil
}

// reach looks up the address of a line's server, and connects to it if it uses TLS. How
// long that takes depends on the servers of others.
func (x *Exchange) reach(ctx context.Context, t *trunk) (string, error) {
	dest, err := x.resolve(ctx, t)
	if err == nil {
		err = x.connectTrunk(ctx, t)
	}
	if err != nil && ctx.Err() != nil {
		err = errStopped
	}
	return dest, err
}

// mayReach reports whether lines may connect to an address.
func (x *Exchange) mayReach(addr netip.Addr) bool {
	return x.cfg.CheckAddress == nil || x.cfg.CheckAddress(addr) == nil
}

// CheckServer implements exchange.Trunks. A name that cannot be looked up now is not
// refused.
func (x *Exchange) CheckServer(ctx context.Context, server, transport string) error {
	host, _, err := splitServer(server, transport)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err == nil && len(addrs) > 0 && !x.mayReach(addrs[0].Unmap()) {
		return exchange.ErrInvalid
	}
	return nil
}

// register sends a REGISTER and answers its challenge. It returns when to send the next.
func (x *Exchange) register(ctx context.Context, t *trunk, d *dialog, expires time.Duration) (time.Duration, error) {
	host, _, _ := splitServer(t.Server, t.Transport)
	t.mu.Lock()
	d.dest = t.addr.String()
	t.mu.Unlock()
	d.local = sip.Uri{Scheme: "sip", User: t.Username, Host: host}
	d.remote, d.target = d.local, sip.Uri{Scheme: "sip", Host: host}
	var authorization sip.Header
	for range 4 {
		req := x.newRequest(d, sip.REGISTER)
		req.AppendHeader(x.contactHeader(t.contactUser, t.Transport, d.dest))
		req.AppendHeader(sip.NewHeader("Expires", strconv.Itoa(int(expires.Seconds()))))
		if authorization != nil {
			req.AppendHeader(authorization)
		}
		req.SetBody(nil)
		res, tx, err := x.request(ctx, req)
		if err != nil {
			return 0, err
		}
		tx.Terminate()
		switch {
		case res.IsSuccess():
			granted := grantedExpiry(res, t.contactUser, expires)
			return max(granted*4/5, 10*time.Second), nil
		case res.StatusCode == 401 || res.StatusCode == 407:
			if authorization, err = x.authorize(t, req, res); err != nil {
				return 0, err
			}
		case res.StatusCode == 423:
			expires = min(expiry(header(res, "Min-Expires"), expires), time.Hour)
		default:
			return 0, refusedBy(res.StatusCode)
		}
	}
	return 0, errWrongPassword
}

// grantedExpiry returns how long a server keeps us signed in.
func grantedExpiry(res *sip.Response, user string, asked time.Duration) time.Duration {
	granted := expiry(header(res, "Expires"), asked)
	for _, h := range res.GetHeaders("Contact") {
		if c, ok := h.(*sip.ContactHeader); ok && c.Address.User == user {
			if value, ok := c.Params.Get("expires"); ok {
				granted = expiry(value, granted)
			}
		}
	}
	return min(granted, time.Hour)
}

// authorize answers the challenge of a line's server. It returns errNeedsPassword if
// neither the password nor HA1 of its realm is known.
func (x *Exchange) authorize(t *trunk, req *sip.Request, res *sip.Response) (sip.Header, error) {
	asked, answered := "WWW-Authenticate", "Authorization"
	if res.StatusCode == 407 {
		asked, answered = "Proxy-Authenticate", "Proxy-Authorization"
	}
	user := t.AuthUser
	if user == "" {
		user = t.Username
	}
	for _, h := range res.GetHeaders(asked) {
		challenge, err := parseDigest(h.Value())
		if err != nil || !challenge.isMD5() {
			continue
		}
		ha1, err := x.trunkHA1(t, user, challenge["realm"])
		if err != nil {
			return nil, err
		}
		value, err := answerChallenge(challenge, user, ha1, string(req.Method), req.Recipient.String())
		if err != nil {
			return nil, err
		}
		return sip.NewHeader(answered, value), nil
	}
	return nil, errUnknownProof
}

// trunkHA1 returns the HA1 of a line's password in a realm. It is computed from the
// password the first time, and stored.
func (x *Exchange) trunkHA1(t *trunk, user, realm string) (string, error) {
	t.mu.Lock()
	known, ok := t.ha1[realm]
	password := t.Password.Reveal()
	full := len(t.ha1) >= maxRealms
	t.mu.Unlock()
	switch {
	case ok:
		return known.Reveal(), nil
	case password == "" || full:
		return "", errNeedsPassword
	}
	ha1 := HA1(user, realm, password)
	t.mu.Lock()
	t.ha1[realm] = secret.Of(ha1)
	t.mu.Unlock()
	return ha1, x.saveTrunk(context.Background(), t)
}

// trunkOf finds the line that an INVITE comes from, and what was dialled: by the name that
// only its server knows, or by its server's address if exactly one line matches and is
// signed in there. The carrier's addresses are shared by all workspaces and do not identify
// a line.
func (x *Exchange) trunkOf(req *sip.Request) (t *trunk, dialled string, found bool) {
	user, from := req.Recipient.User, source(req).Addr()
	shared := x.cfg.Carrier.sends(from) // a workspace's line there must not attract the calls of others
	x.mu.Lock()
	defer x.mu.Unlock()
	var byAddress, byUser []*trunk
	for _, t := range x.trunks {
		if t.Transport == "tls" && req.Transport() != transportTLS {
			continue // a line over TLS accepts no unencrypted calls
		}
		if t.contactUser == user {
			return t, numberOf(req.To().Address), true
		}
		t.mu.Lock()
		same := !shared && t.addr.Addr() == from && t.status.State == exchange.TrunkRegistered
		t.mu.Unlock()
		if same {
			byAddress = append(byAddress, t)
			if t.Username == user {
				byUser = append(byUser, t)
			}
		}
	}
	switch {
	case len(byUser) == 1:
		return byUser[0], numberOf(req.To().Address), true
	case len(byAddress) == 1:
		return byAddress[0], user, true
	}
	return nil, "", false
}

// trunkTarget returns the target to dial on a line.
func (x *Exchange) trunkTarget(o exchange.Originate) ([]target, error) {
	t := x.findTrunk(o.Tenant, o.Trunk)
	if t == nil {
		return nil, exchange.ErrUnknown
	}
	if !isDialable(o.Number) {
		return nil, exchange.ErrInvalid
	}
	if state := t.currentStatus().State; t.Register && state != exchange.TrunkRegistered {
		return nil, exchange.ErrNotRegistered
	}
	host, _, _ := splitServer(t.Server, t.Transport)
	caller := o.CallerNumber
	if caller == "" {
		caller = t.Username
	}
	remote := sip.Uri{Scheme: "sip", User: o.Number, Host: host}
	return []target{{
		uri: remote, transport: strings.ToUpper(t.Transport), encryption: t.Encryption, trunk: t, name: cleanName(o.CallerName), user: t.contactUser,
		local: sip.Uri{Scheme: "sip", User: caller, Host: host}, remote: remote,
	}}, nil
}
