package app_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/smtp"
	"testing"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// Mail programs can sign in to a demo: its mail server creates a certificate. Other
// installations offer the operator's certificate.
func TestDemoMailIsEncrypted(t *testing.T) {
	t.Parallel()
	for _, demo := range []bool{true, false} {
		cfg := app.Config{
			DB: dbtest.URL(t, db.SQLite), SQLiteSync: "normal", Data: t.TempDir(), Demo: demo, Domain: "localhost", Listen: "127.0.0.1:0", PrivateListen: "off", SIPListen: "off",
			MailListen: "127.0.0.1:0", MailDomain: "in.localhost", MailMaxSize: 1 << 20,
		}
		l, err := app.Listen(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.Serve(ctx, l) }()
		c, err := smtp.Dial(l.MailAddress())
		if err != nil {
			t.Fatal(err)
		}
		if offered, _ := c.Extension("STARTTLS"); offered != demo {
			t.Errorf("demo %v: offers STARTTLS: %v", demo, offered)
		}
		if demo {
			if err := c.StartTLS(&tls.Config{InsecureSkipVerify: true}); err != nil {
				t.Error(err)
			}
			if offered, _ := c.Extension("AUTH"); !offered {
				t.Error("nobody can sign in")
			}
		}
		_ = c.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
