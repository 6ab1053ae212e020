package app_test

import (
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	bank "konak/internal/sandbox/iyzico"
)

// A demo has its own bank and its own provider of numbers: credit can be paid for and a
// number bought without an account anywhere.
func TestDemoBuysANumber(t *testing.T) {
	t.Parallel()
	s := &apptest.Telephony{Server: apptest.NewCalledBack(t, db.SQLite, func(cfg *app.Config, _ clock.Source) { cfg.Demo = true })}
	tenant, err := s.Identity.TenantBySlug(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.Agent, TenantID: tenant, Slug: "demo", IP: "127.0.0.1"})
	c, err := s.Wallet.StartTopUp(ctx, wallet.NewTopUp{
		Amount: 100 * wallet.Micro, Card: wallet.Card{Holder: "Defne Yılmaz", Number: bank.CardGood, Month: 12, Year: 2030, CVC: "123"},
		Buyer: &wallet.Buyer{
			Name: "Defne", Surname: "Yılmaz", Email: "defne@demo.example", Phone: "+905321234567", IdentityNumber: "11111111110",
			Address: "Bağdat Caddesi 12", City: "İstanbul", Country: "Türkiye",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.SendBack(s.AnswerBank(c, bank.Code)).Want(200)
	s.Settle()
	offers, err := s.Numbers.Available(ctx, number.Search{Country: "TR", Type: "local"})
	if err != nil || len(offers) == 0 {
		t.Fatalf("offers %v, %v", offers, err)
	}
	if _, err := s.Numbers.Buy(ctx, offers[0].E164, ""); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	list, err := s.Numbers.Numbers(ctx, db.Page{Limit: 10, After: db.First})
	if err != nil || len(list.Rows) != 1 || list.Rows[0].Status != number.StatusActive {
		t.Errorf("the numbers are %+v, %v", list.Rows, err)
	}
	if w, err := s.Wallet.Wallet(ctx, tenant); err != nil || w.Available != 50*wallet.Micro || w.Held != 0 {
		t.Errorf("the wallet is %+v, %v", w, err)
	}
}
