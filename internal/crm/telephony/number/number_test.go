package number_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/db"
	bank "konak/internal/sandbox/iyzico"
	carrier "konak/internal/sandbox/twilio"
)

const (
	path  = "/api/crm/v1/telephony/numbers"
	first = "+902125550101"
	other = "+902125550102"
	fee   = 50 * wallet.Micro
)

// office is a workspace with credit that buys numbers.
type office struct {
	*apptest.Telephony
	t *testing.T
}

func run(t *testing.T, credit int64, fn func(o *office)) {
	t.Helper()
	apptest.RunTelephony(t, func(t *testing.T, s *apptest.Telephony) {
		if credit > 0 {
			s.Pay(credit, bank.CardGood)
		}
		fn(&office{s, t})
	})
}

// buy buys a number and lets the provider answer.
func (o *office) buy(e164 string) (n number.Number) {
	o.t.Helper()
	o.Owner.Owner.Post(path+"/buy", map[string]any{"e164": e164, "label": " Destek "}).Want(201).Data(&n)
	o.Settle()
	return n
}

// A number is no longer on offer once it is bought, even before the provider knows.
func TestBoughtNumberIsNotOffered(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		offered := func(e164 string) bool {
			o.t.Helper()
			var offers []number.Offer
			o.Owner.Owner.Get(path + "/available?country=TR").Want(200).Data(&offers)
			return slices.ContainsFunc(offers, func(offer number.Offer) bool { return offer.E164 == e164 })
		}
		o.Owner.Owner.Post(path+"/buy", map[string]any{"e164": first}).Want(201)
		if offered(first) || !offered(other) {
			o.t.Errorf("the bought number is on offer: %v; the other one: %v", offered(first), offered(other))
		}
	})
}

func (o *office) list() (list []number.Number) {
	o.t.Helper()
	o.Owner.Owner.Get(path).Want(200).Data(&list)
	return list
}

// wantWallet checks what is available and what is set aside.
func (o *office) wantWallet(available, held int64) {
	o.t.Helper()
	var w wallet.Wallet
	o.Owner.Owner.Get("/api/crm/v1/telephony/wallet").Want(200).Data(&w)
	if w.Available != available || w.Held != held {
		o.t.Errorf("available %d and held %d, want %d and %d", w.Available, w.Held, available, held)
	}
}

// wantRented checks which numbers the provider rents to us, and how many it ever rented
// out.
func (o *office) wantRented(ever int, numbers ...string) {
	o.t.Helper()
	if got, n := o.Carrier.Rented(); !slices.Equal(got, numbers) || n != ever {
		o.t.Errorf("the provider has %v and rented %d, want %v and %d", got, n, numbers, ever)
	}
}

