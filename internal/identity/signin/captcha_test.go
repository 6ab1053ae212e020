package signin_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/captcha"
	"konak/internal/sandbox/hcaptcha"
	"konak/internal/sandbox/turnstile"
)

// solve does what the widget does.
func solve(t *testing.T, c *captcha.Challenge) string {
	t.Helper()
	a := captcha.Answer{Challenge: *c}
	for ; ; a.Solution.Counter++ {
		key, err := captcha.Derive(c.Parameters, a.Solution.Counter)
		if err != nil {
			t.Fatal(err)
		}
		if text := hex.EncodeToString(key); strings.HasPrefix(text, c.Parameters.KeyPrefix) {
			a.Solution.DerivedKey = text
			break
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

func behindProxy(cfg *app.Config) {
	cfg.LimitFactor = 1
	cfg.TrustedProxies = []string{"127.0.0.0/8"}
}

func TestAdaptiveCaptcha(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, behindProxy, func(t *testing.T, s *apptest.Server) {
		s.Workspace("demo")
		from := func(ip string) *apptest.Client { return s.Client("").Header("X-Forwarded-For", ip) }
		info := func(ip string) (out captcha.Info) {
			r := from(ip).Get(auth + "/captcha").Want(200).Data(&out)
			if r.Header.Get("Cache-Control") != "no-store" { // it depends on who asks
				t.Errorf("caches may keep it: %v", r.Header)
			}
			return out
		}
		try := func(ip, email, password, token string) *apptest.Response {
			return from(ip).Post(auth+"/sign-in", object{"email": email, "password": password, "captcha_token": token})
		}
		if c := info("192.0.2.1"); c.RequiredNow || c.Provider != "altcha" || c.Mode != "adaptive" || c.Challenge == nil {
			t.Fatalf("at rest %+v", c)
		}
		for range 3 {
			try("2001:db8::1", email, "wrong", "").Refused(422, "wrong_credentials")
		}
		// The whole /64 is one address; the next one is another.
		c := info("2001:db8::2")
		if !c.RequiredNow || info("2001:db8:0:1::1").RequiredNow {
			t.Fatal("the wrong addresses are asked")
		}
		try("2001:db8::3", email, apptest.Password, "").Refused(422, "captcha_required")
		try("2001:db8::3", email, apptest.Password, "bm9uc2Vuc2U=").Refused(422, "captcha_failed")
		token := solve(t, c.Challenge)
		try("2001:db8::3", email, apptest.Password, token).Want(200)
		try("2001:db8::3", email, apptest.Password, token).Refused(422, "captcha_failed")
		s.Clock.Advance(15 * time.Minute)
		try("2001:db8::3", email, apptest.Password, "").Want(200)

		// One account from many addresses, known or not.
		for _, address := range []string{email, "nobody@demo.example"} {
			for i := range 5 {
				try(fmt.Sprintf("198.51.100.%d", i), address, "wrong", "").Refused(422, "wrong_credentials")
			}
			try("203.0.113.1", address, "wrong", "").Refused(422, "captcha_required")
		}

		// Sign-ups and resets.
		for i := range 2 {
			from("192.0.2.9").Post(auth+"/password/forgot", object{"email": fmt.Sprintf("p%d@example.com", i)}).Want(200)
		}
		from("192.0.2.9").Post(auth+"/password/forgot", object{"email": "p@example.com"}).Refused(422, "captcha_required")
		from("192.0.2.9").Post(auth+"/email/verify/resend", object{"email": "p@example.com"}).Refused(422, "captcha_required")
		from("192.0.2.9").Post(auth+"/sign-up", object{"email": "p@example.com", "password": strong, "name": "P", "workspace_name": "P"}).Refused(422, "captcha_required")
		s.Clock.Advance(time.Hour)
		from("192.0.2.9").Post(auth+"/password/forgot", object{"email": "p@example.com"}).Want(200)

		// Wrong passwords from many addresses make the check required for everybody, and
		// the work harder.
		for i := range 100 {
			try(fmt.Sprintf("198.18.%d.1", i), fmt.Sprintf("x%d@example.com", i), "wrong", "")
		}
		if !info("192.0.2.77").RequiredNow {
			t.Error("an attack is not noticed")
		}
	})
}

// An outside service is asked and accepts a token once, and if it cannot be asked the
// answer is no.
func TestExternalCaptchaServices(t *testing.T) {
	t.Parallel()
	cloud, h := turnstile.New("s3cret"), hcaptcha.New("s3cret", "site")
	for _, c := range []struct {
		name    string
		service http.Handler
		visit   func(token string)
		broken  func(bool)
	}{
		{"turnstile", cloud, cloud.Visit, cloud.Break},
		{"hcaptcha", h, h.Visit, h.Break},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.service)
			t.Cleanup(server.Close)
			start := func(secret string) func(*app.Config) {
				return func(cfg *app.Config) {
					cfg.Captcha, cfg.CaptchaProvider = "always", c.name
					cfg.CaptchaSiteKey, cfg.CaptchaSecret, cfg.CaptchaAddress = "site", secret, server.URL
				}
			}
			try := func(s *apptest.Server, token string) *apptest.Response {
				return s.Client("").Post(auth+"/sign-in", object{"email": "a@example.com", "password": "wrong", "captcha_token": token})
			}
			s := apptest.NewWith(t, start("s3cret"))
			var info captcha.Info
			s.Client("").Get(auth + "/captcha").Want(200).Data(&info)
			if info.Provider != c.name || info.SiteKey != "site" || !info.RequiredNow || info.Challenge != nil || !strings.HasPrefix(info.Script, server.URL+"/") {
				t.Errorf("info %+v", info)
			}
			try(s, "").Refused(422, "captcha_required")
			try(s, "made-up").Refused(422, "captcha_failed")
			c.visit("one")
			try(s, "one").Refused(422, "wrong_credentials") // past the check
			try(s, "one").Refused(422, "captcha_failed")
			c.visit("two")
			c.broken(true)
			if f := try(s, "two").Refused(422, "captcha_failed"); f.Fields["captcha_token"][0] != "unchecked" {
				t.Errorf("fields %v", f.Fields)
			}
			c.broken(false)
			try(s, "two").Refused(422, "wrong_credentials")
			// With a wrong secret nobody passes.
			c.visit("three")
			try(apptest.NewWith(t, start("wrong")), "three").Refused(422, "captcha_failed")
			server.Close()
			c.visit("four")
			try(s, "four").Refused(422, "captcha_failed")
		})
	}
}
