package agent_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/agent"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
)

const (
	agents  = "/api/crm/v1/agents"
	auth    = "/api/v1/auth"
	catalog = "/api/erp/v1/webhooks/catalog"
	strong  = "dört at yeşil çayırda koşar"
)

type object = map[string]any

func path(id uuid.UUID, rest string) string { return agents + "/" + id.String() + rest }

// add makes an active member and gives their id and client.
func add(t *testing.T, s *apptest.Server, w *apptest.Workspace, email, role string) (uuid.UUID, *apptest.Client) {
	t.Helper()
	if err := s.Identity.AddMember(t.Context(), w.ID, "Ayşe Demir", email, apptest.Password, role); err != nil {
		t.Fatal(err)
	}
	var list []agent.Agent
	w.Owner.Get(agents).Want(200).Data(&list)
	i := slices.IndexFunc(list, func(a agent.Agent) bool { return a.Email == email })
	return list[i].ID, w.SignIn(email)
}

// lines are the actions in the audit log, the oldest first, without the
// opening of sessions by password.
func lines(t *testing.T, s *apptest.Server, w *apptest.Workspace) []string {
	t.Helper()
	out := []string{}
	err := s.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) error {
		list, err := audit.List(r, audit.Filter{}, db.Page{Limit: 100, After: db.First})
		for _, l := range list.Rows {
			if d, ok := l.Details.(map[string]any); ok && d["method"] == "password" {
				continue
			}
			out = append(out, l.Action)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(out)
	return out
}

func TestAgents(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		s.Clock.Advance(time.Second)
		var a agent.Agent
		w.Owner.Post(agents, object{"email": "Ayse@Example.com", "name": "Ayşe", "title": "Uzman", "language": "tr"}).Want(201).Data(&a)
		if a.State != "invited" || a.Role != "agent" || a.Name != "Ayşe" || a.Title != "Uzman" || a.Presence != "offline" || a.InvitationExpiresAt == nil {
			t.Errorf("got %+v", a)
		}
		w.Owner.Post(path(a.ID, "/suspension"), nil).Refused(409, "not_active")
		w.Owner.Post(path(a.ID, "/mobile-qr"), nil).Refused(409, "not_active")

		letters := s.Letters(w.ID, "Ayse@Example.com")
		token := regexp.MustCompile(`#token=(\S+)`).FindStringSubmatch(letters[0].Text)[1]
		s.Client("").Post(auth+"/invitations/accept", object{"token": token, "name": "Ayşe Demir", "password": strong}).Want(200)
		w.Owner.Get(path(a.ID, "")).Want(200).Data(&a)
		if a.State != "active" || a.Name != "Ayşe Demir" || a.InvitedAt != nil || a.LastSeenAt == nil {
			t.Errorf("got %+v", a)
		}
		w.Owner.Post(agents, object{"email": "ayse@example.com"}).Refused(409, "conflict")

		w.Owner.Do("PUT", path(a.ID, ""), object{"name": "Ayşe D.", "role": "admin", "title": "Lider"}).Want(200).Data(&a)
		if a.Name != "Ayşe D." || a.Role != "admin" || a.Title != "Lider" {
			t.Errorf("got %+v", a)
		}
		var list []agent.Agent
		resp := w.Owner.Get(agents + "?limit=1").Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != a.ID || list[0].Title != "Lider" {
			t.Errorf("got %+v", list)
		}
		w.Owner.Get(agents + "?limit=1&cursor=" + resp.NextCursor()).Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != w.Member {
			t.Errorf("got %+v", list)
		}
		w.Owner.Get(agents + "?state=invited").Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("got %+v", list)
		}
		w.Owner.Get(agents+"?state=removed").Refused(422, "validation_failed")

		w.Owner.Delete(path(a.ID, "")).Want(200)
		w.Owner.Get(path(a.ID, "")).Refused(404, "not_found")
		w.Owner.Delete(path(a.ID, "")).Refused(404, "not_found")
		s.Client("").Post(auth+"/sign-in", object{"email": "ayse@example.com", "password": strong}).Refused(422, "wrong_credentials")
		// Somebody who was removed can be invited anew, as somebody new.
		var again agent.Agent
		w.Owner.Post(agents, object{"email": "ayse@example.com"}).Want(201).Data(&again)
		if again.ID == a.ID {
			t.Error("a removed agent came back")
		}
		want := []string{"member.invited", "member.joined", "member.changed", "agent.changed", "member.removed", "member.access_ended", "member.invited"}
		if diff := cmp.Diff(want, lines(t, s, w)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAgentRights(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "agent")
		_, admin := add(t, s, w, "admin@example.com", "admin")

		// One's own name, title and presence; nothing more, and nobody else's.
		var a agent.Agent
		ayse.Do("PUT", path(id, ""), object{"presence": "away_reassign", "title": "Uzman"}).Want(200).Data(&a)
		if a.Presence != "away_reassign" || a.Name != "Ayşe Demir" {
			t.Errorf("got %+v", a)
		}
		ayse.Do("PUT", path(id, ""), object{"presence": "asleep"}).Refused(422, "validation_failed")
		if f := ayse.Do("PUT", path(id, ""), object{"role": "admin"}).Refused(403, "forbidden"); f.Permission != "crm.agents.manage" {
			t.Errorf("got %+v", f)
		}
		ayse.Do("PUT", path(w.Member, ""), object{"title": "x"}).Refused(403, "forbidden")
		ayse.Do("PUT", path(uuid.New(), ""), object{"title": "x"}).Refused(403, "forbidden") // says nothing of the id
		ayse.Get(agents).Want(200)
		ayse.Post(agents, object{"email": "a@example.com"}).Refused(403, "forbidden")
		ayse.Post(path(id, "/suspension"), nil).Refused(403, "forbidden")

		// Nobody acts on somebody who may do more, or makes such a one.
		admin.Post(path(w.Member, "/suspension"), nil).Refused(403, "forbidden")
		admin.Delete(path(w.Member, "")).Refused(403, "forbidden")
		admin.Do("PUT", path(id, ""), object{"role": "owner"}).Refused(403, "forbidden")
		admin.Do("PUT", path(id, ""), object{"role": "nobody"}).Refused(422, "validation_failed")
		admin.Do("PUT", path(id, ""), object{"role": "admin"}).Want(200)
		ayse.Post(agents, object{"email": "a@example.com"}).Want(201) // felt at once
		w.Owner.Get(agents+"/no-uuid").Refused(404, "not_found")

		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"mail"}); err != nil {
			t.Fatal(err)
		}
		w.Owner.Get(agents).Refused(403, "not_licensed")
	})
}

