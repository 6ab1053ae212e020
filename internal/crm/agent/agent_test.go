package agent_test

import (
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/agent"
	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

const (
	agents  = "/api/crm/v1/agents"
	auth    = "/api/v1/auth"
	catalog = "/api/erp/v1/webhooks/catalog"
	strong  = "dört at yeşil çayırda koşar"
)

type object = map[string]any

func path(id uuid.UUID, rest string) string { return agents + "/" + id.String() + rest }

// add creates an active member and returns their id and client.
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

// lines returns the actions in the audit log, oldest first, without sessions opened by
// password.
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

		mails := s.Mails(w.ID, "Ayse@Example.com")
		token := regexp.MustCompile(`#token=(\S+)`).FindStringSubmatch(mails[0].Text)[1]
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
		err := s.DB.System("test").Read(t.Context(), func(r *db.Reader) error {
			reasons, err := db.All(r, db.Scalar[string], `SELECT DISTINCT close_reason FROM session WHERE membership_id = $1`, a.ID)
			if !slices.Equal(reasons, []string{"removed"}) {
				t.Errorf("sessions were closed as %v", reasons)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		// A removed person can be invited again, as a new member.
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

		// People can change their own name, title, presence and signature, but nothing more
		// and nobody else's.
		var a agent.Agent
		ayse.Do("PUT", path(id, ""), object{"signature": " **Ayşe**\n"}).Want(200)
		ayse.Do("PUT", path(id, ""), object{"presence": "away_reassign", "title": "Uzman"}).Want(200).Data(&a)
		if a.Presence != "away_reassign" || a.Name != "Ayşe Demir" || a.Signature != "**Ayşe**" {
			t.Errorf("got %+v", a)
		}
		ayse.Do("PUT", path(id, ""), object{"presence": "asleep"}).Refused(422, "validation_failed")
		if f := ayse.Do("PUT", path(id, ""), object{"role": "admin"}).Refused(403, "forbidden"); f.Permission != "crm.agents.manage" {
			t.Errorf("got %+v", f)
		}
		ayse.Do("PUT", path(w.Member, ""), object{"title": "x"}).Refused(403, "forbidden")
		ayse.Do("PUT", path(w.Member, ""), object{"signature": "x"}).Refused(403, "forbidden")
		visitor, guest := add(t, s, w, "guest@example.com", "guest") // a guest may not even see agents
		guest.Do("PUT", path(visitor, ""), object{"presence": "away", "name": "Misafir"}).Want(200)
		guest.Do("PUT", path(id, ""), object{"presence": "away"}).Refused(403, "forbidden")
		ayse.Do("PUT", path(uuid.New(), ""), object{"title": "x"}).Refused(403, "forbidden") // reveals nothing about the id
		ayse.Get(agents).Want(200)
		ayse.Post(agents, object{"email": "a@example.com"}).Refused(403, "forbidden")
		ayse.Post(path(id, "/suspension"), nil).Refused(403, "forbidden")

		// Nobody can act on somebody who may do more than they may, or create such a
		// member.
		admin.Post(path(w.Member, "/suspension"), nil).Refused(403, "forbidden")
		admin.Delete(path(w.Member, "")).Refused(403, "forbidden")
		admin.Do("PUT", path(id, ""), object{"role": "owner"}).Refused(403, "forbidden")
		admin.Do("PUT", path(id, ""), object{"role": "nobody"}).Refused(422, "validation_failed")
		admin.Do("PUT", path(id, ""), object{"role": "admin"}).Want(200)
		ayse.Post(agents, object{"email": "a@example.com"}).Want(201) // takes effect at once
		w.Owner.Get(agents+"/no-uuid").Refused(404, "not_found")

		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"mail"}); err != nil {
			t.Fatal(err)
		}
		w.Owner.Get(agents).Refused(403, "not_licensed")
	})
}

// Suspension takes everything at once; ending it restores only the right to sign in.
func TestSuspension(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "admin")
		var key struct{ Key string }
		ayse.Post(auth+"/api-keys", object{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}).Want(201).Data(&key)
		var qr agent.NewQR
		ayse.Post(path(id, "/mobile-qr"), nil).Want(201).Data(&qr)
		ayse.Do("PUT", path(id, ""), object{"presence": "online", "signature": "Ayşe"}).Want(200)
		s.Client(key.Key).Get(catalog).Want(200)

		var a agent.Agent
		w.Owner.Post(path(id, "/suspension"), nil).Want(200).Data(&a)
		if a.State != "suspended" || a.SuspendedAt == nil || a.Presence != "offline" || a.Signature != "Ayşe" {
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

		// If two owners suspend each other at the same moment, one is left.
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

// Several modules end what an agent had in them, all in the transaction of the suspension:
// if any of them fails, nothing has changed anywhere.
func TestSuspensionHooks(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, ayse := add(t, s, w, "ayse@example.com", "admin")
		var key struct{ Key string }
		ayse.Post(auth+"/api-keys", object{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}).Want(201).Data(&key)
		phone := func(tx *db.Tx) error {
			return tx.Exec(`INSERT INTO phone_member (tenant_id, agent_id, extension, rings, device, username, rung_at, busy_until, created_at)
				VALUES ($1, $2, '101', $3, 'desk', '', 0, 0, $4)`, w.ID, id, true, clock.At(tx.Now()))
		}
		if err := s.DB.Tenant(w.ID).InTx(t.Context(), phone); err != nil {
			t.Fatal(err)
		}
		customer := ayse.Post("/api/crm/v1/contacts", object{"name": "Elif"}).Want(201).ID()
		talk := "/api/crm/v1/conversations/" + ayse.Post("/api/crm/v1/conversations", object{"contact_id": customer, "body": "x"}).Want(201).ID()
		ayse.Post(talk+"/join", nil).Want(200)
		before := lines(t, s, w)
		for part, refuse := range map[string]func(testing.TB, *db.DB, string) func(){
			"api_key": dbtest.RefuseUpdates, "conversation_agent": dbtest.RefuseDeletes, "phone_member": dbtest.RefuseDeletes,
		} {
			allow := refuse(t, s.DB, part)
			w.Owner.Post(path(id, "/suspension"), nil).Want(500)
			w.Owner.Delete(path(id, "")).Want(500)
			allow()
			ayse.Get(agents).Want(200)
			s.Client(key.Key).Get(catalog).Want(200)
			var a agent.Agent
			if w.Owner.Get(path(id, "")).Want(200).Data(&a); a.State != "active" {
				t.Errorf("got %+v", a)
			}
			if diff := cmp.Diff(before, lines(t, s, w)); diff != "" {
				t.Errorf("%s: %s", part, diff)
			}
		}
		w.Owner.Post(path(id, "/suspension"), nil).Want(200)
		if diff := cmp.Diff(append(before, "member.suspended", "member.access_ended", "phone_member.removed"), lines(t, s, w)); diff != "" {
			t.Error(diff)
		}
		var c conversation.Conversation
		if w.Owner.Get(talk).Want(200).Data(&c); c.OwnerID != nil {
			t.Errorf("the conversation is still %s's", c.OwnerID)
		}
	})
}
