package call_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/exchange"
	"konak/internal/kit/db"
	bank "konak/internal/sandbox/iyzico"
)

// atOnce is the workspace's cap on concurrent calls in this test.
const atOnce = 3

// chaos is an office in which anything can happen at any time.
type chaos struct {
	*office
	*rapid.T
	bank    *apptest.Telephony
	number  uuid.UUID // the exchange's id of the operator's line for the workspace
	ayse    uuid.UUID
	started []wallet.Challenge // card payments that wait at the bank
}

// steps are what can happen.
var steps = map[string]func(c *chaos){
	"place": func(c *chaos) { c.w.Owner.Post(path+"/call", map[string]any{"to": customer}) },
	"dial": func(c *chaos) {
		c.x.Call(c.w.ID, c.username, uuid.Nil, "100", rapid.SampledFrom([]string{"05321234567", "112", "101"}).Draw(c.T, "dialled"))
	},
	"help": func(c *chaos) { // neither credit nor caps hold it back
		c.w.Owner.Post(path+"/call", map[string]any{"to": "112"}).Want(201)
	},
	"incoming": func(c *chaos) {
		from := "+905" + rapid.StringMatching(`[0-9]{9}`).Draw(c.T, "from")
		if rapid.Bool().Draw(c.T, "number") {
			c.x.Call(c.w.ID, "", c.number, from, "902125550199")
			return
		}
		c.x.Call(c.w.ID, "", c.line, from, "")
	},
	"answer": func(c *chaos) { c.happen(exchange.Event{Type: exchange.LegAnsweredEvent}) },
	"press": func(c *chaos) {
		c.happen(exchange.Event{Type: exchange.LegDTMFEvent, Digit: rapid.SampledFrom([]string{"1", "2", "9"}).Draw(c.T, "key")})
	},
	"hear": func(c *chaos) {
		if id := c.leg(); id != uuid.Nil {
			c.x.FinishPlay(id)
		}
	},
	"hold": func(c *chaos) {
		c.happen(exchange.Event{Type: rapid.SampledFrom([]exchange.EventType{exchange.LegHeldEvent, exchange.LegResumedEvent}).Draw(c.T, "hold")})
	},
	"end": func(c *chaos) {
		causes := []exchange.Cause{exchange.CauseNormal, exchange.CauseBusy, exchange.CauseNoAnswer, exchange.CauseFailed, exchange.CauseLost}
		c.happen(exchange.Event{Type: exchange.LegEndedEvent, Cause: rapid.SampledFrom(causes).Draw(c.T, "cause")})
	},
	"wait": func(c *chaos) {
		c.Clock.Advance(time.Duration(rapid.IntRange(1, 90).Draw(c.T, "seconds")) * time.Second)
	},
	"wait long": func(c *chaos) { c.Clock.Advance(5 * time.Minute) },
	"forward": func(c *chaos) {
		c.own("forward", map[string]any{"to": "+905329999999", "mode": rapid.SampledFrom([]string{"blind", "asked"}).Draw(c.T, "mode")})
	},
	"transfer": func(c *chaos) { c.own("transfer", map[string]any{"agent_id": c.ayse}) },
	"detach":   func(c *chaos) { c.own("detach", map[string]any{}) },
	"resume":   func(c *chaos) { c.own("resume", map[string]any{}) },
	"hang up": func(c *chaos) {
		if list := c.calls(); len(list) > 0 {
			_, _ = c.Calls.Hangup(c.as(c.w.Member), list[0].ID) // it may be refused
		}
	},
	"device": func(c *chaos) {
		c.w.Owner.Put(path+"/device", rapid.SampledFrom([]map[string]any{{"kind": "desk"}, {"kind": "outside", "e164": mobile}}).Draw(c.T, "device")).Want(200)
	},
	"credit": func(c *chaos) { c.credit(rapid.Int64Range(1, 3).Draw(c.T, "credit") * micro) },
	"pay": func(c *chaos) {
		var made wallet.Challenge
		if got := c.w.Owner.Post(path+"/wallet/topup", apptest.TopUpBody(10*micro, bank.CardGood)); got.Status == 201 {
			got.Data(&made)
			c.started = append(c.started, made)
		}
	},
	"paid": func(c *chaos) {
		if len(c.started) == 0 {
			return
		}
		made := c.started[0]
		c.started = c.started[1:]
		back, form := c.bank.AnswerBank(made, rapid.SampledFrom([]string{bank.Code, "000000"}).Draw(c.T, "code"))
		for range rapid.IntRange(0, 2).Draw(c.T, "callbacks") {
			c.bank.SendBack(back, form)
		}
	},
	// The exchange loses all its state.
	"crash": func(c *chaos) { c.x.Forget() },
	"search": func(c *chaos) {
		if _, err := c.Calls.Reconcile(c.t.Context()); err != nil {
			c.Fatal(err)
		}
	},
	// The node dies after some commands of a step, the last of which was carried out, and
	// before it stored how far the events are applied.
	"kill": func(c *chaos) {
		c.x.DieAfter(rapid.IntRange(1, 6).Draw(c.T, "requests"))
		_, _ = c.Calls.Step(c.t.Context())
		c.x.DieAfter(0)
		c.forgetCursor()
	},
}

// leg returns a random leg of the exchange; uuid.Nil if there is none.
func (c *chaos) leg() uuid.UUID {
	legs := c.x.Legs()
	if len(legs) == 0 {
		return uuid.Nil
	}
	return legs[rapid.IntRange(0, len(legs)-1).Draw(c.T, "leg")].ID
}

func (c *chaos) happen(e exchange.Event) { c.x.Happen(c.leg(), e) }

