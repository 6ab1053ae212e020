package desk_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/desk"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
)

const (
	conversations = "/api/crm/v1/conversations/"
	macros        = "/api/crm/v1/macros"
)

// inbox is a workspace with a customer.
type inbox struct {
	*apptest.Workspace
	t        *testing.T
	s        *apptest.Server
	customer contact.Contact
	seen     int
}

func open(t *testing.T, s *apptest.Server) *inbox {
	t.Helper()
	in := &inbox{Workspace: s.Workspace("demo"), t: t, s: s}
	in.Owner.Post("/api/crm/v1/contacts", map[string]any{
		"name": "Elif Kaya", "first_name": "Elif", "last_name": "Kaya", "emails": []string{"elif@example.com"},
	}).Want(201).Data(&in.customer)
	in.events()
	return in
}

// events returns what was announced since the last call.
func (in *inbox) events() []string {
	in.t.Helper()
	all := in.Events()
	fresh := all[in.seen:]
	in.seen = len(all)
	return fresh
}

// begin creates a conversation, on the API channel by default, where an answer needs no
// route.
func (in *inbox) begin(channel string) string {
	in.t.Helper()
	c, err := in.s.Conversations.Create(in.Context(), conversation.NewConversation{
		ContactID: in.customer.ID, Channel: channel, Subject: "Teslimat", Body: "Siparişim ne zaman gelir?", Tags: []string{"yeni"},
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return c.ID.String()
}

func (in *inbox) group(name string) string {
	in.t.Helper()
	return in.Owner.Post("/api/crm/v1/groups", map[string]any{"name": name}).Want(201).ID()
}

func (in *inbox) macro(name string, actions ...map[string]any) string {
	in.t.Helper()
	return in.Owner.Post(macros, map[string]any{"name": name, "actions": actions}).Want(201).ID()
}

func (in *inbox) apply(who *apptest.Client, conversation, macro string) *apptest.Response {
	in.t.Helper()
	return who.Post(conversations+conversation+"/macros/"+macro, nil)
}

// colleague signs in a member with a role of these permissions.
func (in *inbox) colleague(name string, ps ...perm.Permission) *apptest.Client {
	in.t.Helper()
	role := identity.Role{Name: "role-" + name, Title: name, Permissions: ps}
	if _, err := in.s.Identity.SetRole(in.Context(), role); err != nil {
		in.t.Fatal(err)
	}
	email := name + "@demo.example"
	if err := in.s.Identity.AddMember(in.t.Context(), in.ID, name, email, apptest.Password, role.Name); err != nil {
		in.t.Fatal(err)
	}
	return in.SignIn(email)
}

func TestMacro(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		group := in.group("Satış sonrası")
		id := in.macro("İade alındı",
			map[string]any{"type": "reply", "body": "Merhaba {{contact.first_name|değerli müşterimiz}}, {{ conversation.subject }} hakkında: iadeniz geldi. {{agent.name}}"},
			map[string]any{"type": "note", "body": "Depo onayladı"},
			map[string]any{"type": "assign", "agent": "me"},
			map[string]any{"type": "group", "group_id": group},
			map[string]any{"type": "add_tags", "tags": []string{"iade", " iade "}},
			map[string]any{"type": "remove_tags", "tags": []string{"yeni"}},
			map[string]any{"type": "priority", "priority": "high"},
			map[string]any{"type": "close"},
		)
		c := in.begin(conversation.API)
		in.events()
		var out desk.Applied
		in.apply(in.Owner, c, id).Want(200).Data(&out)
		got := out.Conversation
		if got.State != conversation.Closed || got.Priority != "high" || got.GroupID == nil || got.GroupID.String() != group ||
			*got.OwnerID != in.Member || !slices.Equal(got.Tags, []string{"iade"}) {
			t.Errorf("got %+v", got)
		}
		if len(out.Items) != 2 || out.Items[1].Kind != "note" ||
			out.Items[0].Body != "Merhaba Elif, Teslimat hakkında: iadeniz geldi. Owner of demo" {
			t.Errorf("got %+v", out.Items)
		}
		want := []string{
			"conversation.replied", "conversation.noted", "conversation.assigned", "conversation.assigned",
			"conversation.tagged", "conversation.tagged", "conversation.updated", "conversation.closed",
		}
		if diff := cmp.Diff(want, in.events()); diff != "" {
			t.Error(diff)
		}
		// A repeat announces only what it changes: the answer opens it again.
		in.apply(in.Owner, c, id).Want(200)
		want = []string{"conversation.replied", "conversation.opened", "conversation.noted", "conversation.closed"}
		if diff := cmp.Diff(want, in.events()); diff != "" {
			t.Error(diff)
		}

		snooze := in.macro("Yarına", map[string]any{"type": "open"}, map[string]any{"type": "assign", "agent": "none"}, map[string]any{"type": "snooze", "minutes": 90})
		in.apply(in.Owner, c, snooze).Want(200).Data(&out)
		if u := out.Conversation.SnoozedUntil; u == nil || !u.Equal(s.Clock.Now().Add(90*time.Minute)) || out.Conversation.OwnerID != nil {
			t.Errorf("got %+v", out.Conversation)
		}
		wait := in.macro("Yanıt gelince", map[string]any{"type": "snooze", "until_reply": true})
		in.apply(in.Owner, c, wait).Want(200).Data(&out)
		if !out.Conversation.SnoozedUntilReply {
			t.Errorf("got %+v", out.Conversation)
		}
		in.Owner.Post(conversations+c+"/merge", map[string]any{"into_id": in.begin(conversation.API)}).Want(200)
		if got := in.apply(in.Owner, c, wait).Refused(409, "conflict"); got.Reason != "merged" || got.Step != nil {
			t.Errorf("got %+v", got)
		}
		in.apply(in.Owner, uuid.NewString(), wait).Refused(404, "not_found")
		in.apply(in.Owner, c, uuid.NewString()).Refused(404, "not_found")
	})
}

