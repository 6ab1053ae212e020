package app_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/crm/assistant"
	"konak/internal/crm/channel/widget"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A demo has a configuration whose language model is a stand-in. It answers after every
// start, no channel uses it, and a changed one stays as it is.
func TestDemoModel(t *testing.T) {
	t.Parallel()
	cfg := app.Config{
		DB: dbtest.URL(t, db.SQLite), Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost", SQLiteSync: "normal", Demo: true,
	}
	now := clock.NewFake(dbtest.Start)
	start := func(fn func(ctx context.Context, a *app.App, c assistant.Configuration)) {
		t.Helper()
		a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), now)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}()
		id, err := a.Identity.TenantBySlug(t.Context(), "demo")
		if err != nil {
			t.Fatal(err)
		}
		licences := map[string]bool{}
		for _, l := range identity.AllLicences {
			licences[l] = true
		}
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: id, Slug: "demo", Licences: licences})
		list, err := a.Assistant.Configurations(ctx, db.Page{Limit: 10})
		if err != nil || len(list.Rows) != 1 || list.Rows[0].Model.V == nil {
			t.Fatalf("%v, %+v", err, list)
		}
		if account, err := a.Channels.Get(ctx, widget.Name, app.DemoAccount(id, widget.Name)); err != nil || !account.AI || account.AIConfigurationID != nil {
			t.Errorf("%v, %+v", err, account)
		}
		fn(ctx, a, list.Rows[0])
	}
	answers := func(ctx context.Context, a *app.App, c assistant.Configuration) {
		t.Helper()
		got, err := a.Assistant.Try(ctx, "Ürünü nasıl iade edebilirim?", "", &c.ID)
		if err != nil || !got.Answered || !strings.Contains(got.Text, "Kaynak: ") {
			t.Errorf("%v, %+v", err, got)
		}
	}
	change := func(ctx context.Context, a *app.App, c assistant.Configuration, address string) {
		t.Helper()
		key := "sk-own"
		if _, err := a.Assistant.Change(ctx, c.ID, assistant.Input{Name: c.Name, Model: &assistant.ModelInput{Address: address, Model: "x", APIKey: &key}}); err != nil {
			t.Fatal(err)
		}
	}
	var before string
	start(func(ctx context.Context, a *app.App, c assistant.Configuration) {
		answers(ctx, a, c)
		before = c.Model.V.Address
		change(ctx, a, c, before) // with a key, which goes to no other port
	})
	start(func(ctx context.Context, a *app.App, c assistant.Configuration) {
		if c.Model.V.Address == before || c.Model.V.HasKey {
			t.Errorf("got %+v, before it was at %s", c.Model.V, before)
		}
		answers(ctx, a, c)
		change(ctx, a, c, "https://llm.example.com/v1")
	})
	start(func(_ context.Context, _ *app.App, c assistant.Configuration) {
		if c.Model.V.Address != "https://llm.example.com/v1" || !c.Model.V.HasKey {
			t.Errorf("got %+v", c.Model.V)
		}
	})
}
