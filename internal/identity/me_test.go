package identity_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

func me(t *testing.T, c *apptest.Client) identity.Me {
	t.Helper()
	var m identity.Me
	c.Get(auth + "/me").Want(200).Data(&m)
	return m
}

// What GET /me says is kept with the credential, and every change of it shows
// in the very next answer.
func TestMeIsNeverOld(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		first := me(t, w.Owner)
		if first.User.Email != email || first.User.TwoFactor || first.Workspace.ID != w.ID || first.Workspace.Name != "demo" ||
			first.Membership != (identity.Membership{ID: w.Member, Role: "owner"}) || len(first.Permissions) != len(perm.Table) || len(first.Licences) != 7 {
			t.Fatalf("got %+v", first)
		}

		// A second session of the same person learns it too.
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
		w.Owner.Do("PATCH", auth+"/me", object{"name": "  "}).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", auth+"/me", object{"language": "de"}).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", auth+"/me", object{"email": "x@example.com"}).Refused(422, "validation_failed")

		switchOn(t, s, w.Owner)
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

		// A role that changes, and one that is changed.
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

// What one node ends is over there at once, and on the others five seconds
// later at the latest.
func TestNodesForget(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.Postgres)
	there := s.Node()
	w := s.Workspace("demo")
	guest, key := w.Guest(), w.Key(false, perm.SettingsView)
	member := me(t, guest).Membership.ID
	far := func(c *apptest.Client) *apptest.Client { return there.Client(c.Token()) }

	for _, c := range []*apptest.Client{w.Owner, guest} {
		far(c).Get(auth + "/me").Want(200)
	}
	far(key).Get(catalog).Want(200)
	w.Owner.Do("PUT", roles, object{"name": "guest", "title": "Guest", "permissions": []string{"crm.contacts.view"}}).Want(200)
	if n := len(me(t, guest).Permissions); n != 1 {
		t.Errorf("%d permissions here", n)
	}
	s.Clock.Advance(5 * time.Second)
	if n := len(me(t, far(guest)).Permissions); n != 1 {
		t.Errorf("%d permissions there", n)
	}

	var keys []identity.APIKey
	w.Owner.Get(auth + "/api-keys").Want(200).Data(&keys)
	w.Owner.Post("/api/crm/v1/agents/"+member.String()+"/suspension", nil).Want(200)
	w.Owner.Delete(auth + "/api-keys/" + keys[0].ID.String()).Want(200)
	guest.Get(auth+"/me").Refused(401, "unauthenticated")
	key.Get(catalog).Refused(401, "unauthenticated")
	s.Clock.Advance(5*time.Second - time.Microsecond)
	far(key).Get(catalog) // the bound is not over, either answer is right
	s.Clock.Advance(time.Microsecond)
	far(guest).Get(auth+"/me").Refused(401, "unauthenticated")
	far(key).Get(catalog).Refused(401, "unauthenticated")
	far(w.Owner).Get(auth + "/me").Want(200)
	w.Owner.Post(auth+"/sign-out", nil).Want(200)
	s.Clock.Advance(5 * time.Second)
	far(w.Owner).Get(auth+"/me").Refused(401, "unauthenticated")
}
