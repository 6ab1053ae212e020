package sipexchange_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/secret"
)

// provider is the server of an outside line. It listens on a port that the exchange sends
// to.
type provider struct {
	*phone
	realm    string
	contact  string       // where the line takes calls
	callID   string       // of its sign-in
	listener net.Listener // of a line over TLS, for its next connection
}

func newProvider(t *testing.T, d *desk) *provider {
	t.Helper()
	p := newPhone(t, "udp", d.Addr(), "line", "")
	return &provider{phone: p, realm: "provider.example"}
}

func (p *provider) addr() string { return p.conn.LocalAddr().String() }

// trunk returns the settings of a line at the provider.
func (p *provider) trunk(id uuid.UUID, password string) exchange.Trunk {
	return exchange.Trunk{
		Tenant: tenantA, ID: id, Server: p.addr(), Transport: "udp", Username: "line", Password: secret.Of(password), Register: true,
	}
}

// challenge asks for a password and returns the request that brings it, after checking that
// it was made with "topsecret". Every request without the password is challenged, including
// one that was repeated because the first answer was late.
func (p *provider) challenge(method sip.RequestMethod, status int, header string) *sip.Request {
	p.t.Helper()
	name := "Authorization"
	if header == "Proxy" {
		name = "Proxy-Authorization"
	}
	nonce := "n-" + rand.Text()
	second := p.wait("an answer to the challenge", func(m sip.Message) bool {
		r, ok := m.(*sip.Request)
		if !ok || r.Method != method || signsOut(r) {
			return false
		}
		if h := r.GetHeader(name); h != nil && strings.Contains(h.Value(), nonce) {
			return true
		}
		p.reply(r, "p", status, "", fmt.Sprintf(`%s-Authenticate: Digest realm="%s", nonce="%s", algorithm=MD5, qop="auth"`, header, p.realm, nonce))
		return false
	}).(*sip.Request)
	h := second.GetHeader(name)
	get := func(key string) string {
		_, after, _ := strings.Cut(h.Value(), key+"=")
		value, _, _ := strings.Cut(after, ",")
		return strings.Trim(value, `"`)
	}
	want := md5Hex(sipexchange.HA1("line", p.realm, "topsecret") + ":" + get("nonce") + ":" + get("nc") + ":" + get("cnonce") + ":auth:" +
		md5Hex(string(method)+":"+get("uri")))
	if get("response") != want {
		p.t.Fatalf("the proof is wrong: %s", h.Value())
	}
	return second
}

// admit accepts the line's sign-in.
func (p *provider) admit() {
	p.t.Helper()
	req := p.challenge(sip.REGISTER, 401, "WWW")
	p.contact, p.callID = req.Contact().Address.String(), string(*req.CallID())
	p.reply(req, "p", 200, "", "Expires: 600")
}

func signsOut(r *sip.Request) bool {
	h := r.GetHeader("Expires")
	return h != nil && h.Value() == "0"
}

// letGo accepts the line's sign-out while the test goes on.
func (p *provider) letGo() {
	go func() {
		p.reply(p.wait("a sign-out", func(m sip.Message) bool {
			r, ok := m.(*sip.Request)
			return ok && r.Method == sip.REGISTER && signsOut(r)
		}).(*sip.Request), "p", 200, "")
	}()
}

// signIn waits for a sign-in REGISTER with another Call-ID than the last one.
func (p *provider) signIn() *sip.Request {
	p.t.Helper()
	return p.wait("a sign-in", func(m sip.Message) bool {
		r, ok := m.(*sip.Request)
		return ok && r.Method == sip.REGISTER && !signsOut(r) && string(*r.CallID()) != p.callID
	}).(*sip.Request)
}