// A macro fails with the failing action at each place: nothing of it is left, and the
// answer names the action.
func TestMacroIsAtomic(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		good := []map[string]any{
			{"type": "reply", "body": "Merhaba"},
			{"type": "note", "body": "Not"},
			{"type": "assign", "agent": "me"},
			{"type": "add_tags", "tags": []string{"iade"}},
			{"type": "remove_tags", "tags": []string{"yeni"}},
			{"type": "priority", "priority": "urgent"},
			{"type": "snooze", "minutes": 60},
			{"type": "open"},
			{"type": "close"},
		}
		gone := in.group("Giden ekip")
		failing := map[string]any{"type": "group", "group_id": gone}
		var ids []string
		for at := range len(good) + 1 {
			ids = append(ids, in.macro(fmt.Sprintf("Bozuk %02d", at), slices.Insert(slices.Clone(good), at, failing)...))
		}
		in.Owner.Delete("/api/crm/v1/groups/" + gone).Want(200)
		c := in.begin(conversation.API)
		in.events()
		before := dbtest.Dump(t, s.DB, in.ID)
		for at, id := range ids {
			e := in.apply(in.Owner, c, id).Refused(422, "validation_failed")
			if e.Step == nil || e.Step.Index != at || e.Step.Action != "group" || !slices.Equal(e.Fields["group_id"], []string{"unknown_group"}) {
				t.Errorf("at %d: %+v", at, e)
			}
			if diff := cmp.Diff(before, dbtest.Dump(t, s.DB, in.ID)); diff != "" {
				t.Fatalf("at %d something was left:\n%s", at, diff)
			}
		}
		if got := in.events(); len(got) != 0 {
			t.Errorf("announced %v", got)
		}
		whole := in.macro("Sağlam", good...)
		in.apply(in.Owner, c, whole).Want(200)

		// A refusal by the gate is reported as the action's fault.
		e := in.apply(in.Owner, in.begin(conversation.Panel), whole).Refused(422, "no_route")
		if *e.Step != (apptest.ErrorStep{Index: 0, Action: "reply"}) {
			t.Errorf("got %+v", e)
		}
		hole := in.macro("Boşluk", map[string]any{"type": "close"}, map[string]any{"type": "reply", "body": "Sayın {{contact.company}}"})
		e = in.apply(in.Owner, c, hole).Refused(422, "validation_failed")
		if *e.Step != (apptest.ErrorStep{Index: 1, Action: "reply"}) || e.Reason != "contact.company" || !slices.Equal(e.Fields["body"], []string{"empty_placeholder"}) {
			t.Errorf("got %+v", e)
		}
	})
}