// wait lets time pass. Sessions do not last for months.
func (o *office) wait(d time.Duration) {
	o.t.Helper()
	o.Clock.Advance(d)
	o.Settle()
	o.Owner.Owner = o.Owner.SignIn("owner@demo.example")
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		var offers []number.Offer
		o.Owner.Owner.Get(path + "/available?country=TR&contains=0101").Want(200).Data(&offers)
		if len(offers) != 1 || offers[0].E164 != first || offers[0].MonthlyFee != fee || offers[0].Locality != "İstanbul" || !slices.Equal(offers[0].Capabilities, []string{"voice"}) {
			o.t.Fatalf("offers %+v", offers)
		}
		o.Owner.Owner.Get(path + "/available?country=TR&type=mobile").Want(200).Data(&offers)
		if len(offers) != 0 {
			o.t.Errorf("offers where there are none: %+v", offers)
		}

		made := o.buy(first)
		if made.Status != "pending" || made.E164 != first || made.Label != "Destek" || made.IsDefault {
			o.t.Errorf("bought %+v", made)
		}
		got := o.list()
		if len(got) != 1 || got[0].ID != made.ID || got[0].Status != "active" || !got[0].IsDefault || got[0].RenewsAt == nil ||
			!got[0].RenewsAt.Equal(o.Clock.Now().AddDate(0, 1, 0)) || !slices.Equal(got[0].Capabilities, []string{"voice"}) {
			o.t.Fatalf("the numbers are %+v", got)
		}
		o.wantWallet(150*wallet.Micro, 0)
		o.wantRented(1, first)
		o.Owner.Owner.Get(path + "/available?country=TR&contains=0101").Want(200).Data(&offers)
		if len(offers) != 0 {
			o.t.Error("a number that is rented is on offer")
		}

		second := o.buy(other)
		var changed number.Number
		o.Owner.Owner.Put(path+"/"+second.ID.String()+"/default", nil).Want(200).Data(&changed)
		if !changed.IsDefault {
			o.t.Errorf("the default is %+v", changed)
		}
		o.Owner.Owner.Put(path+"/"+made.ID.String(), map[string]any{"label": " Satış "}).Want(200).Data(&changed)
		if list := o.list(); changed.Label != "Satış" || len(list) != 2 || !list[0].IsDefault || list[1].IsDefault {
			o.t.Errorf("renamed to %q, and the numbers are %+v", changed.Label, list)
		}

		o.Owner.Owner.Delete(path + "/" + second.ID.String()).Want(200)
		o.Settle()
		o.wantRented(2, first)
		o.wantWallet(100*wallet.Micro, 0)
		if list := o.list(); len(list) != 1 || list[0].ID != made.ID || !list[0].IsDefault {
			o.t.Errorf("the numbers are %+v", list)
		}
		for _, refused := range []*apptest.Response{
			o.Owner.Owner.Delete(path + "/" + second.ID.String()),
			o.Owner.Owner.Put(path+"/"+second.ID.String(), map[string]any{"label": "x"}),
			o.Owner.Owner.Put(path+"/"+second.ID.String()+"/default", nil),
		} {
			refused.Refused(404, "not_found")
		}
		o.buy(other) // it can be bought again
		o.wantRented(3, first, other)
		audit := string(o.Owner.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body)
		for action, n := range map[string]int{"number.bought": 3, "number.renamed": 1, "number.made_default": 2, "number.released": 1} {
			if strings.Count(audit, action) != n {
				o.t.Errorf("%s is %d times in the audit log, want %d", action, strings.Count(audit, action), n)
			}
		}
	})
}

func TestNumberRefusals(t *testing.T) {
	t.Parallel()
	run(t, 70*wallet.Micro, func(o *office) {
		owner := o.Owner.Owner
		for _, wrong := range []string{"02125550101", "+90212", "abc"} {
			if got := owner.Post(path+"/buy", map[string]any{"e164": wrong}).Refused(422, "validation_failed"); len(got.Fields["e164"]) != 1 {
				o.t.Errorf("%s: %v", wrong, got.Fields)
			}
		}
		owner.Get(path+"/available").Refused(422, "validation_failed")
		owner.Get(path+"/available?country=tr").Refused(422, "validation_failed")

		// The provider refuses: the fee is released and the number is free.
		o.buy(carrier.Taken)
		if list := o.list(); len(list) != 0 {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.wantWallet(70*wallet.Micro, 0)

		keyed := owner.Header("Idempotency-Key", "once")
		var one, two number.Number
		keyed.Post(path+"/buy", map[string]any{"e164": first}).Want(201).Data(&one)
		keyed.Post(path+"/buy", map[string]any{"e164": first}).Want(201).Data(&two)
		if one.ID != two.ID {
			o.t.Error("bought twice under one key")
		}
		// Before the provider has answered.
		id := path + "/" + one.ID.String()
		owner.Delete(id).Refused(409, "number_not_active")
		owner.Put(id+"/default", nil).Refused(409, "number_not_active")
		o.wantWallet(20*wallet.Micro, fee)
		o.Settle()

		if got := owner.Post(path+"/buy", map[string]any{"e164": first}).Refused(409, "conflict"); len(got.Fields["e164"]) != 1 {
			o.t.Errorf("fields %v", got.Fields)
		}
		owner.Post(path+"/buy", map[string]any{"e164": other}).Refused(409, "no_credit")
		if list := o.list(); len(list) != 1 {
			o.t.Errorf("without credit the numbers are %+v", list)
		}
		// Another workspace cannot have it either.
		acme := o.Workspace("acme")
		acme.Owner.Post(path+"/buy", map[string]any{"e164": first}).Refused(409, "conflict")

		o.Carrier.Break(true)
		owner.Get(path+"/available?country=TR").Refused(503, "unavailable")

		if err := o.Identity.SetLicences(o.t.Context(), "demo", []string{"crm", "telephony_line"}); err != nil {
			o.t.Fatal(err)
		}
		o.Clock.Advance(time.Minute)
		owner.Get(path).Refused(403, "not_licensed")
		owner.Post(path+"/buy", map[string]any{"e164": other}).Refused(403, "not_licensed")
	})
}

// The connection breaks after the provider rented out the number and before it answers: the
// number is found there, and neither rented nor paid twice.
func TestPurchaseWithLostAnswer(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		o.Carrier.DropNextPurchase()
		o.buy(first)
		o.wantWallet(150*wallet.Micro, fee)
		o.wait(time.Hour)
		if list := o.list(); len(list) != 1 || list[0].Status != "active" {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.wantWallet(150*wallet.Micro, 0)
		o.wantRented(1, first)
	})
}

