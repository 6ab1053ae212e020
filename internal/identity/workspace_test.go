package identity_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity"
)

// invitation returns the token of the newest invitation to an address.
func invitation(t *testing.T, s *apptest.Server, w *apptest.Workspace, to string) string {
	t.Helper()
	mails := s.Mails(w.ID, to)
	if len(mails) == 0 {
		t.Fatalf("no mail to %s", to)
	}
	m := tokenInMail.FindStringSubmatch(mails[len(mails)-1].Text)
	if m == nil {
		t.Fatalf("no link in %q", mails[len(mails)-1].Text)
	}
	return m[1]
}

func TestWorkspaces(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		s.Clock.Advance(time.Second)
		var made identity.OwnWorkspace
		w.Owner.Post(auth+"/workspaces", object{"name": " Şube İki ", "slug": "sube-iki"}).Want(201).Data(&made)
		if made.Workspace.Name != "Şube İki" || made.Membership.Role != "owner" || made.Current || len(made.Licences) != 8 {
			t.Errorf("got %+v", made)
		}
		var list []identity.OwnWorkspace
		w.Owner.Get(auth + "/workspaces").Want(200).Data(&list)
		if len(list) != 2 || list[0].Workspace.Slug != "demo" || !list[0].Current || list[1].Workspace.ID != made.Workspace.ID {
			t.Errorf("got %+v", list)
		}
		other.Owner.Get(auth + "/workspaces").Want(200).Data(&list)
		if len(list) != 1 {
			t.Errorf("got %+v", list)
		}
		var in identity.SignedIn
		w.Owner.Post(auth+"/app/switch-workspace", object{"workspace_id": made.Workspace.ID}).Want(200).Data(&in)
		s.Client(in.Token).Host("sube-iki.erp.localhost").Get(catalog).Want(200)

		if f := s.Client(in.Token).Post(auth+"/workspaces", object{"name": "x", "slug": "acme"}).Refused(409, "conflict"); f.Fields["slug"][0] != "taken" {
			t.Errorf("got %+v", f)
		}
		for _, slug := range []string{"www", "api", "mail", "mx", "mta-sts", "smtp", "help", "cdn", "localhost", "admin", "crm"} {
			if f := other.Owner.Post(auth+"/workspaces", object{"name": "x", "slug": slug}).Refused(422, "validation_failed"); f.Fields["slug"][0] != "reserved" {
				t.Errorf("%s: got %+v", slug, f)
			}
		}
		given, _, err := s.Identity.GiveWorkspace(t.Context(), "Mail", identity.User{Name: "Ada", Email: "ada@new.example", Language: "tr"}, "correct horse battery staple")
		if err != nil || identity.ReservedSlug(given.Slug) || !strings.HasPrefix(given.Slug, "mail-") {
			t.Errorf("a workspace whose name makes a reserved slug has %q, %v", given.Slug, err)
		}
		for _, slug := range []string{"Büyük", "a--b", "-a", "x"} {
			other.Owner.Post(auth+"/workspaces", object{"name": "x", "slug": slug}).Refused(422, "validation_failed")
		}
	})
}

// A credential belongs to its tenant on every one of the modules' hosts.
func TestHosts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		s.Workspace("acme")
		key := s.Client(addKey(w, map[string]any{}).Key)
		for _, module := range []string{"crm", "mail", "erp", "musavir"} {
			for _, c := range []*apptest.Client{w.Owner, key} {
				c.Host("demo." + module + ".localhost").Get(catalog).Want(200)
				c.Host("demo." + module + ".localhost:8080").Get(catalog).Want(200)
				c.Host("DEMO." + module + ".LocalHost").Get(catalog).Want(200)
				c.Host("acme."+module+".localhost").Get(catalog).Refused(401, "unauthenticated")
				c.Host("nobody."+module+".localhost").Get(catalog).Refused(401, "unauthenticated")
			}
		}
		// Without a tenant in the host the credential determines it.
		w.Owner.Host("localhost").Get(catalog).Want(200)
		w.Owner.Host("127.0.0.1").Get(catalog).Want(200)
	})
}

func TestLicences(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		const exceptions = "/api/mail/v1/dlp/exceptions"
		key := w.FullKey()
		w.Owner.Get(exceptions).Want(200)
		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"erp", "crm", "erp"}); err != nil {
			t.Fatal(err)
		}
		w.Owner.Get(exceptions).Refused(403, "not_licensed")
		key.Get(catalog).Want(200)
		other.Owner.Get(exceptions).Want(200)
		var list []identity.OwnWorkspace
		w.Owner.Get(auth + "/workspaces").Want(200).Data(&list)
		if len(list[0].Licences) != 2 {
			t.Errorf("got %+v", list)
		}
		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"fax"}); err == nil {
			t.Error("an unknown licence was set")
		}
		if err := s.Identity.SetLicences(t.Context(), "nobody", nil); err == nil {
			t.Error("a licence was set for nobody")
		}
	})
}

