package app_test

import (
	"log/slog"
	"testing"

	"konak/internal/app"
	"konak/internal/commerce"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// The demo is filled once, with records in the past, and sends nothing.
func TestDemo(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			now := clock.NewFake(dbtest.Start)
			cfg := app.Config{
				DB: dbtest.URL(t, d), Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost",
				SQLiteSync: "normal", RowSecurity: d == db.Postgres, Demo: true,
			}
			for range 2 {
				a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), now)
				if err != nil {
					t.Fatal(err)
				}
				for slug, least := range map[string][2]int{"demo": {30, 40}, "acme": {10, 10}} {
					checkDemo(t, a, slug, least)
				}
				// Somebody creates a workspace in it; the demo still starts again.
				if n, err := a.Identity.Tenants(t.Context(), false); err != nil {
					t.Fatal(err)
				} else if n == 0 {
					_, _, err := a.Identity.CreateWorkspace(t.Context(), identity.NewWorkspace{
						Slug: "yeni", Name: "Yeni", OwnerName: "Yeni Sahip", OwnerEmail: "sahip@yeni.example", Password: app.DemoPassword,
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A demo whose filling was interrupted is complete after the next start.
func TestInterruptedDemoIsCompletedAtNextStart(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			now := clock.NewFake(dbtest.Start)
			cfg := app.Config{
				DB: dbtest.URL(t, d), Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost",
				SQLiteSync: "normal", RowSecurity: d == db.Postgres,
			}
			// As far as the first start got.
			a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), now)
			if err != nil {
				t.Fatal(err)
			}
			w, m, err := a.Identity.CreateWorkspace(t.Context(), identity.NewWorkspace{
				Slug: "demo", Name: "Demo A.Ş.", OwnerName: "Defne Yılmaz", OwnerEmail: "owner@demo.localhost",
				Password: app.DemoPassword, Demo: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.Agent, TenantID: w.ID, Slug: w.Slug, ID: m.ID})
			name := "half"
			c, err := a.Contacts.Create(ctx, contact.Input{Name: &name})
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Conversations.Create(ctx, conversation.NewConversation{ContactID: c.ID, Channel: conversation.Panel, Subject: name, Body: name})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			cfg.Demo = true
			if a, err = app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), now); err != nil {
				t.Fatal(err)
			}
			for slug, least := range map[string][2]int{"demo": {30, 40}, "acme": {10, 10}} {
				checkDemo(t, a, slug, least)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func checkDemo(t *testing.T, a *app.App, slug string, least [2]int) {
	t.Helper()
	in, err := a.Accounts.SignIn(t.Context(), signin.Proof{
		Email: "owner@" + slug + ".localhost", Password: app.DemoPassword, Slug: slug, Device: identity.Device{Name: "test", IP: "127.0.0.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	who, err := a.Identity.Authenticate(t.Context(), in.Token)
	if err != nil {
		t.Fatal(err)
	}
	ctx := caller.With(t.Context(), who)
	page := db.Page{Limit: 100, After: db.First}
	people, err := a.Contacts.List(ctx, contact.Filter{}, page)
	if err != nil || len(people.Rows) < least[0] {
		t.Errorf("%s: %d contacts, %v", slug, len(people.Rows), err)
	}
	talks, err := a.Conversations.List(ctx, conversation.Filter{}, "", conversation.Order{Name: "last_activity"}, page)
	if err != nil || len(talks.Rows) < least[1] {
		t.Errorf("%s: %d conversations, %v", slug, len(talks.Rows), err)
	}
	channels := map[string]bool{}
	for _, c := range talks.Rows {
		channels[c.Channel] = true
		if c.LastActivityAt.After(dbtest.Start) || c.CreatedAt.After(dbtest.Start) {
			t.Errorf("%s: %q lies in the future", slug, c.Preview)
		}
	}
	if len(channels) < 5 {
		t.Errorf("%s: channels %v", slug, channels)
	}
	counts, err := a.Conversations.Counts(ctx)
	if err != nil || counts.All.Open == 0 || counts.All.Snoozed == 0 || counts.All.Open+counts.All.Snoozed+counts.All.Closed != len(talks.Rows) {
		t.Errorf("%s: %+v of %d, %v", slug, counts.All, len(talks.Rows), err)
	}
	views, err := a.Desk.ViewCounts(ctx)
	if err != nil || len(views) < 2 || views[0].Count == 0 {
		t.Errorf("%s: views %+v, %v", slug, views, err)
	}
	orders, err := a.Commerce.Orders(ctx, commerce.OrderFilter{}, page)
	if err != nil || len(orders.Rows) < 3 {
		t.Errorf("%s: %d orders, %v", slug, len(orders.Rows), err)
	}
	cards := 0
	for _, c := range talks.Rows {
		card, err := a.Cards.Commerce(ctx, c.ID)
		if err != nil || !card.Licensed {
			t.Fatalf("%s: %+v, %v", slug, card, err)
		}
		if len(card.Orders) > 0 {
			cards++
		}
		for _, o := range card.Orders {
			if o.PlacedAt.After(dbtest.Start) || o.Total.Amount == 0 {
				t.Errorf("%s: %+v", slug, o)
			}
		}
	}
	if cards < 3 {
		t.Errorf("%s: %d cards with orders", slug, cards)
	}
	if n, err := a.Sender.Step(t.Context()); err != nil || n != 0 {
		t.Errorf("%s: %d deliveries, %v", slug, n, err)
	}
}
