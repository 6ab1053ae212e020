package socket_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/line"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/crm/telephony/socket"
	"konak/internal/crm/telephony/team"
	"konak/internal/exchange"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

const (
	path     = "/api/crm/v1/telephony"
	customer = "+905321234567"
	patience = 30 * time.Second
)

// office is a workspace with a line and an owner whose phone is signed in at an exchange
// that the test controls.
type office struct {
	*apptest.Server
	t        *testing.T
	w        *apptest.Workspace
	x        *phonetest.Exchange
	username string
}

func run(t *testing.T, fn func(o *office)) {
	t.Helper()
	// The regular check of a socket's session never happens in a test.
	apptest.RunWith(t, func(cfg *app.Config) { cfg.StreamCheck = time.Hour }, func(t *testing.T, s *apptest.Server) {
		o := &office{Server: s, t: t, w: s.Workspace("demo"), x: phonetest.New(s.Clock)}
		s.PhoneTeam.Exchange, s.PhoneLine.Exchange, s.Calls.Exchange = o.x, o.x, o.x
		var l line.Line
		o.w.Owner.Put(path+"/line", map[string]any{"server": "sip.santral.example", "username": "u", "password": "p", "e164": "+902125550101"}).Want(200).Data(&l)
		o.x.Tell(o.w.ID, exchange.Event{Type: exchange.TrunkStatusEvent, Trunk: *l.ID, Status: &exchange.TrunkStatus{State: exchange.TrunkRegistered}})
		o.w.Owner.Post(path+"/team", map[string]any{"user_id": o.w.Member}).Want(201)
		var made team.Credentials
		o.w.Owner.Post(path+"/phone", nil).Want(201).Data(&made)
		o.username = made.Username
		o.x.SignIn(made.Username)
		s.Settle()
		fn(o)
	})
}

// colleague signs another agent in.
func (o *office) colleague(name string) (*apptest.Client, string) {
	o.t.Helper()
	email := name + "@demo.example"
	if err := o.Identity.AddMember(o.t.Context(), o.w.ID, name, email, apptest.Password, identity.RoleAgent); err != nil {
		o.t.Fatal(err)
	}
	c := o.w.SignIn(email)
	var me identity.Me
	c.Get("/api/v1/auth/me").Want(200).Data(&me)
	return c, me.Membership.ID.String()
}

// talk places a call of the owner that both sides have answered.
func (o *office) talk() (made call.Call) {
	o.t.Helper()
	o.w.Owner.Post(path+"/call", map[string]any{"to": customer}).Want(201).Data(&made)
	o.answer(o.username)
	o.answer(customer)
	return made
}

// answer answers the phone or the number that is ringing.
func (o *office) answer(to string) {
	o.t.Helper()
	o.Settle()
	for _, l := range o.x.Legs() {
		if l.Asked.Device == to || l.Asked.Number == to {
			o.x.Happen(l.ID, exchange.Event{Type: exchange.LegAnsweredEvent})
			o.Settle()
			return
		}
	}
	o.t.Fatalf("nothing rings at %s:\n%s", to, strings.Join(o.x.Log(), "\n"))
}

func (o *office) ticket(c *apptest.Client) (t socket.Ticket) {
	o.t.Helper()
	c.Post(path+"/stream-ticket", nil).Want(201).Data(&t)
	return t
}

// phone is an open socket.
type phone struct {
	t    *testing.T
	conn *websocket.Conn
}

// said is a message of the server.
type said struct {
	Type  string          `json:"type"`
	Seq   int64           `json:"seq"`
	ID    string          `json:"id"`
	Data  json.RawMessage `json:"data"`
	Error struct {
		Code   string              `json:"code"`
		Fields map[string][]string `json:"fields"`
	} `json:"error"`
}

// attempt is an attempt to open a socket.
type attempt struct {
	ticket, query string
	host, origin  string
	without       string // a subprotocol that is not offered
}