// Suspension takes everything at once, and giving it back gives back nothing
// but the right to sign in.
func TestSuspension(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "admin")
		var key struct{ Key string }
		ayse.Post(auth+"/api-keys", object{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}).Want(201).Data(&key)
		var qr agent.NewQR
		ayse.Post(path(id, "/mobile-qr"), nil).Want(201).Data(&qr)
		ayse.Do("PUT", path(id, ""), object{"presence": "online"}).Want(200)
		s.Client(key.Key).Get(catalog).Want(200)

		var a agent.Agent
		w.Owner.Post(path(id, "/suspension"), nil).Want(200).Data(&a)
		if a.State != "suspended" || a.SuspendedAt == nil || a.Presence != "offline" {
			t.Errorf("got %+v", a)
		}
		gone := func() {
			t.Helper()
			ayse.Get(agents).Refused(401, "unauthenticated")
			s.Client(key.Key).Get(catalog).Refused(401, "unauthenticated")
			s.Client("").Post(auth+"/mobile-qr/claim", object{"key": qr.Key, "device_name": "x", "platform": "Android"}).Refused(422, "link_expired")
		}
		gone()
		s.Client("").Post(auth+"/sign-in", object{"email": "ayse@example.com", "password": apptest.Password}).Refused(422, "wrong_credentials")
		w.Owner.Post(path(id, "/suspension"), nil).Want(200) // again: nothing happens
		w.Owner.Post(path(id, "/mobile-qr"), nil).Refused(409, "not_active")

		w.Owner.Delete(path(id, "/suspension")).Want(200).Data(&a)
		if a.State != "active" || a.SuspendedAt != nil {
			t.Errorf("got %+v", a)
		}
		gone()
		w.SignIn("ayse@example.com").Get(agents).Want(200)
		w.Owner.Delete(path(id, "/suspension")).Want(200)

		want := []string{
			"api_key.created", "agent.mobile_qr_created", "agent.changed",
			"member.suspended", "member.access_ended", "member.resumed",
		}
		if diff := cmp.Diff(want, lines(t, s, w)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLastOwner(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(path(w.Member, "/suspension"), nil).Refused(409, "last_admin")
		w.Owner.Delete(path(w.Member, "")).Refused(409, "last_admin")
		w.Owner.Do("PUT", path(w.Member, ""), object{"role": "admin"}).Refused(409, "last_admin")
		w.Owner.Get(agents).Want(200) // nothing was taken

		// Of two owners that suspend each other at the same moment one is left.
		id, second := add(t, s, w, "second@example.com", "owner")
		var statuses [2]int
		var wg sync.WaitGroup
		wg.Go(func() { statuses[0] = w.Owner.Do("POST", path(id, "/suspension"), nil).Status })
		wg.Go(func() { statuses[1] = second.Do("POST", path(w.Member, "/suspension"), nil).Status })
		wg.Wait()
		if ok := slices.Index(statuses[:], 200); ok < 0 || !slices.Contains([]int{401, 409}, statuses[1-ok]) {
			t.Errorf("got %v", statuses)
		}
	})
}