// calls lists the newest call.
func (c *chaos) calls() (list []call.Call) {
	c.w.Owner.Get(path + "/calls?limit=1").Want(200).Data(&list)
	return list
}

// own sends a request for the newest call, which may be refused.
func (c *chaos) own(what string, body map[string]any) {
	if list := c.calls(); len(list) > 0 {
		body["call_id"] = list[0].ID
		c.w.Owner.Post(path+"/call/"+what, body)
	}
}

// count returns the number that a query reads from the workspace's database.
func (c *chaos) count(query string, args ...any) (n int64) {
	err := c.DB.Tenant(c.w.ID).Read(c.t.Context(), func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int64], query, append([]any{r.Tenant()}, args...)...)
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return n
}

// wantOrder checks what must always hold: the postings of an entry sum to zero, the
// balances are the sums of their postings and not below zero, what is held is what is
// reserved, the revenue is the cost of the legs, and the cap is kept.
func (c *chaos) wantOrder() {
	const sum = `SELECT CAST(COALESCE(SUM(amount), 0) AS bigint) FROM wallet_`
	if odd := c.count(`SELECT COUNT(*) FROM (SELECT entry_id FROM wallet_posting WHERE tenant_id = $1
		GROUP BY entry_id HAVING SUM(amount) <> 0) AS odd`); odd != 0 {
		c.Fatalf("%d entries do not sum to zero", odd)
	}
	got, err := c.Wallet.Wallet(c.t.Context(), c.w.ID)
	if err != nil || got.Available < 0 || got.Held < 0 {
		c.Fatalf("the wallet is %+v, %v", got, err)
	}
	for account, want := range map[string]int64{
		"available": got.Available, "held": got.Held,
		"revenue:calls": c.count(`SELECT CAST(COALESCE(SUM(cost), 0) AS bigint) FROM phone_leg WHERE tenant_id = $1`),
	} {
		if posted := c.count(sum+`posting WHERE tenant_id = $1 AND account = $2`, account); posted != want {
			c.Fatalf("%s is %d, and its postings sum to %d", account, want, posted)
		}
	}
	if reserved := c.count(sum + `reservation WHERE tenant_id = $1 AND open`); reserved != got.Held {
		c.Fatalf("%d are held, and %d reserved", got.Held, reserved)
	}
	if legs := c.count(`SELECT COUNT(*) FROM phone_leg l JOIN phone_call c ON c.tenant_id = l.tenant_id AND c.id = l.call_id
		WHERE l.tenant_id = $1 AND l.open AND l.trunk_id IS NOT NULL AND l.number <> '112' AND NOT (l.role = 'customer' AND c.direction = 'inbound')`); legs > atOnce {
		c.Fatalf("%d legs lead outside at once", legs)
	}
}

// hangUpAll makes every telephone hang up.
func (c *chaos) hangUpAll() {
	c.Settle()
	for _, l := range c.x.Legs() {
		c.x.Happen(l.ID, exchange.Event{Type: exchange.LegEndedEvent, Cause: exchange.CauseNormal})
	}
	c.Settle()
}

// Whatever callers, phones, banks, time, crashes and kills do: the ledger balances, the
// credit is never below zero, nothing is billed twice, the cap is kept, and when everything
// has ended nothing is set aside.
func TestMoneyInvariants(t *testing.T) {
	t.Parallel()
	s := apptest.NewTelephony(t, db.SQLite, func(cfg *app.Config) { cfg.SIPTrunkServer = "sip.carrier.example" })
	o := newOfficeOf(t, s.Server, s.Owner)
	o.buyNumber()
	_, ayse, _ := o.colleague("ayse")
	_, number, err := o.Calls.FindNumber(t.Context(), "+902125550199")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(steps))
	rapid.Check(t, func(t *rapid.T) {
		c := &chaos{office: o, T: t, bank: s, number: number, ayse: ayse}
		c.settings(func(s *setting.Settings) {
			s.Caps.Concurrent, s.Caps.MaxMinutes = atOnce, rapid.IntRange(1, 5).Draw(t, "minutes")
			if rapid.Bool().Draw(t, "menu") {
				s.Menus = []setting.Menu{{Key: "one", Text: "one", Voice: "tr", Keys: []setting.MenuKey{
					{Digit: "1", Action: setting.KeyNumber, E164: "+905328888888"}, {Digit: "2", Action: setting.KeyCallback},
				}}}
			}
		})
		c.credit(rapid.Int64Range(1, 8).Draw(t, "credit") * micro)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			steps[rapid.SampledFrom(names).Draw(t, "step")](c)
			if rapid.Bool().Draw(t, "settled") {
				c.Settle()
			}
			c.x.Cut()
			c.wantOrder()
		}
		c.hangUpAll()
		c.Clock.Advance(10 * time.Minute)
		for range 3 { // ending a lost leg may ring another phone, whose leg is lost, too
			if _, err := c.Calls.Reconcile(c.office.t.Context()); err != nil {
				t.Fatal(err)
			}
			c.hangUpAll()
			c.Clock.Advance(10 * time.Minute)
		}
		c.wantOrder()
		got, err := c.Wallet.Wallet(c.office.t.Context(), c.w.ID)
		var live []call.Live
		c.w.Owner.Get(path + "/live").Want(200).Data(&live)
		if err != nil || got.Held != 0 || len(live) != 0 {
			t.Fatalf("when all is over %+v is set aside, and %+v goes on (%v)", got, live, err)
		}
		if got.Available > 0 {
			c.credit(-got.Available)
		}
		c.w.Owner.Put(path+"/device", map[string]any{"kind": "desk"}).Want(200)
	})
}
