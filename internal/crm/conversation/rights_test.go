package conversation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/group"
	"konak/internal/kit/perm"
)

// Every route for the same action needs the same permissions: naming an owner or a group is
// assigning, setting a priority, a subject or tags is managing, writing a note is replying.
func TestEveryRouteNeedsSamePermissions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		_, agent := in.member("can")
		var g group.Group
		in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Satış"}).Want(201).Data(&g)
		const view, reply, assign, manage = perm.ConversationsView, perm.ConversationsReply, perm.ConversationsAssign, perm.ConversationsManage

		clients := map[string]*apptest.Client{}
		with := func(key bool, may ...perm.Permission) *apptest.Client {
			t.Helper()
			slices.Sort(may)
			name := fmt.Sprint(key, may)
			if c := clients[name]; c != nil {
				return c
			}
			if key {
				clients[name] = in.Key(false, may...)
				return clients[name]
			}
			role := fmt.Sprintf("role%d", len(clients))
			in.Owner.Put("/api/v1/auth/roles", map[string]any{"name": role, "title": role, "permissions": may}).Want(200)
			if err := s.Identity.AddMember(t.Context(), in.ID, role, role+"@demo.example", apptest.Password, role); err != nil {
				t.Fatal(err)
			}
			clients[name] = in.SignIn(role + "@demo.example")
			return clients[name]
		}
		one := base + "/" + id.String()
		body := func(base map[string]any, name string, value any) map[string]any {
			out := map[string]any{name: value}
			for k, v := range base {
				out[k] = v
			}
			return out
		}
		many := map[string]any{"ids": []uuid.UUID{id}, "group_id": g.ID}
		made := map[string]any{"contact_id": in.customer.ID, "body": "x"}
		begun := body(made, "channel", conversation.Mail)
		const public = "/api/crm/public/v1/conversations"
		for _, way := range []struct {
			name, method, path string
			body               map[string]any
			want               int
			needs              []perm.Permission
		}{
			{"change the group", "PUT", one, map[string]any{"group_id": g.ID}, 200, []perm.Permission{assign}},
			{"transfer", "POST", base + "/group", many, 200, []perm.Permission{assign}},
			{"transfer with a note", "POST", base + "/group", body(many, "note", "x"), 200, []perm.Permission{assign, reply}},
			{"take the group away", "PUT", one, map[string]any{"group_id": nil}, 200, []perm.Permission{assign}},
			{"change the priority", "PUT", one, map[string]any{"priority": "high"}, 200, []perm.Permission{manage}},
			{"change the subject", "PUT", one, map[string]any{"subject": "x"}, 200, []perm.Permission{manage}},
			{"change the customer", "PUT", one, map[string]any{"contact_id": in.customer.ID}, 200, []perm.Permission{manage}},
			{"change group and priority", "PUT", one, map[string]any{"group_id": g.ID, "priority": "low"}, 200, []perm.Permission{assign, manage}},
			{"assign", "POST", one + "/assign", map[string]any{"owner_id": agent}, 200, []perm.Permission{assign}},
			{"hand over to a group", "POST", one + "/ai-handover", map[string]any{"group_id": g.ID}, 409, []perm.Permission{reply, assign}},
			{"create", "POST", base, made, 201, []perm.Permission{reply}},
			{"create with the usual priority", "POST", base, body(made, "priority", "normal"), 201, []perm.Permission{reply}},
			{"create in a group", "POST", base, body(made, "group_id", g.ID), 201, []perm.Permission{reply, assign}},
			{"create with an owner", "POST", base, body(made, "owner_id", agent), 201, []perm.Permission{reply, assign}},
			{"create with a priority", "POST", base, body(made, "priority", "high"), 201, []perm.Permission{reply, manage}},
			{"create with tags", "POST", base, body(made, "tags", []string{"iade"}), 201, []perm.Permission{reply, manage}},
			{"begin", "POST", base + "/new-as-agent", begun, 201, []perm.Permission{reply}},
			{"begin in a group", "POST", base + "/new-as-agent", body(begun, "group_id", g.ID), 201, []perm.Permission{reply, assign}},
			{"begin with a priority", "POST", base + "/new-as-agent", body(begun, "priority", "urgent"), 201, []perm.Permission{reply, manage}},
			{"create by key", "POST", public, made, 201, []perm.Permission{reply}},
			{"create by key in a group", "POST", public, body(made, "group_id", g.ID), 201, []perm.Permission{reply, assign}},
			{"create by key with a priority", "POST", public, body(made, "priority", "low"), 201, []perm.Permission{reply, manage}},
			{"create by key with tags", "POST", public, body(made, "tags", []string{"iade"}), 201, []perm.Permission{reply, manage}},
		} {
			key := way.path == public
			for i, missing := range way.needs {
				others := slices.Delete(slices.Clone(way.needs), i, i+1)
				f := with(key, append(others, view)...).Do(way.method, way.path, way.body).Refused(403, "forbidden")
				if f.Permission != string(missing) {
					t.Errorf("%s without %s: refused for %s", way.name, missing, f.Permission)
				}
			}
			with(key, append(slices.Clone(way.needs), view)...).Do(way.method, way.path, way.body).Want(way.want)
			if way.name == "take the group away" && in.get(id).GroupID != nil {
				t.Error("null did not take the group away")
			}
		}
		with(false, perm.ConversationsReply, assign, manage).Put(one, map[string]any{}).Refused(403, "forbidden") // the answer shows it
	})
}

