package app_test

import (
	"context"
	"crypto/tls"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/calling"
	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/conversation"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/team"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// callingDemo is a demo that carries calls, with its owner as the caller.
type callingDemo struct {
	*visitor
	ctx context.Context
}

func openCallingDemo(t *testing.T) *callingDemo {
	t.Helper()
	d := &callingDemo{visitor: openDemo(t)}
	sockets, err := sipexchange.Listen(t.Context(), "127.0.0.1:0")
	d.must(err)
	pair, err := sipexchange.SelfSigned(clock.System{}.Now())
	d.must(err)
	d.must(sockets.ListenTLS(t.Context(), "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}}))
	d.must(d.app.StartExchange(t.Context(), sockets))
	working, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { d.app.Work(working); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	tenant, err := d.app.Identity.TenantBySlug(t.Context(), "demo")
	d.must(err)
	callers, err := db.Read(t.Context(), d.app.DB.Tenant(tenant), func(r *db.Reader) (map[uuid.UUID]string, error) {
		return d.app.Identity.AgentsWho(r, perm.CallsMake)
	})
	d.must(err)
	owner := slices.SortedFunc(maps.Keys(callers), func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })[0]
	d.ctx = caller.With(t.Context(), &caller.Caller{
		Kind: caller.Agent, TenantID: tenant, Slug: "demo", ID: owner, Perms: perm.NewSet(perm.All()...),
		Licences: map[string]bool{"crm": true, "telephony": true},
	})
	return d
}

func (d *callingDemo) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// until waits for the result of the workers.
func (d *callingDemo) until(what string, ok func() bool) {
	d.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			d.t.Fatalf("waited too long for %s; the last call is %+v", what, d.last())
		}
	}
}

// last returns the newest call, or one without an id.
func (d *callingDemo) last() (c call.Call) {
	d.t.Helper()
	list, err := d.app.Calls.Calls(d.ctx, call.Filter{}, db.Page{Limit: 1, After: db.First})
	d.must(err)
	if len(list.Rows) == 1 {
		c = list.Rows[0]
	}
	return c
}

// buyNumber gives the workspace credit and a number.
func (d *callingDemo) buyNumber() number.Number {
	d.t.Helper()
	d.must(d.app.Wallet.Adjust(d.ctx, caller.From(d.ctx).TenantID, 100*wallet.Micro, "test"))
	offers, err := d.app.Numbers.Available(d.ctx, number.Search{Country: "TR", Type: "local"})
	d.must(err)
	_, err = d.app.Numbers.Buy(d.ctx, offers[0].E164, "")
	d.must(err)
	var n number.Number
	d.until("the number", func() bool {
		list, err := d.app.Numbers.Numbers(d.ctx, db.Page{Limit: 1, After: db.First})
		d.must(err)
		n = list.Rows[0]
		return n.Status == number.StatusActive
	})
	return n
}

func (d *callingDemo) wallet() wallet.Wallet {
	d.t.Helper()
	w, err := d.app.Wallet.Wallet(d.ctx, caller.From(d.ctx).TenantID)
	d.must(err)
	return w
}

// place calls a number, and waits until the call has the wanted state.
func (d *callingDemo) place(to string, state call.State) call.Call {
	d.t.Helper()
	c, err := d.app.Calls.Place(d.ctx, call.NewCall{To: to})
	d.must(err)
	d.until("the call to be "+string(state), func() bool { return d.last().ID == c.ID && d.last().State == state })
	return d.last()
}

// In a demo a call to the outside is answered by its carrier and paid; numbers that end
// in 00 are busy, and those in 01 do not answer.
func TestDemoCallsOutside(t *testing.T) {
	t.Parallel()
	d := openCallingDemo(t)
	d.buyNumber()
	who := caller.From(d.ctx).ID
	_, err := d.app.PhoneTeam.Add(d.ctx, who, "")
	d.must(err)
	// The agent's own phone is an outside number as well, so that nobody must sign in.
	_, err = d.app.PhoneTeam.SetDevice(d.ctx, team.DeviceOutside, "+905321234567")
	d.must(err)
	before := d.wallet()

	c := d.place("+905327654321", call.Active)
	if w := d.wallet(); w.Held == 0 || w.Available+w.Held != before.Available {
		t.Errorf("while they talk the wallet is %+v, before it was %+v", w, before)
	}
	_, err = d.app.Calls.Hangup(d.ctx, c.ID)
	d.must(err)
	d.until("the end", func() bool { return d.last().State == call.Ended })
	// Two legs to mobile numbers, a minute each.
	if c = d.last(); c.Disposition != call.Answered || c.Cost != 3*wallet.Micro {
		t.Errorf("the call ended as %+v", c)
	}
	if w := d.wallet(); w.Held != 0 || w.Available != before.Available-c.Cost {
		t.Errorf("after the call the wallet is %+v, before it was %+v", w, before)
	}
	d.wantBalanced()

	if c = d.place("+905327654300", call.Ended); c.Disposition != call.Busy {
		t.Errorf("a busy number: %+v", c)
	}
	c = d.place("+905327654301", call.Ringing)
	_, err = d.app.Calls.Hangup(d.ctx, c.ID)
	d.must(err)
	d.until("the end", func() bool { return d.last().State == call.Ended })
	if c = d.last(); c.Disposition != call.Cancelled {
		t.Errorf("a number that does not answer: %+v", c)
	}
	d.wantBalanced()
}

// A visitor of the demo calls the workspace, nobody answers, and they leave a message.
func TestDemoVisitorCallsWorkspace(t *testing.T) {
	t.Parallel()
	d := openCallingDemo(t)
	if page := d.tries("phone", url.Values{"act": {"dial"}}); !strings.Contains(page, "Buy a number first") {
		t.Errorf("without a number: %s", page)
	}
	n := d.buyNumber()
	d.does("phone", url.Values{"act": {"dial"}})
	d.until("the voicemail", func() bool { return d.last().State == call.Voicemail })
	d.until("some of the message", func() bool { return d.recorded() > 4*32000 })
	d.does("phone", url.Values{"act": {"hangup"}})
	d.until("the message", func() bool { got := d.last(); return got.State == call.Ended && got.Recorded })
	got := d.last()
	if got.Disposition != call.LeftMail || got.To != n.E164 || !strings.HasPrefix(got.From, "+90555") || got.Cost != 0 {
		t.Errorf("the call is %+v", got)
	}
	d.until("the page to tell the end", func() bool {
		return strings.Contains(d.opens("?workspace=demo&channel=phone&name=Elif"), "bitti · ended")
	})
	page := d.opens("?workspace=demo&channel=phone&name=Elif")
	if !strings.Contains(page, "yanıtlandı · answered") || strings.Contains(page, `value="write"`) {
		t.Errorf("the page shows %s", page)
	}
}

// A visitor calls the workspace on WhatsApp once its calls are on: the call is part of
// their conversation there. After they are turned off, and after the account is
// disconnected, no call comes through.
func TestDemoVisitorCallsOnWhatsApp(t *testing.T) {
	t.Parallel()
	d := openCallingDemo(t)
	account := app.DemoAccount(caller.From(d.ctx).TenantID, whatsapp.Name)
	if page := d.tries("whatsapp", url.Values{"act": {"dial"}}); !strings.Contains(page, "takes no calls") {
		t.Errorf("before calls are on: %s", page)
	}
	d.setCalls(account, true)
	state, err := d.app.Calling.Get(d.ctx, account)
	d.must(err)
	if !state.Enabled || state.Exchange.Status != "ready" {
		t.Errorf("calls are %+v", state)
	}
	d.does("whatsapp", url.Values{"act": {"write"}, "text": {"Sizi arıyorum"}})
	d.does("whatsapp", url.Values{"act": {"dial"}})
	d.until("some of the message", func() bool { return d.recorded() > 4*32000 })
	d.does("whatsapp", url.Values{"act": {"hangup"}})
	d.until("the message", func() bool { got := d.last(); return got.State == call.Ended && got.Recorded })
	got := d.last()
	if got.Via != call.ViaChannel || got.Disposition != call.LeftMail || got.To != "+902125550101" || !strings.HasPrefix(got.From, "+90555") ||
		got.ChannelID == nil || *got.ChannelID != account || got.ConversationID == nil || got.Cost != 0 {
		t.Fatalf("the call is %+v", got)
	}
	in, err := db.Read(d.ctx, d.app.DB.Tenant(caller.From(d.ctx).TenantID), func(r *db.Reader) (conversation.Conversation, error) {
		return conversation.ByID(r, *got.ConversationID)
	})
	d.must(err)
	if in.Channel != whatsapp.Name || in.ChannelAccountID == nil || *in.ChannelAccountID != account {
		t.Errorf("it stands in %+v", in)
	}

	// The provider still has the key, and nobody answers its calls.
	n := got.ID
	d.must(d.app.DisconnectCalls(d.ctx, account))
	d.refusedOnWhatsApp(1)
	d.setCalls(account, true)
	d.must(d.app.Channels.Disconnect(d.ctx, account))
	d.refusedOnWhatsApp(2)
	if d.last().ID != n {
		t.Errorf("a call came through: %+v", d.last())
	}
}

// setCalls turns calls of an account on or off.
func (d *callingDemo) setCalls(account uuid.UUID, on bool) {
	d.t.Helper()
	out, err := d.app.Calling.Set(d.ctx, account, channel.CallChange{Enabled: on})
	d.must(err)
	if out.Result != calling.ResultOK {
		d.t.Fatalf("calls: %+v %v %v", out, out.Exchange.Error, out.Provider.Error)
	}
}

// refusedOnWhatsApp lets the visitor call, and waits for that many refusals on the page.
func (d *callingDemo) refusedOnWhatsApp(times int) {
	d.t.Helper()
	d.does("whatsapp", url.Values{"act": {"dial"}})
	d.until("the refusal", func() bool {
		return strings.Count(d.opens("?workspace=demo&channel=whatsapp&name=Elif"), "refused: 403") == times
	})
}

// recorded returns the current size in bytes of a running recording.
func (d *callingDemo) recorded() (size int64) {
	files, err := filepath.Glob(filepath.Join(d.data, "recordings", "*", "*.part"))
	d.must(err)
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}

// wantBalanced checks that every entry of the ledger sums to zero.
func (d *callingDemo) wantBalanced() {
	d.t.Helper()
	odd, err := db.Read(d.t.Context(), d.app.DB.System("test"), func(r *db.Reader) (int64, error) {
		return db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM (SELECT entry_id FROM wallet_posting GROUP BY entry_id HAVING SUM(amount) <> 0) AS odd`)
	})
	if err != nil || odd != 0 {
		d.t.Errorf("%d entries do not sum to zero: %v", odd, err)
	}
}
