package signin_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/perm"
)

func strict(cfg *app.Config) { cfg.LimitFactor = 1 }

// Callers are told how many calls they have left, and too many get a 429 that says when to
// come back.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, strict, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		first := w.Owner.Get(auth + "/me").Want(200)
		if p, l := first.Header.Get("RateLimit-Policy"), first.Header.Get("RateLimit"); p != `"account";q=1200;w=60` || l != `"account";r=1199;t=1` {
			t.Errorf("policy %s, left %s", p, l)
		}
		key := w.Key(false, perm.SettingsView)
		for range 600 {
			key.Get("/api/crm/public/v1/conversations").Refused(403, "forbidden") // which counts, and is short
		}
		got := key.Get("/api/erp/v1/webhooks/catalog")
		if f := got.Refused(429, "rate_limited"); f.Reason != "key" || got.Header.Get("Retry-After") != "1" || got.Header.Get("RateLimit") != `"key";r=0;t=60` {
			t.Errorf("refusal %+v %v", f, got.Header)
		}
		w.Key(false, perm.SettingsView).Get("/api/erp/v1/webhooks/catalog").Want(200)
		s.Clock.Advance(time.Second)
		key.Get("/api/erp/v1/webhooks/catalog").Want(200)
		// A call without permission is counted too.
		weak := w.Key(false).Get("/api/erp/v1/webhooks/catalog")
		weak.Refused(403, "forbidden")
		if weak.Header.Get("RateLimit") != `"key";r=599;t=1` {
			t.Errorf("left %s", weak.Header.Get("RateLimit"))
		}
	})
}

func TestGuessesAreLimited(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, strict, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		// A person's own password, at one account.
		for range 10 {
			w.Owner.Post(auth+"/app/reauth", object{"password": "wrong"}).Refused(422, "wrong_password")
		}
		if f := w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password}).Refused(429, "rate_limited"); f.Reason != "credentials-account" {
			t.Errorf("refusal %+v", f)
		}
		s.Clock.Advance(30 * time.Second)
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password}).Want(200)

		// Links, from one address.
		nobody := s.Client("")
		for range 30 {
			nobody.Post(auth+"/email/verify", object{"token": "emv_x"}).Refused(422, "link_expired")
		}
		limited := nobody.Post(auth+"/email/verify", object{"token": "emv_x"})
		limited.Refused(429, "rate_limited")
		if n, err := strconv.Atoi(limited.Header.Get("Retry-After")); err != nil || n < 1 || n > 10 {
			t.Errorf("Retry-After %q", limited.Header.Get("Retry-After"))
		}
		// Mail to strangers.
		for i := range 10 {
			nobody.Post(auth+"/password/forgot", object{"email": fmt.Sprintf("p%d@example.com", i)})
		}
		if f := nobody.Post(auth+"/password/forgot", object{"email": "p@example.com"}).Refused(429, "rate_limited"); f.Reason != "mailing-ip" {
			t.Errorf("refusal %+v", f)
		}
		// Tokens that open nothing.
		wrong := s.Client("ses_wrong")
		for range 120 {
			wrong.Get(auth+"/me").Refused(401, "unauthenticated")
		}
		wrong.Get(auth+"/me").Refused(429, "rate_limited")
		w.Owner.Get(auth + "/me").Want(200)
	})
}
