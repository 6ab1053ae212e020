package wallet_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
	wire "konak/internal/provider/iyzico"
	bank "konak/internal/sandbox/iyzico"
)

const base = "/api/crm/v1/telephony/wallet"

// shop is a server with a bank, and a workspace that pays.
type shop struct {
	*apptest.Telephony
	t *testing.T
}

// run runs fn on both databases.
func run(t *testing.T, fn func(s *shop)) {
	t.Helper()
	apptest.RunTelephony(t, func(t *testing.T, s *apptest.Telephony) { fn(&shop{s, t}) })
}

// pay makes a complete payment.
func (s *shop) pay(amount int64, card string) wallet.TopUp {
	s.t.Helper()
	return s.topUp(s.Pay(amount, card))
}

func (s *shop) topUp(c wallet.Challenge) (t wallet.TopUp) {
	s.t.Helper()
	s.Owner.Owner.Get(base + "/topups/" + c.ID.String()).Want(200).Data(&t)
	return t
}

func (s *shop) wallet() (w wallet.Wallet) {
	s.t.Helper()
	s.Owner.Owner.Get(base).Want(200).Data(&w)
	return w
}

func (s *shop) wantState(c wallet.Challenge, state, reason string, available int64) {
	s.t.Helper()
	if got := s.topUp(c); got.State != state || got.Reason != reason {
		s.t.Errorf("state %s (%s), want %s (%s)", got.State, got.Reason, state, reason)
	}
	if w := s.wallet(); w.Available != available || w.Held != 0 || w.Balance != available {
		s.t.Errorf("the wallet is %+v, want %d", w, available)
	}
}

func TestTopUp(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		if w := s.wallet(); w.Currency != "TRY" || w.Balance != 0 || w.HasBuyer {
			s.t.Errorf("a new wallet is %+v", w)
		}
		c := s.StartTopUp(100*wallet.Micro, "5528 7900 0000 0008")
		s.wantState(c, "challenged", "", 0)
		path, form := s.AnswerBank(c, bank.Code)
		page := s.SendBack(path, form).Want(200)
		if kind := page.Header.Get("Content-Type"); kind != "text/html; charset=utf-8" || !strings.Contains(string(page.Body), "as soon as the bank has confirmed it") {
			s.t.Errorf("the browser is shown %s %s", kind, page.Body)
		}
		s.Settle()
		s.wantState(c, "succeeded", "", 100*wallet.Micro)
		// The bank's page may be sent twice.
		s.SendBack(path, form).Want(200)
		s.Settle()
		s.wantState(c, "succeeded", "", 100*wallet.Micro)
		if s.Bank.Taken() != 1 {
			s.t.Errorf("the money was taken %d times", s.Bank.Taken())
		}

		var entries []wallet.Entry
		s.Owner.Owner.Get(base + "/entries").Want(200).Data(&entries)
		if len(entries) != 1 || entries[0].Kind != "topup" || entries[0].Ref != c.ID || entries[0].Available != 100*wallet.Micro {
			s.t.Errorf("entries %+v", entries)
		}
		csv := string(s.Owner.Owner.Get(base + "/statement?from=2026-11-15T00:00:00Z&to=2026-11-16T00:00:00Z").Want(200).Body)
		if want := "2026-11-15T09:00:00Z,topup,card," + c.ID.String() + ",100000000,0,TRY," + entries[0].ID.String() + ",\n"; !strings.HasSuffix(csv, want) || strings.Count(csv, "\n") != 2 {
			s.t.Errorf("statement %q", csv)
		}
		if csv := string(s.Owner.Owner.Get(base + "/statement?from=2026-11-14T00:00:00Z&to=2026-11-15T00:00:00Z").Want(200).Body); strings.Count(csv, "\n") != 1 {
			s.t.Errorf("statement of another day %q", csv)
		}
		audit := string(s.Owner.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body)
		for _, action := range []string{"wallet.topup_started", "wallet.topup_succeeded"} {
			if strings.Count(audit, action) != 1 {
				s.t.Errorf("%s is %d times in the audit log", action, strings.Count(audit, action))
			}
		}

		// The buyer need not be given again.
		again := apptest.TopUpBody(10*wallet.Micro, bank.CardGood)
		delete(again, "buyer")
		s.Owner.Owner.Post(base+"/topup", again).Want(201)
		if !s.wallet().HasBuyer {
			s.t.Error("the buyer is not remembered")
		}
		if strings.Contains(dbtest.Dump(s.t, s.DB, s.Owner.ID), "11111111110") {
			s.t.Error("the buyer's identity number is stored as it is")
		}
	})
}

