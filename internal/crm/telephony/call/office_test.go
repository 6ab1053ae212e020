package call_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/line"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/team"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/exchange"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const (
	path     = "/api/crm/v1/telephony"
	customer = "+905321234567"
)

// office is a workspace with a line, a bought number, and agents whose phones are signed in
// at an exchange that the test controls.
type office struct {
	*apptest.Server
	t        *testing.T
	w        *apptest.Workspace
	x        *phonetest.Exchange
	line     uuid.UUID
	username string // of the owner's phone
}

func run(t *testing.T, fn func(o *office)) {
	t.Helper()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.SIPTrunkServer = "sip.carrier.example" }, func(t *testing.T, s *apptest.Server) {
		fn(newOffice(t, s))
	})
}

func newOffice(t *testing.T, s *apptest.Server) *office {
	t.Helper()
	return newOfficeOf(t, s, s.Workspace("demo"))
}

func newOfficeOf(t *testing.T, s *apptest.Server, w *apptest.Workspace) *office {
	t.Helper()
	o := &office{Server: s, t: t, w: w, x: phonetest.New(s.Clock)}
	s.PhoneTeam.Exchange, s.PhoneLine.Exchange, s.Calls.Exchange = o.x, o.x, o.x
	var l line.Line
	o.w.Owner.Put(path+"/line", map[string]any{"server": "sip.santral.example", "username": "u", "password": "p", "e164": "+902125550101"}).Want(200).Data(&l)
	o.line = *l.ID
	o.x.Tell(o.w.ID, exchange.Event{Type: exchange.TrunkStatusEvent, Trunk: o.line, Status: &exchange.TrunkStatus{State: exchange.TrunkRegistered}})
	o.username = o.phone(o.w.Owner, o.w.Member)
	s.Settle()
	return o
}

// phone gives an agent a phone and signs it in.
func (o *office) phone(c *apptest.Client, id uuid.UUID) string {
	o.t.Helper()
	o.w.Owner.Post(path+"/team", map[string]any{"user_id": id}).Want(201)
	var made team.Credentials
	c.Post(path+"/phone", nil).Want(201).Data(&made)
	o.x.SignIn(made.Username)
	return made.Username
}

// colleague signs another agent in, with a phone.
func (o *office) colleague(name string) (*apptest.Client, uuid.UUID, string) {
	o.t.Helper()
	email := name + "@demo.example"
	if err := o.Identity.AddMember(o.t.Context(), o.w.ID, name, email, apptest.Password, identity.RoleAgent); err != nil {
		o.t.Fatal(err)
	}
	c := o.w.SignIn(email)
	var me identity.Me
	c.Get("/api/v1/auth/me").Want(200).Data(&me)
	return c, me.Membership.ID, o.phone(c, me.Membership.ID)
}

// buyNumber gives the workspace an active number without a provider.
func (o *office) buyNumber() (id uuid.UUID) {
	o.t.Helper()
	err := o.DB.Tenant(o.w.ID).InTx(o.t.Context(), func(tx *db.Tx) error {
		id = tx.NewID()
		return tx.Exec(`INSERT INTO phone_number (tenant_id, id, e164, label, type, capabilities, status, is_default, monthly_fee, provider_id, last_error, created_at)
			VALUES ($1, $2, '+902125550199', '', 'local', '[]', 'active', $3, 1, '', '', $4)`, o.w.ID, id, true, clock.At(tx.Now()))
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return id
}

func (o *office) credit(amount int64) {
	o.t.Helper()
	if err := o.Wallet.Adjust(o.t.Context(), o.w.ID, amount, "test"); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) wantWallet(available, held int64) {
	o.t.Helper()
	got, err := o.Wallet.Wallet(o.t.Context(), o.w.ID)
	if err != nil || got.Available != available || got.Held != held {
		o.t.Errorf("the wallet is %+v, want %d and %d (%v)", got, available, held, err)
	}
}

// settings changes the settings.
func (o *office) settings(change func(*setting.Settings)) {
	o.t.Helper()
	s := setting.Defaults()
	change(&s)
	o.w.Owner.Put(path+"/settings", s).Want(200)
}

// place places a call.
func (o *office) place(c *apptest.Client, body map[string]any) (made call.Call) {
	o.t.Helper()
	c.Post(path+"/call", body).Want(201).Data(&made)
	o.Settle()
	return made
}

// last returns the newest call.
func (o *office) last() call.Call {
	o.t.Helper()
	var list []call.Call
	o.w.Owner.Get(path + "/calls?limit=1").Want(200).Data(&list)
	if len(list) == 0 {
		o.t.Fatal("there is no call")
	}
	return list[0]
}

// want checks the newest call's state and disposition.
func (o *office) want(state call.State, disposition string) call.Call {
	o.t.Helper()
	o.Settle()
	c := o.last()
	if c.State != state || c.Disposition != disposition {
		o.t.Fatalf("the call is %s %q, want %s %q\n%s", c.State, c.Disposition, state, disposition, strings.Join(o.x.Log(), "\n"))
	}
	return c
}

// legTo returns the open leg that rings at a device or a number.
func (o *office) legTo(to string) uuid.UUID {
	o.t.Helper()
	o.Settle()
	for _, l := range o.x.Legs() {
		if l.Asked.Device == to && to != "" || l.Asked.Number == to && to != "" {
			return l.ID
		}
	}
	o.t.Fatalf("nothing rings at %s:\n%s", to, strings.Join(o.x.Log(), "\n"))
	return uuid.Nil
}

// rings reports whether a leg rings at a device or a number.
func (o *office) rings(to string) bool {
	o.Settle()
	return slices.ContainsFunc(o.x.Legs(), func(l phonetest.Leg) bool { return l.Asked.Device == to || l.Asked.Number == to })
}

func (o *office) answer(leg uuid.UUID) {
	o.x.Happen(leg, exchange.Event{Type: exchange.LegAnsweredEvent})
	o.Settle()
}

func (o *office) end(leg uuid.UUID, cause exchange.Cause) {
	o.x.Happen(leg, exchange.Event{Type: exchange.LegEndedEvent, Cause: cause, EndedBy: exchange.EndedByPeer})
	o.Settle()
}

func (o *office) press(leg uuid.UUID, digit string) {
	o.x.Happen(leg, exchange.Event{Type: exchange.LegDTMFEvent, Digit: digit})
	o.Settle()
}

// hear plays what a leg hears to its end.
func (o *office) hear(leg uuid.UUID) {
	o.x.FinishPlay(leg)
	o.Settle()
}

// incoming makes a customer call in.
func (o *office) incoming(from string) uuid.UUID {
	id := o.x.Call(o.w.ID, "", o.line, from, "902125550101")
	o.Settle()
	return id
}

// wait lets time pass for the driver, second by second while calls are in progress.
func (o *office) wait(d time.Duration) {
	o.t.Helper()
	for ; d > 0; d -= time.Second {
		o.Clock.Advance(time.Second)
		o.Settle()
		o.x.Cut()
	}
	o.Settle()
}

// joined returns the number of legs that hear each other.
func (o *office) joined() (n int) {
	for _, l := range o.x.Legs() {
		if l.Joined {
			n++
		}
	}
	return n
}

const micro = wallet.Micro
