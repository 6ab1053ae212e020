package app_test

import (
	"errors"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/exchange"
	"konak/internal/exchange/lease"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// The exchange is off unless it is configured.
func TestExchangeIsOffByDefault(t *testing.T) {
	t.Parallel()
	if s := apptest.New(t, db.SQLite); s.Exchange != nil {
		t.Error("there is an exchange")
	}
}

// An exchange that is created but not started refuses calls; once started it registers
// devices.
func TestExchangeRefusesCallsBeforeItsStart(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(cfg *app.Config) { cfg.SIPListen = "127.0.0.1:0" })
	w := s.Workspace("demo")
	device := exchange.Device{Tenant: w.ID, Username: "ayse", Extension: "101", HA1: secret.Of(strings.Repeat("a", 32))}
	if err := s.Exchange.PutDevice(t.Context(), device); !errors.Is(err, exchange.ErrUnavailable) {
		t.Errorf("before its start: %v", err)
	}
	s.StartExchange()
	if err := s.Exchange.PutDevice(t.Context(), device); err != nil {
		t.Error(err)
	}
}

// One node of an installation runs the exchange. Another takes over when the first has been
// silent for a while.
func TestOneNodeRunsTheExchange(t *testing.T) {
	t.Parallel()
	first := apptest.NewOn(t, db.Postgres, func(cfg *app.Config) { cfg.SIPListen = "127.0.0.1:0" })
	first.StartExchange()
	second := first.Node()
	sockets, err := sipexchange.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer sockets.Close()
	if err := second.App.StartExchange(t.Context(), sockets); !errors.Is(err, lease.ErrHeld) {
		t.Fatalf("a second exchange: %v", err)
	}
	// A node that was told to carry calls does not serve if another node does; a demo's
	// node serves without calls.
	for listen, refused := range map[string]bool{"127.0.0.1:0": true, "": false} {
		node := first.Node()
		carries, err := node.StartExchangeOfNode(t.Context(), sockets, listen)
		if carries || errors.Is(err, lease.ErrHeld) != refused {
			t.Errorf("--sip-listen %q: carries %v, %v", listen, carries, err)
		}
	}
	first.Clock.Advance(2 * lease.Life)
	third := first.Node()
	third.StartExchange()
}