// Callers who may change conversations but not see them get ids and states, and never names
// or what somebody wrote.
func TestChangesWithoutView(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		may := []perm.Permission{perm.ConversationsReply, perm.ConversationsAssign, perm.ConversationsManage, perm.ConversationsDelete}
		in.Owner.Put("/api/v1/auth/roles", map[string]any{"name": "blind", "title": "blind", "permissions": may}).Want(200)
		if err := s.Identity.AddMember(t.Context(), in.ID, "blind", "blind@demo.example", apptest.Password, "blind"); err != nil {
			t.Fatal(err)
		}
		blind, key := in.SignIn("blind@demo.example"), in.Key(false, may...)
		first, second := in.begin(), in.begin()
		one, two := base+"/"+first.String(), base+"/"+second.String()
		text := map[string]any{"body": "x"}
		made := map[string]any{"contact_id": in.customer.ID, "subject": "Teslimat", "body": "Siparişim"}
		begun := map[string]any{"contact_id": in.customer.ID, "channel": conversation.Mail, "subject": "Teslimat", "body": "x"}
		tags := map[string]any{"tags": []string{"iade"}}
		active := func() {
			t.Helper()
			if _, err := s.Conversations.Change(in.Context(), first, s.Conversations.ToSetAI(conversation.AIActive)); err != nil {
				t.Fatal(err)
			}
		}
		for _, way := range []struct {
			name   string
			who    *apptest.Client
			method string
			path   string
			body   any
			want   int
		}{
			{"reply as agent", blind, "POST", one + "/reply-as-agent", text, 200},
			{"reply as customer", blind, "POST", one + "/reply-as-customer", text, 200},
			{"assign", blind, "POST", one + "/assign", map[string]any{"owner_id": in.Member}, 200},
			{"begin", blind, "POST", base + "/new-as-agent", begun, 201},
			{"create", blind, "POST", base, made, 201},
			{"tags", blind, "PUT", one + "/tags", tags, 200},
			{"close", blind, "POST", one + "/close", nil, 200},
			{"open", blind, "POST", one + "/open", nil, 200},
			{"snooze", blind, "POST", one + "/snooze", map[string]any{"until_reply": true}, 200},
			{"hand over", blind, "POST", one + "/ai-handover", nil, 200},
			{"split", blind, "POST", one + "/split", nil, 201},
			{"merge", blind, "POST", two + "/merge", map[string]any{"into_id": first}, 200},
			{"unmerge", blind, "POST", two + "/unmerge", nil, 200},
			{"restore", blind, "POST", two + "/restore", nil, 200},
			{"create by key", key, "POST", public, made, 201},
			{"tag by key", key, "POST", public + "/" + first.String() + "/tags", map[string]any{"add": []string{"x"}}, 200},
		} {
			switch way.name {
			case "hand over":
				active()
			case "split":
				way.body = map[string]any{"item_ids": []uuid.UUID{in.say(first, text).ID}}
			case "restore":
				blind.Delete(two).Want(200)
			}
			who := way.who
			if way.want == 201 { // these take a key, and its answer is kept
				who = who.Header("Idempotency-Key", way.name)
			}
			for range 2 {
				resp := who.Do(way.method, way.path, way.body)
				body := string(resp.Want(way.want).Body)
				for _, secret := range []string{"Elif", "Teslimat", "Sipariş", `"iade"`} {
					if strings.Contains(body, secret) {
						t.Errorf("%s shows %s: %s", way.name, secret, body)
					}
				}
				if !strings.Contains(body, `"id":"`) {
					t.Errorf("%s names no id: %s", way.name, body)
				}
				if way.want != 201 {
					break
				}
			}
		}
		blind.Get(one).Refused(403, "forbidden")
	})
}