// A number that the operator rents for something else is not taken over.
func TestOperatorsOtherNumbersAreNotTakenOver(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		o.buy(first)
		o.Carrier.Rename(first, "the operator's own")
		o.Owner.Owner.Delete(path + "/" + o.list()[0].ID.String()).Want(200)
		o.Carrier.Break(true) // so that it stays there
		o.Settle()
		o.Carrier.Break(false)
		o.buy(first)
		if list := o.list(); len(list) != 0 {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.wantWallet(150*wallet.Micro, 0)
	})
}

// Two concurrent choices of a default both succeed, and one of them is last.
func TestConcurrentDefaults(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		ids := []string{o.buy(first).ID.String(), o.buy(other).ID.String()}
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				if got := o.Owner.Owner.Put(path+"/"+ids[i%2]+"/default", nil); got.Status != 200 {
					o.t.Errorf("status %d: %s", got.Status, got.Body)
				}
			})
		}
		wg.Wait()
		if list := o.list(); list[0].IsDefault == list[1].IsDefault {
			o.t.Errorf("the numbers are %+v", list)
		}
	})
}

// When the default number is given back, the oldest active one becomes the default. The
// setup reports it, and reports none when the last one is gone.
func TestReleaseDefault(t *testing.T) {
	t.Parallel()
	run(t, 300*wallet.Micro, func(o *office) {
		o.Telephony.Server.Telephony.OutsideLine = true
		want := func(chosen, state string, ready bool) {
			o.t.Helper()
			var is []string
			for _, n := range o.list() {
				if n.IsDefault {
					is = append(is, n.E164)
				}
			}
			var setup telephony.Setup
			o.Owner.Owner.Get("/api/crm/v1/telephony/setup").Want(200).Data(&setup)
			if strings.Join(is, " ") != chosen || setup.Number.State != state || setup.Ready != ready {
				o.t.Errorf("the default is %v and the setup %+v, want %q and %s, ready %v", is, setup, chosen, state, ready)
			}
		}
		ids := map[string]string{}
		for _, e164 := range []string{first, other, "+902125550103"} {
			ids[e164] = o.buy(e164).ID.String()
		}
		release := func(e164 string) {
			o.t.Helper()
			o.Owner.Owner.Delete(path + "/" + ids[e164]).Want(200)
		}
		want(first, "active", true)
		release("+902125550103") // not the default: nothing changes
		want(first, "active", true)
		release(first)
		want(other, "active", true)
		if audit := string(o.Owner.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body); strings.Count(audit, "number.made_default") != 1 {
			o.t.Error("nobody wrote down that another number is the default")
		}
		o.Owner.Owner.Delete(path+"/"+ids[first]).Refused(404, "not_found")
		release(other)
		want("", "none", false)
	})
}