// status waits until a line has a state.
func (d *desk) status(id uuid.UUID, want exchange.TrunkState) exchange.TrunkStatus {
	d.t.Helper()
	for {
		if e := d.event(exchange.TrunkStatusEvent); e.Trunk == id && e.Status.State == want {
			if now, err := d.TrunkStatus(d.t.Context(), tenantA, id); err != nil || now.State != want {
				d.t.Errorf("status %+v, %v", now, err)
			}
			return *e.Status
		}
	}
}

func TestLineRegistersAndCarriesCalls(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p, id := newProvider(t, d), uuid.New()
	d.must(d.PutTrunk(t.Context(), p.trunk(id, "topsecret")))
	p.admit()
	d.status(id, exchange.TrunkRegistered)

	// Outgoing, with its own challenge.
	leg := uuid.New()
	d.must(d.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: leg, Trunk: id, Number: "+902121234567", CallerNumber: "02165550000"}))
	req := p.challenge(sip.INVITE, 407, "Proxy")
	if req.Recipient.User != "+902121234567" || req.From().Address.User != "02165550000" {
		t.Errorf("dialled by %s from %s", req.Recipient.String(), req.From())
	}
	p.reply(req, "x", 183, p.offer(sdp.SendRecv))
	d.event(exchange.LegRingingEvent)
	p.reply(req, "x", 200, p.offer(sdp.SendRecv))
	p.request(sip.ACK)
	d.event(exchange.LegAnsweredEvent)
	c := p.takenBy(req, "x")
	p.send(p.text(c.call, "BYE", ""))
	p.response(200)
	d.ended(leg, exchange.CauseNormal, exchange.EndedByPeer)

	// Incoming, to the name that only the provider knows.
	in := newCall("sip:05321112233@provider.example", "sip:02165550000@provider.example", p.contact)
	p.send(p.text(in, "INVITE", p.offer(sdp.SendRecv)))
	e := d.event(exchange.LegIncomingEvent)
	if e.Tenant != tenantA || e.Trunk != id || e.From != "05321112233" || e.To != "02165550000" || e.Device != "" {
		t.Errorf("event %+v", e)
	}
	d.must(d.Answer(t.Context(), tenantA, e.Leg))
	p.confirm(in, p.response(200))

	// The line is dropped: its call ends, and it signs out.
	d.must(d.DropTrunk(t.Context(), tenantB, id)) // not that tenant's
	if _, err := d.TrunkStatus(t.Context(), tenantA, id); err != nil {
		t.Errorf("another workspace dropped it: %v", err)
	}
	p.letGo()
	d.must(d.DropTrunk(t.Context(), tenantA, id))
	d.ended(e.Leg, exchange.CauseNormal, exchange.EndedByCaller)
	if _, err := d.TrunkStatus(t.Context(), tenantA, id); !errors.Is(err, exchange.ErrUnknown) {
		t.Errorf("dropped: %v", err)
	}
}

// Only a hash of the password is stored: a line signs in after a restart, and asks for the
// password if the realm has changed.
func TestLineRegistersAfterRestart(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p, id := newProvider(t, d), uuid.New()
	d.must(d.PutTrunk(t.Context(), p.trunk(id, "topsecret")))
	p.admit()
	d.status(id, exchange.TrunkRegistered)
	d.listen = d.Addr().String()
	p.letGo()
	d.restart() // it signs out, and in again
	p.admit()
	d.status(id, exchange.TrunkRegistered)
	files, _ := filepath.Glob(filepath.Join(d.cfg.Dir, "*"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), "topsecret") {
			t.Errorf("%s holds the password", f)
		}
	}
	p.letGo()
	d.restart()
	p.reply(p.signIn(), "p", 401, "", `WWW-Authenticate: Digest realm="another", nonce="x"`)
	d.status(id, exchange.TrunkNeedsPassword)
	if err := d.Originate(t.Context(), exchange.Originate{Tenant: tenantA, Leg: uuid.New(), Trunk: id, Number: "112"}); !errors.Is(err, exchange.ErrNotRegistered) {
		t.Errorf("dialled on it: %v", err)
	}
}

