package signin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/captcha"
)

// perEmail is the number of tries at one address, and from one device.
const perEmail = 30

// cookies returns the cookies that an answer set, by name.
func cookies(r *apptest.Response) map[string]*http.Cookie {
	out := map[string]*http.Cookie{}
	for _, c := range (&http.Response{Header: r.Header}).Cookies() {
		out[c.Name] = c
	}
	return out
}

// Tries that did not pass the robot check do not count against the address: nobody can lock
// somebody else out by calls only.
func TestTriesWithoutCaptchaDoNotLockOut(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, behindProxy, func(t *testing.T, s *apptest.Server) {
		s.Workspace("demo")
		try := func(ip, password, token string) *apptest.Response {
			return s.Client("").Header("X-Forwarded-For", ip).Post(auth+"/sign-in", object{"email": email, "password": password, "captcha_token": token})
		}
		for i := range 5 {
			try(fmt.Sprintf("198.51.100.%d", i), "wrong", "").Refused(422, "wrong_credentials")
		}
		for i := range perEmail {
			try(fmt.Sprintf("198.51.%d.1", i), "wrong", "").Refused(422, "captcha_required")
		}
		var c captcha.Info
		s.Client("").Header("X-Forwarded-For", "192.0.2.1").Get(auth + "/captcha").Want(200).Data(&c)
		try("192.0.2.1", apptest.Password, solve(t, c.Challenge)).Want(200)
	})
}

// A device on which its person signed in has its own tries, so strangers who use up theirs
// do not lock the person out. It does not help at any other address.
func TestKnownDeviceIsNotLockedOut(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { behindProxy(cfg); cfg.Captcha = "off" }, func(t *testing.T, s *apptest.Server) {
		s.Workspace("demo")
		s.Workspace("acme")
		try := func(ip, email, password, device string) *apptest.Response {
			c := s.Client("").Header("X-Forwarded-For", ip)
			if device != "" {
				c = c.Header("Cookie", "konak_device="+device)
			}
			return c.Post(auth+"/sign-in", object{"email": email, "password": password})
		}
		device := cookies(try("192.0.2.1", email, apptest.Password, "").Want(200))["konak_device"]
		if device == nil || !device.HttpOnly {
			t.Fatalf("no device cookie: %+v", device)
		}
		foreign := cookies(try("192.0.2.2", "owner@acme.example", apptest.Password, "").Want(200))["konak_device"].Value
		for i := range perEmail {
			try(fmt.Sprintf("198.51.100.%d", i), email, "wrong", "")
		}
		for _, unknown := range []string{"", foreign, "x.y", strings.Repeat("A", 22) + "." + strings.Repeat("A", 43)} {
			if f := try("192.0.2.1", email, apptest.Password, unknown).Refused(429, "rate_limited"); f.Reason != "credentials-email" {
				t.Errorf("refusal %+v", f)
			}
		}
		again := cookies(try("192.0.2.1", email, apptest.Password, device.Value).Want(200))["konak_device"]
		if again.Value != device.Value {
			t.Error("the known device got another token, and with it new tries")
		}
		// The device's own tries are limited too.
		for i := range perEmail {
			try(fmt.Sprintf("203.0.113.%d", i), email, "wrong", device.Value)
		}
		if f := try("192.0.2.1", email, apptest.Password, device.Value).Refused(429, "rate_limited"); f.Reason != "credentials-device" {
			t.Errorf("refusal %+v", f)
		}
	})
}

// If the public address is https, cookies have the prefix that keeps other hosts from
// planting them, and one without it opens nothing.
func TestCookiesOfHTTPS(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.PublicURL = "https://localhost" }, func(t *testing.T, s *apptest.Server) {
		s.Workspace("demo")
		got := cookies(s.Client("").Post(auth+"/sign-in", object{"email": email, "password": apptest.Password}).Want(200))
		session := got["__Host-konak_session"]
		if session == nil || !session.Secure || session.Path != "/" || session.Domain != "" || got["__Host-konak_device"] == nil || len(got) != 2 {
			t.Fatalf("cookies %+v", got)
		}
		s.Client("").Header("Cookie", "__Host-konak_session="+session.Value).Get(auth + "/me").Want(200)
		s.Client("").Header("Cookie", "konak_session="+session.Value).Get(auth+"/me").Refused(401, "unauthenticated")
	})
}