// Several modules end what an agent had in them, all in the transaction of the
// suspension: when one of them fails, whichever, nothing has happened anywhere.
func TestSuspensionHooks(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "admin")
		var key struct{ Key string }
		ayse.Post(auth+"/api-keys", object{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}).Want(201).Data(&key)
		before := lines(t, s, w)

		var seen []string
		failing := ""
		after := 0 // hooks that were told that it is durable
		var hooks []agent.Hook
		for _, part := range []string{"phone", "ring groups", "shifts"} {
			hooks = append(hooks, func(_ context.Context, tx *db.Tx, a agent.Agent) error {
				seen = append(seen, part+" "+a.State)
				tx.AfterCommit(func() { after++ })
				if err := audit.Write(tx, "test.ended", a.ID.String(), object{"part": part}); err != nil {
					return err
				}
				if part == failing {
					return errors.New("the exchange does not answer")
				}
				return nil
			})
		}
		s.Agents.AddHooks(hooks...)
		for i, part := range []string{"phone", "ring groups", "shifts"} {
			failing, seen = part, nil
			w.Owner.Post(path(id, "/suspension"), nil).Want(500)
			w.Owner.Delete(path(id, "")).Want(500)
			if len(seen) != 2*(i+1) || after != 0 {
				t.Errorf("%s fails: %v, %d told", part, seen, after)
			}
			ayse.Get(agents).Want(200)
			s.Client(key.Key).Get(catalog).Want(200)
			var a agent.Agent
			if w.Owner.Get(path(id, "")).Want(200).Data(&a); a.State != "active" {
				t.Errorf("got %+v", a)
			}
			if diff := cmp.Diff(before, lines(t, s, w)); diff != "" {
				t.Error(diff)
			}
		}
		failing, seen = "", nil
		w.Owner.Post(path(id, "/suspension"), nil).Want(200)
		if diff := cmp.Diff([]string{"phone suspended", "ring groups suspended", "shifts suspended"}, seen); diff != "" || after != 3 {
			t.Error(diff, after)
		}
		want := append(before, "member.suspended", "member.access_ended", "test.ended", "test.ended", "test.ended")
		if diff := cmp.Diff(want, lines(t, s, w)); diff != "" {
			t.Error(diff)
		}
		seen = nil
		w.Owner.Delete(path(id, "")).Want(200)
		if len(seen) != 3 || seen[0] != "phone removed" {
			t.Errorf("got %v", seen)
		}
	})
}