func TestTopUpThatFails(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		wrong := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		if page := s.SendBack(s.AnswerBank(wrong, "000000")).Want(200); !strings.Contains(string(page.Body), "did not go through") {
			s.t.Errorf("the browser is shown %s", page.Body)
		}
		s.Settle()
		s.wantState(wrong, "failed", "not_authenticated", 0)

		poor := s.StartTopUp(20*wallet.Micro, bank.CardNoFunds)
		s.SendBack(s.AnswerBank(poor, bank.Code)).Want(200)
		s.Settle()
		s.wantState(poor, "failed", "refused", 0)
		if got := s.topUp(poor); !strings.Contains(got.Detail, "yetersiz bakiye") {
			s.t.Errorf("the bank's reason is %q", got.Detail)
		}

		// A payment that was made for one top-up is valid for that one only.
		first, second := s.StartTopUp(10*wallet.Micro, bank.CardGood), s.StartTopUp(1000*wallet.Micro, bank.CardGood)
		_, small := s.AnswerBank(first, bank.Code)
		large, _ := s.AnswerBank(second, bank.Code)
		s.SendBack(large, small).Want(200)
		s.Settle()
		s.wantState(second, "failed", "payment_mismatch", 0)

		late := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		path, form := s.AnswerBank(late, bank.Code)
		s.Clock.Advance(15 * time.Minute)
		s.wantState(late, "expired", "", 0)
		s.SendBack(path, form).Want(200)
		s.Settle()
		s.wantState(late, "expired", "", 0)

		forged := path[:len(path)-4] + "AAAA"
		s.SendBack(forged, form).Refused(404, "not_found")

		s.Bank.SetFraudStatus(-1)
		fraud := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		s.SendBack(s.AnswerBank(fraud, bank.Code)).Want(200)
		s.Settle()
		s.wantState(fraud, "failed", "refused", 0)
	})
}

// A bank's success for a payment other than ours gives no credit.
func TestPaymentOfAnotherTopUpGivesNoCredit(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		for name, alter := range map[string]func(*wire.Answer){
			"amount": func(a *wire.Answer) { a.PaidPrice = "1.00" }, "currency": func(a *wire.Answer) { a.Currency = "USD" },
			"basket": func(a *wire.Answer) { a.BasketID = uuid.NewString() }, "payment": func(a *wire.Answer) { a.PaymentID = "1" },
		} {
			s.Bank.AlterPayments(alter)
			if got := s.pay(20*wallet.Micro, bank.CardGood); got.State != "failed" || got.Reason != "payment_mismatch" {
				s.t.Errorf("another %s: %s (%s)", name, got.State, got.Reason)
			}
		}
		if w := s.wallet(); w.Balance != 0 {
			s.t.Errorf("the wallet is %+v", w)
		}
		if !strings.Contains(s.Logs.String(), "a bank's answer is about another payment") {
			s.t.Error("nobody is told")
		}
	})
}

// A payment that the bank is reviewing waits, and is queried again later.
func TestTopUpUnderReview(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		s.Bank.SetFraudStatus(0)
		c := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		s.SendBack(s.AnswerBank(c, bank.Code)).Want(200)
		s.Settle()
		s.wantState(c, "completing", "", 0)
		s.Bank.SetFraudStatus(1)
		s.Clock.Advance(10 * time.Minute)
		s.Settle()
		s.wantState(c, "succeeded", "", 20*wallet.Micro)
	})
}

// The connection breaks after the bank took the money and before it answers: the bank is
// queried before anything is tried again, and the money is taken and credited once.
func TestTopUpWithLostAnswer(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		s.Bank.DropNextAuth()
		c := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		s.SendBack(s.AnswerBank(c, bank.Code)).Want(200)
		s.Settle()
		s.wantState(c, "completing", "", 0)
		s.Clock.Advance(time.Hour)
		s.Settle()
		s.wantState(c, "succeeded", "", 20*wallet.Micro)
		if s.Bank.Taken() != 1 {
			s.t.Errorf("the money was taken %d times", s.Bank.Taken())
		}
	})
}

