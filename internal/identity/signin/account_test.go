package signin_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/secret"
)

const (
	auth   = "/api/v1/auth"
	email  = "owner@demo.example"
	strong = "dört at yeşil çayırda koşar"
)

type object = map[string]any

var tokenInMail = regexp.MustCompile(`#token=(\S+)`)

// lastToken returns the token of the newest mail to an address that contains one.
func lastToken(t *testing.T, s *apptest.Server, to string) string {
	t.Helper()
	mails := s.Mails(uuid.Nil, to)
	if len(mails) == 0 {
		t.Fatalf("no mail to %s", to)
	}
	m := tokenInMail.FindStringSubmatch(mails[len(mails)-1].Text)
	if m == nil {
		t.Fatalf("no link in %q", mails[len(mails)-1].Text)
	}
	return m[1]
}

func signIn(s *apptest.Server, email, password string) signin.SignInAnswer {
	var in signin.SignInAnswer
	s.Client("").Post(auth+"/sign-in", object{"email": email, "password": password}).Want(200).Data(&in)
	return in
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		s.Workspace("demir-ticaret")
		nobody := s.Client("").Header("Accept-Language", "tr")
		ayse := object{"email": "Ayse@Example.com", "password": strong, "name": "Ayşe Demir", "workspace_name": "Demir Ticaret"}
		first := nobody.Post(auth+"/sign-up", ayse).Want(200)
		mails := s.Mails(uuid.Nil, "Ayse@Example.com")
		if len(mails) != 1 || mails[0].Subject != "E-posta adresinizi doğrulayın" {
			t.Fatalf("mail %+v", mails)
		}
		if strings.Contains(s.Logs.String(), "emv_") {
			t.Error("a token is in the log")
		}
		// Nothing exists yet; only a person who knows the password learns what is missing.
		nobody.Post(auth+"/sign-in", object{"email": "ayse@example.com", "password": strong}).Refused(422, "email_not_verified")
		nobody.Post(auth+"/sign-in", object{"email": "ayse@example.com", "password": "wrong"}).Refused(422, "wrong_credentials")

		old := lastToken(t, s, "Ayse@Example.com")
		nobody.Post(auth+"/email/verify/resend", object{"email": "AYSE@example.com"}).Want(200)
		token := lastToken(t, s, "Ayse@Example.com")
		if token == old {
			t.Fatal("no second link came")
		}
		nobody.Post(auth+"/email/verify", object{"token": "emv_nonsense"}).Refused(422, "link_expired")
		var v signin.Verified
		nobody.Post(auth+"/email/verify", object{"token": token}).Want(200).Data(&v)
		if v.Email != "Ayse@Example.com" || v.Workspace.Name != "Demir Ticaret" || !strings.HasPrefix(v.Workspace.Slug, "demir-ticaret-") {
			t.Errorf("verified %+v", v)
		}
		for _, used := range []string{token, old} {
			nobody.Post(auth+"/email/verify", object{"token": used}).Refused(422, "link_expired")
		}
		in := signIn(s, "ayse@example.com", strong)
		if in.Workspace == nil || in.Workspace.ID != v.Workspace.ID || in.User.Language != "tr" || in.MFARequired {
			t.Errorf("signed in %+v", in)
		}
		// A known address gets the same answer, and a mail that says so.
		again := nobody.Post(auth+"/sign-up", ayse).Want(200)
		if diff := cmp.Diff(data(first), data(again)); diff != "" {
			t.Errorf("a known address is told apart:\n%s", diff)
		}
		mails = s.Mails(uuid.Nil, "Ayse@Example.com")
		if last := mails[len(mails)-1]; last.Subject != "Zaten bir hesabınız var" || strings.Contains(last.Text, "#token") {
			t.Errorf("mail %+v", last)
		}
		nobody.Post(auth+"/email/verify/resend", object{"email": "nobody@example.com"}).Want(200)
		if l := s.Mails(uuid.Nil, "nobody@example.com"); len(l) != 0 {
			t.Errorf("mail to nobody: %+v", l)
		}
	})
}

func data(r *apptest.Response) (out any) {
	r.Data(&out)
	return out
}

// If sign-up is closed no stranger opens an account: not by asking for one, not with an
// earlier link, and the panel can say so.
func TestSignUpByInvitation(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.SignUp = app.SignUpInvite }, func(t *testing.T, s *apptest.Server) {
		nobody := s.Client("")
		nobody.Post(auth+"/sign-up", object{"email": "a@example.com", "password": strong, "name": "A", "workspace_name": "W"}).Refused(403, "sign_up_closed")
		nobody.Post(auth+"/email/verify/resend", object{"email": "a@example.com"}).Refused(403, "sign_up_closed")
		nobody.Post(auth+"/email/verify", object{"token": secret.NewToken(secret.VerifyPrefix)}).Refused(403, "sign_up_closed")
		if mails := s.Mails(uuid.Nil, "a@example.com"); len(mails) != 0 {
			t.Errorf("mail %+v", mails)
		}
		var meta app.Meta
		nobody.Get("/api/v1/meta").Want(200).Data(&meta)
		if meta.SignUp != "invite" || meta.Mail != "kept" {
			t.Errorf("meta %+v", meta)
		}
	})
}

func TestSignUpRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		good := object{"email": "a@example.com", "password": strong, "name": "A", "workspace_name": "W"}
		for name, c := range map[string]struct{ field, value, code string }{
			"address":    {"email", "nobody", "invalid_address"},
			"short":      {"password", "kısa parola", "too_short"},
			"weak":       {"password", "passwordpassword", "too_weak"},
			"turkish":    {"password", "galatasaray1905", "too_weak"},
			"own":        {"password", "a@example.comA@example.com", "too_weak"},
			"endless":    {"password", strings.Repeat("aB3$", 100), "too_long"},
			"blank name": {"name", "  ", "required"},
			"blank room": {"workspace_name", "  ", "required"},
		} {
			in := object{}
			for k, v := range good {
				in[k] = v
			}
			in[c.field] = c.value
			got := s.Client("").Post(auth+"/sign-up", in).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{c.field: {c.code}}, got.Fields); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		s.Client("").Post(auth+"/sign-up", good).Want(200)
		token := lastToken(t, s, "a@example.com")
		s.Clock.Advance(24*time.Hour + time.Second)
		s.Client("").Post(auth+"/email/verify", object{"token": token}).Refused(422, "link_expired")
	})
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		const email = "owner@demo.example"
		nobody := s.Client("")
		known := nobody.Post(auth+"/password/forgot", object{"email": email}).Want(200)
		unknown := nobody.Post(auth+"/password/forgot", object{"email": "nobody@demo.example"}).Want(200)
		if diff := cmp.Diff(data(known), data(unknown)); diff != "" {
			t.Errorf("a known address is told apart:\n%s", diff)
		}
		token := lastToken(t, s, email)
		if l := s.Mails(uuid.Nil, "nobody@demo.example"); len(l) != 0 {
			t.Errorf("mail to nobody: %+v", l)
		}
		nobody.Post(auth+"/password/reset", object{"token": token, "password": "short"}).Refused(422, "validation_failed")
		nobody.Post(auth+"/password/reset", object{"token": "rst_x", "password": strong}).Refused(422, "link_expired")
		nobody.Post(auth+"/password/reset", object{"token": token, "password": strong}).Want(200)
		nobody.Post(auth+"/password/reset", object{"token": token, "password": strong}).Refused(422, "link_expired")
		w.Owner.Get(auth+"/me").Refused(401, "unauthenticated")
		nobody.Post(auth+"/sign-in", object{"email": email, "password": apptest.Password}).Refused(422, "wrong_credentials")
		signIn(s, email, strong)
		if l := s.Mails(w.ID, email); len(l) != 1 || l[0].Subject != "Parolanız değişti" {
			t.Errorf("notice %+v", l)
		}
		nobody.Post(auth+"/password/forgot", object{"email": email}).Want(200)
		late := lastToken(t, s, email)
		s.Clock.Advance(30*time.Minute + time.Second)
		nobody.Post(auth+"/password/reset", object{"token": late, "password": strong}).Refused(422, "link_expired")
	})
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		other := w.SignIn("owner@demo.example")
		w.Owner.Put(auth+"/password", object{"current_password": "wrong", "new_password": strong}).Refused(422, "wrong_password")
		w.Owner.Put(auth+"/password", object{"current_password": apptest.Password, "new_password": "owner@demo.example"}).Refused(422, "validation_failed")
		w.Owner.Put(auth+"/password", object{"current_password": apptest.Password, "new_password": strong}).Want(200)
		w.Owner.Get(auth + "/me").Want(200)
		other.Get(auth+"/me").Refused(401, "unauthenticated")
		signIn(s, "owner@demo.example", strong)
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		guest := w.Guest()
		agent := s.Client("").Header("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
		s.Clock.Advance(time.Second)
		var in signin.SignInAnswer
		agent.Post(auth+"/sign-in", object{"email": "owner@demo.example", "password": apptest.Password}).Want(200).Data(&in)
		var list []identity.OwnSession
		w.Owner.Get(auth + "/sessions").Want(200).Data(&list)
		if len(list) != 2 || list[0].ID != in.Session.ID || list[0].DeviceName != "Firefox / Linux" || list[0].Platform != "Linux" ||
			list[0].Current || !list[1].Current || list[0].Workspace.Slug != "demo" {
			t.Fatalf("sessions %+v", list)
		}
		first := w.Owner.Get(auth + "/sessions?limit=1").Want(200)
		w.Owner.Get(auth + "/sessions?limit=1&cursor=" + first.NextCursor()).Want(200).Data(&list)
		if len(list) != 1 || !list[0].Current {
			t.Errorf("second page %+v", list)
		}
		guest.Delete(auth+"/sessions/"+in.Session.ID.String()).Refused(404, "not_found")
		w.Owner.Delete(auth + "/sessions/" + in.Session.ID.String()).Want(200)
		w.Owner.Delete(auth+"/sessions/"+in.Session.ID.String()).Refused(404, "not_found")
		s.Client(in.Token).Get(auth+"/me").Refused(401, "unauthenticated")

		third := w.SignIn("owner@demo.example")
		var n identity.Revoked
		w.Owner.Delete(auth + "/sessions").Want(200).Data(&n)
		if n.Revoked != 1 {
			t.Errorf("revoked %d", n.Revoked)
		}
		third.Get(auth+"/me").Refused(401, "unauthenticated")
		guest.Get(auth + "/me").Want(200)
		w.Owner.Post(auth+"/sign-out", nil).Want(200)
		w.Owner.Get(auth+"/me").Refused(401, "unauthenticated")
	})
}

// A session ends when it is idle too long and at its ceiling, whatever happens.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		idle, busy := s.Workspace("idle"), s.Workspace("busy")
		for range 3 {
			s.Clock.Advance(11 * time.Hour)
			busy.Owner.Get(auth + "/me").Want(200)
		}
		idle.Owner.Get(auth+"/me").Refused(401, "unauthenticated")
		for range 63 {
			s.Clock.Advance(11 * time.Hour)
			busy.Owner.Get(auth + "/me")
		}
		busy.Owner.Get(auth+"/me").Refused(401, "unauthenticated")
	})
}