// dial tries to open a socket and returns the status of the response, and the error's code
// if it is refused.
func (o *office) dial(a attempt) (p *phone, status int, code string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), patience)
	defer cancel()
	options := &websocket.DialOptions{HTTPHeader: http.Header{}, Host: a.host}
	for _, name := range []string{"phone.v1", "ticket." + a.ticket} {
		if name != a.without && name != "ticket." {
			options.Subprotocols = append(options.Subprotocols, name)
		}
	}
	if a.origin != "" {
		options.HTTPHeader.Set("Origin", a.origin)
	}
	conn, resp, err := websocket.Dial(ctx, o.URL+path+"/stream"+a.query, options)
	if err != nil {
		if resp == nil {
			o.t.Fatal(err)
		}
		var body struct{ Error struct{ Code string } }
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
			o.t.Errorf("status %d in another shape: %v", resp.StatusCode, err)
		}
		return nil, resp.StatusCode, body.Error.Code
	}
	if conn.Subprotocol() != "phone.v1" {
		o.t.Errorf("the subprotocol is %q", conn.Subprotocol())
	}
	conn.SetReadLimit(1 << 20)
	o.t.Cleanup(func() { _ = conn.CloseNow() })
	return &phone{o.t, conn}, resp.StatusCode, ""
}

// open opens a socket and reads hello and snapshot.
func (o *office) open(c *apptest.Client, query string) (p *phone, seq int64, calls []call.Live) {
	o.t.Helper()
	p, status, code := o.dial(attempt{ticket: o.ticket(c).Ticket, query: query})
	if p == nil {
		o.t.Fatalf("refused with %d %s", status, code)
	}
	hello, snapshot := p.next(), p.next()
	var list struct{ Calls []call.Live }
	if err := json.Unmarshal(snapshot.Data, &list); err != nil || hello.Type != "hello" || snapshot.Type != "snapshot" {
		o.t.Fatalf("it began with %+v and %+v: %v", hello, snapshot, err)
	}
	return p, hello.Seq, list.Calls
}

func (o *office) wantRefused(a attempt, status int, code string) {
	o.t.Helper()
	if _, s, c := o.dial(a); s != status || c != code {
		o.t.Errorf("%+v: %d %q, want %d %q", a, s, c, status, code)
	}
}

func (p *phone) next() (m said) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	_, b, err := p.conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

// until reads to the next message of a type.
func (p *phone) until(name string) said {
	p.t.Helper()
	for {
		if m := p.next(); m.Type == name {
			return m
		}
	}
}

func (p *phone) write(text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

// ask sends a command and returns its answer.
func (p *phone) ask(name string, id uuid.UUID, more string) said {
	p.t.Helper()
	p.write(`{"type":"` + name + `","id":"c1","call_id":"` + id.String() + `"` + more + `}`)
	for {
		if m := p.next(); m.Type == "ack" || m.Type == "error" {
			if m.ID != "c1" {
				p.t.Errorf("the answer is to %q", m.ID)
			}
			return m
		}
	}
}

// wantEnd reads to the end and checks its code.
func (p *phone) wantEnd(code websocket.StatusCode) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		if _, _, err := p.conn.Read(ctx); err != nil {
			if got := websocket.CloseStatus(err); got != code {
				p.t.Errorf("it ended with %d, want %d: %v", got, code, err)
			}
			return
		}
	}
}

// callOf reads a call.
func (o *office) callOf(id uuid.UUID) call.Call {
	o.t.Helper()
	o.Settle()
	var list []call.Call
	o.w.Owner.Get(path + "/calls?limit=10").Want(200).Data(&list)
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	o.t.Fatalf("there is no call %s", id)
	return call.Call{}
}

// lastSequence returns the sequence of the workspace's last event.
func (o *office) lastSequence() (n int64) {
	o.t.Helper()
	o.Settle()
	if err := o.DB.Tenant(o.w.ID).Read(o.t.Context(), func(r *db.Reader) (err error) { n, err = event.Last(r); return err }); err != nil {
		o.t.Fatal(err)
	}
	return n
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