// A suspended number passes the default on, and a number that is paid again becomes the
// default if there is no other.
func TestSuspendedDefault(t *testing.T) {
	t.Parallel()
	run(t, 105*wallet.Micro, func(o *office) {
		o.buy(first)
		o.wait(24 * time.Hour)
		o.buy(other)
		o.wait(o.list()[1].RenewsAt.Sub(o.Clock.Now()) + time.Minute)
		if list := o.list(); list[1].Status != "suspended" || list[1].IsDefault || !list[0].IsDefault {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.wait(25 * time.Hour)
		if list := o.list(); list[0].Status != "suspended" || list[0].IsDefault {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.Pay(50*wallet.Micro, bank.CardGood)
		o.wait(time.Hour)
		list := o.list()
		if i := slices.IndexFunc(list, func(n number.Number) bool { return n.Status == "active" }); i < 0 || !list[i].IsDefault {
			o.t.Errorf("the numbers are %+v", list)
		}
	})
}

// A purchase waits while the operator has no provider.
func TestPurchaseWithoutProvider(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		provider := o.Numbers.Provider
		o.Owner.Owner.Post(path+"/buy", map[string]any{"e164": first}).Want(201)
		o.Numbers.Provider = nil
		o.Settle()
		if list := o.list(); len(list) != 1 || list[0].Status != "pending" {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.Numbers.Provider = provider
		o.wait(time.Hour)
		if list := o.list(); len(list) != 1 || list[0].Status != "active" {
			o.t.Errorf("the numbers are %+v", list)
		}
	})
}

// If the provider never answers, the number stays pending with its fee set aside.
func TestSilentProviderKeepsNumberPending(t *testing.T) {
	t.Parallel()
	run(t, 200*wallet.Micro, func(o *office) {
		o.Carrier.Break(true)
		o.buy(first)
		for range 25 {
			o.wait(24 * time.Hour)
		}
		if list := o.list(); len(list) != 1 || list[0].Status != "pending" || list[0].LastError != "provider_unavailable" {
			o.t.Errorf("the numbers are %+v", list)
		}
		o.wantWallet(150*wallet.Micro, fee)
	})
}

// The fee is charged each month; without credit the number is suspended, becomes active
// again when there is credit, and is given back after 30 days.
func TestMonthlyFee(t *testing.T) {
	t.Parallel()
	run(t, 110*wallet.Micro, func(o *office) {
		bought := o.Clock.Now()
		o.buy(first)
		o.wantWallet(60*wallet.Micro, 0)
		o.wait(bought.AddDate(0, 1, 0).Sub(o.Clock.Now()) - time.Minute)
		o.wantWallet(60*wallet.Micro, 0)
		o.wait(5 * time.Minute)
		o.wantWallet(10*wallet.Micro, 0)
		if n := o.list()[0]; n.Status != "active" || !n.RenewsAt.Equal(bought.AddDate(0, 2, 0)) {
			o.t.Errorf("renewed to %+v", n)
		}

		o.wait(bought.AddDate(0, 2, 0).Sub(o.Clock.Now()))
		n := o.list()[0]
		if n.Status != "suspended" || n.LastError != "no_credit" || n.IsDefault {
			o.t.Errorf("without credit it is %+v", n)
		}
		o.wantWallet(10*wallet.Micro, 0)
		o.Owner.Owner.Put(path+"/"+n.ID.String()+"/default", nil).Refused(409, "number_not_active")

		o.Pay(45*wallet.Micro, bank.CardGood)
		o.wait(time.Hour)
		o.wantWallet(5*wallet.Micro, 0)
		if n := o.list()[0]; n.Status != "active" || n.LastError != "" || !n.RenewsAt.Equal(o.Clock.Now().AddDate(0, 1, 0)) {
			o.t.Errorf("paid again it is %+v", n)
		}

		o.wait(31 * 24 * time.Hour)
		for range 30 {
			o.wait(24 * time.Hour)
		}
		o.wantRented(1, first)
		o.wait(24 * time.Hour)
		o.wantRented(1)
		if list := o.list(); len(list) != 0 {
			o.t.Errorf("unpaid for 30 days, the numbers are %+v", list)
		}
	})
}

// Without a provider numbers can be neither searched nor bought.
func TestNumbersWithoutProvider(t *testing.T) {
	t.Parallel()
	owner := apptest.New(t, db.SQLite).Workspace("demo").Owner
	owner.Get(path+"/available?country=TR").Refused(409, "not_configured")
	owner.Post(path+"/buy", map[string]any{"e164": first}).Refused(409, "not_configured")
}