// A payment waits while the operator has no bank.
func TestTopUpWaitsWhileThereIsNoBank(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		c := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		s.SendBack(s.AnswerBank(c, bank.Code)).Want(200)
		payments := s.Wallet.Bank
		s.Wallet.Bank = nil
		s.Settle()
		s.wantState(c, "authenticated", "", 0)
		s.Wallet.Bank = payments
		s.Clock.Advance(time.Hour)
		s.Settle()
		s.wantState(c, "succeeded", "", 20*wallet.Micro)
	})
}

// If a bank never reports the result of a payment, it stays unknown until an operator
// retries the query.
func TestTopUpWithSilentBankStaysUnknown(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		c := s.StartTopUp(20*wallet.Micro, bank.CardGood)
		path, form := s.AnswerBank(c, bank.Code)
		s.Bank.Break(true)
		s.SendBack(path, form).Want(200)
		for range 25 {
			s.Settle()
			s.Clock.Advance(24 * time.Hour)
		}
		s.Owner.Owner = s.Owner.SignIn("owner@demo.example")
		s.wantState(c, "unknown", "", 0)
		s.Owner.Owner.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardGood)).Refused(503, "unavailable")
		s.Bank.Break(false)
		dead, err := jobs.ListDead(s.t.Context(), s.DB, "wallet.topup", 10)
		if err != nil || len(dead) != 1 {
			s.t.Fatalf("dead jobs %v, %v", dead, err)
		}
		if err := jobs.RetryDead(s.t.Context(), s.DB, dead[0].ID); err != nil {
			s.t.Fatal(err)
		}
		s.Settle()
		s.wantState(c, "succeeded", "", 20*wallet.Micro)
	})
}

func TestTopUpRefusals(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		change := func(change func(b, card map[string]any)) map[string]any {
			b := apptest.TopUpBody(20*wallet.Micro, bank.CardGood)
			change(b, b["card"].(map[string]any))
			return b
		}
		for field, b := range map[string]map[string]any{
			"card.number":      change(func(_, card map[string]any) { card["number"] = "5528790000000009" }),
			"card.expiry_year": change(func(_, card map[string]any) { card["expiry_month"], card["expiry_year"] = 10, 2026 }),
			"amount_micros":    change(func(b, _ map[string]any) { b["amount_micros"] = 20*wallet.Micro + 1 }),
			"buyer":            change(func(b, _ map[string]any) { delete(b, "buyer") }),
		} {
			if got := s.Owner.Owner.Post(base+"/topup", b).Refused(422, "validation_failed"); len(got.Fields) != 1 || len(got.Fields[field]) != 1 {
				s.t.Errorf("%s: fields %v", field, got.Fields)
			}
		}
		for _, amount := range []int64{0, -wallet.Micro, 10*wallet.Micro - 10_000, 50_001 * wallet.Micro} {
			s.Owner.Owner.Post(base+"/topup", apptest.TopUpBody(amount, bank.CardGood)).Refused(422, "validation_failed")
		}
		// This month is still valid.
		s.Owner.Owner.Post(base+"/topup", change(func(_, card map[string]any) { card["expiry_month"], card["expiry_year"] = 11, 2026 })).Want(201)
		stolen := s.Owner.Owner.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardStolen)).Refused(422, "payment_refused")
		if stolen.Reason != "10043" || stolen.Message != "The payment was refused: Çalıntı kart ***" {
			s.t.Errorf("refused with %q: %s", stolen.Reason, stolen.Message)
		}
		// After a refusal the key can be used again.
		keyed := s.Owner.Owner.Header("Idempotency-Key", "once")
		keyed.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardStolen)).Refused(422, "payment_refused")
		made := keyed.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardGood)).Want(201).ID()
		if again := keyed.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardGood)).Refused(409, "idempotency_replay"); again.Reason != made {
			s.t.Errorf("the repeat of %s names %q", made, again.Reason)
		}
		keyed.Post(base+"/topup", apptest.TopUpBody(30*wallet.Micro, bank.CardGood)).Refused(422, "idempotency_mismatch")
		s.Owner.Owner.Get(base+"/statement?from=2026-11-15T00:00:00Z&to=2026-11-15T00:00:00Z").Refused(422, "validation_failed")

		if err := s.Identity.SetLicences(s.t.Context(), "demo", []string{"crm", "telephony_line"}); err != nil {
			s.t.Fatal(err)
		}
		s.Clock.Advance(time.Minute)
		s.Owner.Owner.Get(base).Refused(403, "not_licensed")
		s.Owner.Owner.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardGood)).Refused(403, "not_licensed")
	})
}