// A password goes only to the server and user that it was given for.
func TestPasswordGoesOnlyToItsServer(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p, other, id := newProvider(t, d), newProvider(t, d), uuid.New()
	d.must(d.PutTrunk(t.Context(), p.trunk(id, "topsecret")))
	p.admit()
	d.status(id, exchange.TrunkRegistered)
	p.letGo()
	d.must(d.PutTrunk(t.Context(), other.trunk(id, "")))
	other.reply(other.signIn(), "p", 401, "", `WWW-Authenticate: Digest realm="provider.example", nonce="x"`)
	d.status(id, exchange.TrunkNeedsPassword)
}

// A call from a server's address is the line's once it has signed in there. Before that, or
// with the name of a device, it must be authenticated: a workspace may name any address as
// its server, including that of another's office.
func TestCallsFromStrangersAreChallenged(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	p, id := newProvider(t, d), uuid.New()
	line := p.trunk(id, "topsecret")
	line.Tenant = tenantB
	d.must(d.PutTrunk(t.Context(), line))
	call := func() {
		in := newCall("sip:1@x", "sip:02165550000@y", "sip:02165550000@y")
		p.send(p.text(in, "INVITE", p.offer(sdp.SendRecv)))
	}
	p.request(sip.REGISTER)
	call()
	p.response(401)
	p.admit()
	for d.event(exchange.TrunkStatusEvent).Status.State != exchange.TrunkRegistered {
	}
	call()
	if e := d.event(exchange.LegIncomingEvent); e.Trunk != id || e.Tenant != tenantB || e.To != "02165550000" {
		t.Errorf("event %+v", e)
	}
	office := d.addPhone(tenantA, "ayse", "101")
	office.invite("444")
	if e := d.event(exchange.LegIncomingEvent); e.Device != "ayse" || e.Tenant != tenantA {
		t.Errorf("event %+v", e)
	}
}

func TestLineToInternalServerIsRefused(t *testing.T) {
	t.Parallel()
	inside := errors.New("the address is not on the public internet")
	d := startDesk(t, func(c *sipexchange.Config) {
		c.CheckAddress = func(a netip.Addr) error {
			if a.IsLoopback() {
				return inside
			}
			return nil
		}
	})
	p, id := newProvider(t, d), uuid.New()
	d.must(d.PutTrunk(t.Context(), p.trunk(id, "topsecret")))
	if s := d.status(id, exchange.TrunkFailed); s.LastError != "refused_address: Lines may not lead to the address of this server" {
		t.Errorf("status %+v", s)
	}
	for server, refused := range map[string]bool{p.addr(): true, "[::1]:5060": true, "127.0.0.2": true, "192.0.2.7:5060": false, "a name:x": true} {
		if err := d.CheckServer(t.Context(), server, "udp"); errors.Is(err, exchange.ErrInvalid) != refused {
			t.Errorf("%s: %v", server, err)
		}
	}
}

func TestLinesAreChecked(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	for name, change := range map[string]func(*exchange.Trunk){
		"no server":     func(t *exchange.Trunk) { t.Server = "" },
		"a line break":  func(t *exchange.Trunk) { t.Server = "a\r\nb" },
		"a port beyond": func(t *exchange.Trunk) { t.Server = "host:99999" },
		"a transport":   func(t *exchange.Trunk) { t.Transport = "carrier-pigeon" },
		"a user":        func(t *exchange.Trunk) { t.Username = "a@b" },
		"no user":       func(t *exchange.Trunk) { t.Username = "" },
		"no id":         func(t *exchange.Trunk) { t.ID = uuid.Nil },
	} {
		line := exchange.Trunk{Tenant: tenantA, ID: uuid.New(), Server: net.JoinHostPort("127.0.0.1", "5060"), Username: "u"}
		change(&line)
		if err := d.PutTrunk(t.Context(), line); !errors.Is(err, exchange.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
