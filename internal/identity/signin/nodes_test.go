package signin_test

import (
	"fmt"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/identity/captcha"
	"konak/internal/kit/db"
)

// Tries are counted across nodes: another node gives no fresh burst, and a robot that one
// node suspects is asked by all.
func TestNodesCountTogether(t *testing.T) {
	t.Parallel()
	here := apptest.NewOn(t, db.Postgres, behindProxy)
	there := here.Node()
	here.Workspace("demo")
	t.Run("captcha", func(t *testing.T) {
		from := func(s *apptest.Server, ip string) *apptest.Client { return s.Client("").Header("X-Forwarded-For", ip) }
		info := func(s *apptest.Server, ip string) (c captcha.Info) {
			from(s, ip).Get(auth + "/captcha").Want(200).Data(&c)
			return c
		}
		for i := range 3 {
			s := []*apptest.Server{here, there}[i%2]
			if info(s, "192.0.2.1").RequiredNow {
				t.Fatal("asked too early")
			}
			from(s, "192.0.2.1").Post(auth+"/sign-in", object{"email": email, "password": "wrong"}).Refused(422, "wrong_credentials")
		}
		for _, s := range []*apptest.Server{here, there} {
			c := info(s, "192.0.2.1")
			if !c.RequiredNow || info(s, "192.0.2.2").RequiredNow {
				t.Fatal("the wrong addresses are asked")
			}
			// A challenge of one node is answered at the other, once.
			token := solve(t, c.Challenge)
			body := object{"email": email, "password": apptest.Password, "captcha_token": token}
			from(there, "192.0.2.1").Post(auth+"/sign-in", body).Want(200)
			from(here, "192.0.2.1").Post(auth+"/sign-in", body).Refused(422, "captcha_failed")
		}
	})
	t.Run("limits", func(t *testing.T) {
		s := []*apptest.Server{here, there}
		for i := range 30 {
			s[i%2].Client("").Header("X-Forwarded-For", "198.51.100.1").Post(auth+"/email/verify", object{"token": "emv_x"}).Refused(422, "link_expired")
		}
		for _, node := range s {
			f := node.Client("").Header("X-Forwarded-For", "198.51.100.1").Post(auth+"/email/verify", object{"token": "emv_x"}).Refused(429, "rate_limited")
			if f.Reason != "credentials-ip" {
				t.Errorf("refusal %+v", f)
			}
		}
		for i := range 10 {
			s[i%2].Client("").Header("X-Forwarded-For", "198.51.100.2").Post(auth+"/password/forgot", object{"email": fmt.Sprintf("p%d@example.com", i)})
		}
		for _, node := range s {
			node.Client("").Header("X-Forwarded-For", "198.51.100.2").Post(auth+"/password/forgot", object{"email": "p@example.com"}).Refused(429, "rate_limited")
		}

		// The other node learns of ordinary counts within a second.
		w := here.Workspace("acme")
		key := w.Key(false) // which may do nothing: refusals count as well, and are short
		far := there.Client(key.Token())
		for range 600 {
			key.Get("/api/erp/v1/webhooks/catalog").Want(403)
		}
		key.Get("/api/erp/v1/webhooks/catalog").Refused(429, "rate_limited")
		if _, err := here.Limits.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		more := 0
		for ; more < 200 && far.Get("/api/erp/v1/webhooks/catalog").Status == 403; more++ {
			if more%20 == 0 {
				if _, err := there.Limits.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		// Each node allows a tenth before it tells or asks the others.
		if more > 2*60+20 {
			t.Errorf("%d more calls at the other node", more)
		}
		if f := far.Get("/api/erp/v1/webhooks/catalog").Refused(429, "rate_limited"); f.Reason != "key" {
			t.Errorf("refusal %+v", f)
		}
	})
}