// The permission of every action is checked before anything happens.
func TestMacroPermissions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		group := in.group("Ekip")
		actions := []map[string]any{
			{"type": "reply", "body": "x"},
			{"type": "note", "body": "x"},
			{"type": "assign", "agent": "me"},
			{"type": "group", "group_id": group},
			{"type": "add_tags", "tags": []string{"a"}},
			{"type": "remove_tags", "tags": []string{"yeni"}},
			{"type": "priority", "priority": "low"},
			{"type": "open"},
			{"type": "close"},
			{"type": "snooze", "minutes": 5},
		}
		c := in.begin(conversation.API)
		who := map[perm.Permission]*apptest.Client{}
		all := []perm.Permission{perm.ConversationsReply, perm.ConversationsAssign, perm.ConversationsManage}
		for i, lacking := range all {
			held := append(slices.DeleteFunc(slices.Clone(all), func(p perm.Permission) bool { return p == lacking }), perm.MacrosUse, perm.ConversationsView)
			who[lacking] = in.colleague(fmt.Sprintf("yetkisiz%d", i), held...)
		}
		blind := in.colleague("gormeyen", append(all, perm.MacrosUse)...)
		for _, a := range actions {
			kind := a["type"].(string)
			needs := desk.Needs(kind)
			// It follows an action that is allowed or changes nothing.
			m := in.macro("İzin "+kind, map[string]any{"type": "note", "body": "önce"}, a)
			if needs == perm.ConversationsReply {
				m = in.macro("İzin 2 "+kind, map[string]any{"type": "priority", "priority": "high"}, a)
			}
			was := dbtest.Dump(t, s.DB, in.ID)
			e := in.apply(who[needs], c, m).Refused(403, "forbidden")
			if e.Step == nil || *e.Step != (apptest.ErrorStep{Index: 1, Action: kind}) || e.Permission != string(needs) {
				t.Errorf("%s: %+v %+v", kind, e, e.Step)
			}
			if diff := cmp.Diff(was, dbtest.Dump(t, s.DB, in.ID)); diff != "" {
				t.Errorf("%s left something:\n%s", kind, diff)
			}
			for lacking, client := range who {
				if lacking != needs && needs != perm.ConversationsReply && lacking != perm.ConversationsReply {
					in.apply(client, c, m).Want(200)
				}
			}
			if e := in.apply(blind, c, m).Refused(403, "forbidden"); e.Permission != string(perm.ConversationsView) || e.Step != nil {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestMacroRecords(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.macro("İade", map[string]any{"type": "close"})
		in.Owner.Post(macros, map[string]any{"name": "IADE ", "actions": []any{map[string]any{"type": "close"}}}).Refused(409, "conflict")
		other := in.macro("Kargo", map[string]any{"type": "close"})
		in.Owner.Put(macros+"/"+other, map[string]any{"name": " iade", "actions": []any{map[string]any{"type": "open"}}}).Refused(409, "conflict")
		var m desk.Macro
		in.Owner.Put(macros+"/"+id, map[string]any{"name": "İade!", "description": "d", "actions": []any{map[string]any{"type": "open"}}}).Want(200).Data(&m)
		if m.Name != "İade!" || m.Actions[0].Type != "open" || m.CreatedBy == nil || m.Actions[0].Tags == nil {
			t.Errorf("got %+v", m)
		}
		var list []desk.Macro
		page := in.Owner.Get(macros + "?limit=1").Want(200).Data(&list)
		if len(list) != 1 || list[0].ID.String() != id || page.NextCursor() == "" {
			t.Errorf("got %+v", list)
		}
		in.Owner.Get(macros + "?limit=1&cursor=" + page.NextCursor()).Want(200).Data(&list)
		if len(list) != 1 || list[0].ID.String() != other {
			t.Errorf("got %+v", list)
		}
		in.Owner.Delete(macros + "/" + other).Want(200)
		in.Owner.Get(macros+"/"+other).Refused(404, "not_found")
		if diff := cmp.Diff([]string{desk.MacrosChanged, desk.MacrosChanged, desk.MacrosChanged, desk.MacrosChanged}, in.events()); diff != "" {
			t.Errorf("panels are told of each change: %s", diff)
		}

		for field, bad := range map[string]map[string]any{
			"actions[0].body":        {"type": "reply"},
			"actions[0].agent":       {"type": "assign", "agent": "herkes"},
			"actions[0].group_id":    {"type": "group", "group_id": uuid.New()},
			"actions[0].tags":        {"type": "add_tags", "tags": []string{" "}},
			"actions[0].priority":    {"type": "priority"},
			"actions[0].minutes":     {"type": "snooze"},
			"actions[0].until_reply": {"type": "snooze", "minutes": 3, "until_reply": true},
			"actions[0].type":        {"type": "delete"},
		} {
			e := in.Owner.Post(macros, map[string]any{"name": "Kötü", "actions": []any{bad}}).Refused(422, "validation_failed")
			if len(e.Fields[field]) == 0 {
				t.Errorf("%s: %v", field, e.Fields)
			}
		}
		for _, bad := range []map[string]any{
			{"type": "note", "body": "{{contact.password}}"},
			{"type": "assign", "agent": uuid.NewString()},
			{"type": "assign"},
			{"type": "close", "body": "x"},
			{"type": "remove_tags"},
			{"type": "snooze", "minutes": 525601},
		} {
			in.Owner.Post(macros, map[string]any{"name": "Kötü", "actions": []any{bad}}).Refused(422, "validation_failed")
		}
		in.Owner.Post(macros, map[string]any{"name": "Kötü", "actions": []any{}}).Refused(422, "validation_failed")
		in.Owner.Post(macros, map[string]any{"name": "  ", "actions": []any{map[string]any{"type": "close"}}}).Refused(422, "validation_failed")
		err := s.DB.Tenant(in.ID).Read(t.Context(), func(r *db.Reader) error {
			n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action LIKE 'macro.%'`, r.Tenant())
			if n != 4 {
				t.Errorf("%d audit lines", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
