package identity_test

import (
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/perm"
)

func me(t *testing.T, c *apptest.Client) identity.Me {
	t.Helper()
	var m identity.Me
	c.Get(auth + "/me").Want(200).Data(&m)
	return m
}

// The data of GET /me is cached with the credential, and every change of it shows in the
// very next answer.
func TestMeIsNeverStale(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		first := me(t, w.Owner)
		if first.User.Email != email || first.User.TwoFactor || first.Workspace.ID != w.ID || first.Workspace.Name != "demo" ||
			first.Membership != (identity.Membership{ID: w.Member, Role: "owner"}) || len(first.Permissions) != len(perm.Table) || len(first.Licences) != 8 {
			t.Fatalf("got %+v", first)
		}

		// A second session of the same person sees it too.
		other := w.SignIn(email)
		me(t, other)
		var u identity.User
		w.Owner.Do("PATCH", auth+"/me", object{"name": " Defne <Yılmaz> & Co ", "language": "en"}).Want(200).Data(&u)
		if u.Name != "Defne <Yılmaz> & Co" || u.Language != "en" {
			t.Errorf("got %+v", u)
		}
		if got := me(t, other).User; got != u {
			t.Errorf("the other session sees %+v", got)
		}
		w.Owner.Do("PATCH", auth+"/me", object{"language": "tr"}).Want(200)
		if got := me(t, other).User; got.Language != "tr" || got.Name != u.Name {
			t.Errorf("the other session sees %+v", got)
		}
		w.Owner.Do("PATCH", auth+"/me", object{"name": "Eve\x1b[2J\n\u202eAdam"}).Want(200).Data(&u)
		if u.Name != "Eve [2J Adam" {
			t.Errorf("a name with control characters is %q", u.Name)
		}
		w.Owner.Do("PATCH", auth+"/me", object{"name": "\x1b\n"}).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", auth+"/me", object{"name": "  "}).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", auth+"/me", object{"language": "de"}).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", auth+"/me", object{"email": "x@example.com"}).Refused(422, "validation_failed")

		var setup signin.TOTPSetup
		w.Owner.Post(auth+"/2fa/totp", nil).Want(200).Data(&setup)
		code, err := totp.GenerateCode(setup.Secret, s.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		w.Owner.Post(auth+"/2fa/totp/confirm", object{"code": code}).Want(200)
		if !me(t, other).User.TwoFactor {
			t.Error("the second step is not seen")
		}
		w.Owner.Delete(auth + "/2fa/totp").Want(200)
		if me(t, other).User.TwoFactor {
			t.Error("the second step is still seen")
		}

		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"crm", "erp"}); err != nil {
			t.Fatal(err)
		}
		if got := me(t, other).Licences; len(got) != 2 {
			t.Errorf("licences %v", got)
		}

		// A changed role assignment, and a changed role.
		guest := w.Guest()
		member := me(t, guest).Membership.ID
		w.Owner.Do("PUT", roles, object{"name": "guest", "title": "Guest", "permissions": []string{"crm.contacts.view"}}).Want(200)
		if got := me(t, guest).Permissions; len(got) != 1 {
			t.Errorf("permissions %v", got)
		}
		w.Owner.Put("/api/crm/v1/agents/"+member.String(), object{"role": "agent"}).Want(200)
		if got := me(t, guest); got.Membership.Role != "agent" || len(got.Permissions) < 2 {
			t.Errorf("got %+v", got)
		}

		s.Clock.Advance(time.Minute)
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password}).Want(200)
		if got := me(t, w.Owner).VerifiedAt; !got.Equal(s.Clock.Now()) {
			t.Errorf("verified at %v", got)
		}
		w.Owner.Delete(auth + "/sessions").Want(200)
		other.Get(auth+"/me").Refused(401, "unauthenticated")
		w.Owner.Post(auth+"/sign-out", nil).Want(200)
		w.Owner.Get(auth+"/me").Refused(401, "unauthenticated")
	})
}