func TestMobileQR(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "guest")
		at := path(id, "/mobile-qr")
		var none agent.Unscanned
		ayse.Get(at).Want(200).Data(&none)
		if none.Unscanned || none.QR.V != nil {
			t.Errorf("got %+v", none)
		}
		var qr agent.NewQR
		ayse.Post(at, nil).Want(201).Data(&qr)
		if !strings.HasPrefix(qr.Key, "qrk_") || !strings.HasPrefix(qr.PNG, "data:image/png;base64,") ||
			!qr.ExpiresAt.Equal(s.Clock.Now().Add(agent.ScreenLife)) {
			t.Errorf("got %+v", qr)
		}
		one := at + "/" + qr.ID.String()
		status := func(c *apptest.Client, path, want string) (q agent.QR) {
			t.Helper()
			resp := c.Get(path).Want(200).Data(&q)
			if q.Status != want || strings.Contains(string(resp.Body), qr.Key) {
				t.Errorf("got %s, want %s", resp.Body, want)
			}
			return q
		}
		status(ayse, one, "pending")
		if body := ayse.Get(at).Want(200).Data(&none).Body; !none.Unscanned || none.QR.V.ID != qr.ID || strings.Contains(string(body), qr.Key) {
			t.Errorf("got %s", body)
		}

		// The phone is signed in, and whoever waits learns where.
		claim := object{"key": qr.Key, "device_name": "Ayşe'nin telefonu", "platform": "Android"}
		answers := make([]*apptest.Response, 4)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = s.Client("").Post(auth+"/mobile-qr/claim", claim) })
		}
		wg.Wait()
		var in agent.Opened
		opened := 0
		for _, r := range answers {
			if r.Status == 200 {
				opened++
				r.Data(&in)
			} else {
				r.Refused(422, "link_expired")
			}
		}
		if opened != 1 || in.Session.Kind != "mobile" || in.User.Email != "ayse@example.com" || in.Workspace.Slug != "demo" {
			t.Fatalf("%d phones were signed in: %+v", opened, in)
		}
		s.Client(in.Token).Get(auth + "/me").Want(200)
		q := status(ayse, one, "scanned")
		if q.ScannedAt == nil || *q.Device.V != (agent.Device{Name: "Ayşe'nin telefonu", Platform: "Android"}) {
			t.Errorf("got %+v", q)
		}
		ayse.Get(at).Want(200).Data(&none)
		if none.Unscanned {
			t.Error("a scanned QR is told to be unscanned")
		}
		// Nobody typed a password on the phone.
		s.Client(in.Token).Post(path(w.Member, "/mobile-qr"), nil).Refused(403, "forbidden")

		// Two minutes.
		ayse.Post(at, nil).Want(201).Data(&qr)
		s.Clock.Advance(agent.ScreenLife)
		status(ayse, at+"/"+qr.ID.String(), "expired")
		claim["key"] = qr.Key
		s.Client("").Post(auth+"/mobile-qr/claim", claim).Refused(422, "link_expired")
		s.Client("").Post(auth+"/mobile-qr/claim", object{"key": "qrk_nonsense", "device_name": "x", "platform": "x"}).Refused(422, "link_expired")

		// A new one takes the place of the one on the screen.
		var newer agent.NewQR
		ayse.Post(at, nil).Want(201).Data(&qr)
		ayse.Post(at, nil).Want(201).Data(&newer)
		status(ayse, at+"/"+qr.ID.String(), "revoked")
		if strings.Contains(s.Logs.String(), qr.Key) || strings.Contains(s.Logs.String(), in.Token) {
			t.Error("a secret is in the log")
		}
	})
}

func TestMobileQRRevoke(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "guest")
		at := path(id, "/mobile-qr")
		revoke := func(path string, want int64) {
			t.Helper()
			var n agent.RevokedCount
			ayse.Delete(path).Want(200).Data(&n)
			if n.Revoked != want {
				t.Errorf("revoked %d, want %d", n.Revoked, want)
			}
		}
		create := func() (qr agent.NewQR) { ayse.Post(at, nil).Want(201).Data(&qr); return qr }
		revoke(at, 0) // none exists: not an error
		revoke(at+"?qr_id="+uuid.NewString(), 0)
		ayse.Delete(at+"?qr_id=x").Refused(422, "validation_failed")

		qr := create()
		revoke(at+"?qr_id="+qr.ID.String(), 1)
		revoke(at+"?qr_id="+qr.ID.String(), 0)

		// What was mailed outlives its window, but not a revocation.
		qr = create()
		mail := object{"qr_id": qr.ID, "key": qr.Key}
		var q agent.QR
		ayse.Post(at+"/email", mail).Want(200).Data(&q)
		if !q.Mailed || q.Status != "pending" || !q.ExpiresAt.Equal(s.Clock.Now().Add(agent.MailLife)) {
			t.Errorf("got %+v", q)
		}
		letters := s.Letters(w.ID, "ayse@example.com")
		if len(letters) != 1 || letters[0].Subject != "Telefonunuzda oturum açın" || !strings.Contains(letters[0].Text, "/mobile#key="+qr.Key) {
			t.Fatalf("mail %+v", letters)
		}
		ayse.Post(at+"/email", mail).Refused(409, "already_mailed")
		revoke(at+"?qr_id="+qr.ID.String(), 0)
		screen := create() // beside it
		s.Clock.Advance(agent.ScreenLife)
		ayse.Get(at + "/" + qr.ID.String()).Want(200).Data(&q)
		if q.Status != "pending" {
			t.Errorf("got %+v", q)
		}
		revoke(at, 1)
		ayse.Get(at + "/" + qr.ID.String()).Want(200).Data(&q)
		if q.Status != "revoked" {
			t.Errorf("got %+v", q)
		}
		ayse.Get(at + "/" + screen.ID.String()).Want(200).Data(&q)
		if q.Status != "expired" {
			t.Errorf("got %+v", q)
		}

		// A mail needs the key of the QR on the screen.
		qr = create()
		for _, body := range []object{
			{"qr_id": qr.ID, "key": screen.Key}, {"qr_id": uuid.New(), "key": qr.Key}, {"qr_id": screen.ID, "key": screen.Key},
		} {
			ayse.Post(at+"/email", body).Refused(422, "validation_failed")
		}
		s.Clock.Advance(agent.ScreenLife)
		ayse.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key}).Refused(422, "validation_failed")

		want := []string{
			"agent.mobile_qr_created", // closed with its window: no line
			"agent.mobile_qr_created", "agent.mobile_qr_mailed", "agent.mobile_qr_created", "agent.mobile_qr_revoked",
			"agent.mobile_qr_created",
		}
		if diff := cmp.Diff(want, lines(t, s, w)); diff != "" {
			t.Error(diff)
		}
	})
}