// If accounts are closed, invitations are for people who have one, and nobody opens a
// workspace.
func TestClosedSignUp(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.SignUp = app.SignUpClosed }, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		w.Owner.Post(auth+"/workspaces", object{"name": "x", "slug": "sube"}).Refused(403, "sign_up_closed")
		w.Owner.Post(auth+"/invitations", object{"email": "ayse@example.com", "role": "agent"}).Want(201)
		s.Client("").Post(auth+"/invitations/accept", object{
			"token": invitation(t, s, w, "ayse@example.com"), "name": "Ayşe", "password": strong,
		}).Refused(403, "sign_up_closed")
		w.Owner.Post(auth+"/invitations", object{"email": "owner@acme.example", "role": "agent"}).Want(201)
		other.Owner.Post(auth+"/invitations/accept", object{"token": invitation(t, s, w, "owner@acme.example")}).Want(200)
	})
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		const ayse = "Ayse@Example.com"
		var inv identity.Invitation
		w.Owner.Post(auth+"/invitations", object{"email": ayse, "name": "Ayşe", "role": "agent", "language": "tr"}).Want(201).Data(&inv)
		mails := s.Mails(w.ID, ayse)
		if len(mails) != 1 || mails[0].Subject != "demo sizi bekliyor" {
			t.Fatalf("mail %+v", mails)
		}
		first := invitation(t, s, w, ayse)
		// Again: the same person, a new link, and the older one stops working.
		var again identity.Invitation
		w.Owner.Post(auth+"/invitations", object{"email": "ayse@example.com", "role": "agent"}).Want(201).Data(&again)
		if again.MembershipID != inv.MembershipID {
			t.Error("somebody was invited twice")
		}
		token := invitation(t, s, w, ayse)
		nobody := s.Client("")
		accept := auth + "/invitations/accept"
		nobody.Post(accept, object{"token": first, "name": "Ayşe", "password": strong}).Refused(422, "link_expired")
		nobody.Post(accept, object{"token": "inv_nonsense"}).Refused(422, "link_expired")
		if f := nobody.Post(accept, object{"token": token, "password": strong}).Refused(422, "validation_failed"); f.Fields["name"][0] != "required" {
			t.Errorf("got %+v", f)
		}
		if f := nobody.Post(accept, object{"token": token, "name": "Ayşe", "password": "short"}).Refused(422, "validation_failed"); f.Fields["password"][0] != "too_short" {
			t.Errorf("got %+v", f)
		}
		w.Owner.Post(accept, object{"token": token}).Refused(409, "other_address")

		var joined identity.Joined
		resp := nobody.Header("Accept-Language", "tr").Post(accept, object{"token": token, "name": "Ayşe Demir", "password": strong}).Want(200)
		resp.Data(&joined)
		if joined.Workspace.ID != w.ID || joined.Membership.ID != inv.MembershipID || joined.Membership.Role != "agent" || resp.Header.Get("Set-Cookie") == "" {
			t.Errorf("got %+v", joined)
		}
		var me identity.Me
		s.Client(*joined.Token).Get(auth + "/me").Want(200).Data(&me)
		if me.User.Email != ayse || me.User.Name != "Ayşe Demir" || me.User.Language != "tr" {
			t.Errorf("got %+v", me)
		}
		nobody.Post(accept, object{"token": token, "name": "Ayşe", "password": strong}).Refused(422, "link_expired")
		w.Owner.Post(auth+"/invitations", object{"email": ayse, "role": "agent"}).Refused(409, "conflict")
		signIn(s, ayse, strong)

		// A person with an account signs in first.
		other := s.Workspace("acme")
		other.Owner.Post(auth+"/invitations", object{"email": ayse, "role": "guest"}).Want(201)
		token = invitation(t, s, other, ayse)
		nobody.Post(accept, object{"token": token, "name": "Ayşe", "password": strong}).Refused(409, "account_exists")
		var second identity.Joined
		s.Client(*joined.Token).Post(accept, object{"token": token}).Want(200).Data(&second)
		if second.Workspace.ID != other.ID || second.Token != nil || second.Session.V != nil {
			t.Errorf("got %+v", second)
		}
		s.Client(*joined.Token).Post(auth+"/app/switch-workspace", object{"workspace_id": other.ID}).Want(200)
	})
}

func TestInvitationRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		invite := auth + "/invitations"
		w.Owner.Post(invite, object{"email": "nobody", "role": "agent"}).Refused(422, "validation_failed")
		if f := w.Owner.Post(invite, object{"email": "a@example.com", "role": "emperor"}).Refused(422, "validation_failed"); f.Fields["role"][0] != "unknown" {
			t.Errorf("got %+v", f)
		}
		w.Guest().Post(invite, object{"email": "a@example.com", "role": "guest"}).Refused(403, "forbidden")
		// An administrator cannot make owners.
		if err := s.Identity.AddMember(t.Context(), w.ID, "Admin", "admin@demo.example", apptest.Password, "admin"); err != nil {
			t.Fatal(err)
		}
		admin := w.SignIn("admin@demo.example")
		if f := admin.Post(invite, object{"email": "a@example.com", "role": "owner"}).Refused(403, "forbidden"); f.Permission != "identity.workspace.manage" {
			t.Errorf("got %+v", f)
		}
		admin.Post(invite, object{"email": "a@example.com", "role": "admin"}).Want(201)
		w.Owner.Post(invite, object{"email": "b@example.com", "role": "owner"}).Want(201)
		admin.Post(invite, object{"email": "b@example.com", "role": "agent"}).Refused(403, "forbidden")

		token := invitation(t, s, w, "a@example.com")
		s.Clock.Advance(identity.InvitationLife)
		s.Client("").Post(invite+"/accept", object{"token": token, "name": "A", "password": strong}).Refused(422, "link_expired")
	})
}