// Without an account at a bank nothing can be paid; only a demo has a sandbox.
func TestTopUpWithoutBank(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	s.Workspace("demo").Owner.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardGood)).Refused(409, "not_configured")
}

// A wallet keeps its currency when the operator's changes.
func TestWalletKeepsItsCurrency(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		s.pay(20*wallet.Micro, bank.CardGood)
		s.Wallet.Currency = "EUR"
		if got := s.pay(30*wallet.Micro, bank.CardGood); got.Currency != "TRY" || got.State != "succeeded" {
			s.t.Errorf("paid %+v", got)
		}
		if w := s.wallet(); w.Currency != "TRY" || w.Available != 50*wallet.Micro {
			s.t.Errorf("the wallet is %+v", w)
		}
		if w := s.Workspace("other"); !strings.Contains(string(w.Owner.Get(base).Want(200).Body), `"EUR"`) {
			t.Error("a new wallet has the old currency")
		}
	})
}

// Whatever the result of a payment, the card is in no log line, no row and no page of the
// database file or its write-ahead log.
func TestCardNumberIsStoredNowhere(t *testing.T) {
	t.Parallel()
	run(t, func(s *shop) {
		cards := []string{bank.CardGood, bank.CardNoFunds, bank.CardStolen, "5528790000000009"}
		s.pay(20*wallet.Micro, bank.CardGood)
		s.pay(20*wallet.Micro, bank.CardNoFunds)
		s.Owner.Owner.Header("Idempotency-Key", "k").Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardStolen)).Want(422)
		s.Owner.Owner.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, cards[3])).Want(422)
		s.Bank.DropNextAuth()
		s.pay(20*wallet.Micro, bank.CardGood)
		s.Bank.Break(true)
		s.Owner.Owner.Post(base+"/topup", apptest.TopUpBody(20*wallet.Micro, bank.CardGood)).Want(503)

		places := map[string]string{"the log": s.Logs.String(), "the rows": dbtest.Dump(s.t, s.DB, s.Owner.ID)}
		if s.DB.Dialect() == db.SQLite {
			files, err := filepath.Glob(s.DBPath + "*")
			if err != nil || !slices.Contains(files, s.DBPath) || !slices.Contains(files, s.DBPath+"-wal") {
				s.t.Fatalf("the database is in %v, %v", files, err)
			}
			for _, name := range files {
				b, err := os.ReadFile(name)
				if err != nil {
					s.t.Fatal(err)
				}
				places[filepath.Base(name)] = string(b)
			}
		}
		for place, text := range places {
			if place != "konak.db" && len(text) == 0 {
				continue
			}
			for _, card := range cards {
				if strings.Contains(text, card) {
					s.t.Errorf("a card number is in %s", place)
				}
			}
		}
		if !strings.Contains(places["the rows"], "Çalıntı kart ***") {
			s.t.Error("the bank's reason is not kept")
		}
	})
}

func TestTierFollowsLicences(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, c := range []struct {
			licences []string
			tier     string
		}{
			{identity.AllLicences, "exchange"}, {[]string{"crm", "telephony_line"}, "line"}, {[]string{"crm"}, "none"},
		} {
			if err := s.Identity.SetLicences(t.Context(), "demo", c.licences); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(time.Minute)
			var got struct {
				Tier         string   `json:"tier"`
				Capabilities []string `json:"capabilities"`
				SwitchURL    *string  `json:"switch_url"`
			}
			w.Owner.Get("/api/crm/v1/telephony/tier").Want(200).Data(&got)
			if got.Tier != c.tier || slices.Contains(got.Capabilities, "wallet") != (c.tier == "exchange") || got.SwitchURL != nil {
				t.Errorf("%v: %+v", c.licences, got)
			}
		}
	})
}