// Somebody else's QR signs a phone in as them: it takes the permission and a
// fresh proof of the password.
func TestMobileQROfAnother(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "agent")
		_, other := add(t, s, w, "other@example.com", "agent")
		at := path(id, "/mobile-qr")
		var qr agent.NewQR
		w.Owner.Post(at, nil).Want(201).Data(&qr)
		one := at + "/" + qr.ID.String()
		w.Owner.Get(one).Want(200)
		w.Owner.Get(path(w.Member, "/mobile-qr/"+qr.ID.String())).Refused(404, "not_found")
		for _, call := range []func(c *apptest.Client) *apptest.Response{
			func(c *apptest.Client) *apptest.Response { return c.Get(at) },
			func(c *apptest.Client) *apptest.Response { return c.Get(one) },
			func(c *apptest.Client) *apptest.Response { return c.Post(at, nil) },
			func(c *apptest.Client) *apptest.Response { return c.Delete(at) },
			func(c *apptest.Client) *apptest.Response { return c.Delete(at + "?qr_id=" + qr.ID.String()) },
			func(c *apptest.Client) *apptest.Response {
				return c.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key})
			},
		} {
			if f := call(other).Refused(403, "forbidden"); f.Permission != "crm.agents.manage" {
				t.Errorf("got %+v", f)
			}
		}
		// Nor does an administrator become the owner that way.
		_, admin := add(t, s, w, "admin@example.com", "admin")
		admin.Post(path(w.Member, "/mobile-qr"), nil).Refused(403, "forbidden")

		// What somebody else made possible stays in this workspace, until the
		// person proves their password.
		far := s.Workspace("acme")
		far.Owner.Post(auth+"/invitations", object{"email": "ayse@example.com", "role": "owner"}).Want(201)
		token := regexp.MustCompile(`#token=(\S+)`).FindStringSubmatch(s.Letters(far.ID, "ayse@example.com")[0].Text)[1]
		ayse.Post(auth+"/invitations/accept", object{"token": token}).Want(200)
		var in agent.Opened
		s.Client("").Post(auth+"/mobile-qr/claim", object{"key": qr.Key, "device_name": "x", "platform": "iOS"}).Want(200).Data(&in)
		phone := s.Client(in.Token)
		phone.Get(agents).Want(200)
		phone.Get(auth+"/workspaces").Refused(403, "own_session_required")
		phone.Get(auth+"/sessions").Refused(403, "own_session_required")
		phone.Post(auth+"/app/switch-workspace", object{"workspace_id": far.ID}).Refused(404, "not_found")
		phone.Post(auth+"/app/reauth", object{"password": apptest.Password}).Want(200)
		phone.Post(auth+"/app/switch-workspace", object{"workspace_id": far.ID}).Want(200)

		s.Clock.Advance(api.StepUpAge + time.Second)
		w.Owner.Get(at).Want(200)
		w.Owner.Post(at, nil).Refused(403, "step_up_required")
		w.Owner.Delete(at).Refused(403, "step_up_required")
		w.Owner.Post(at+"/email", object{"qr_id": qr.ID, "key": qr.Key}).Refused(403, "step_up_required")
		w.Owner.Post(path(w.Member, "/mobile-qr"), nil).Want(201) // one's own
	})
}
