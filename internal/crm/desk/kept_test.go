package desk_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/desk"
	"konak/internal/kit/perm"
)

const (
	canned = "/api/crm/v1/canned-replies"
	views  = "/api/crm/v1/views"
)

func TestCannedReplies(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		agent := in.colleague("selin", perm.ConversationsView, perm.ConversationsReply)
		add := func(who *apptest.Client, shortcut, title string, shared bool) string {
			t.Helper()
			return who.Post(canned, map[string]any{"shortcut": shortcut, "title": title, "body": "Metin " + shortcut, "shared": shared}).Want(201).ID()
		}
		kargo := add(in.Owner, "/kargo", "Kargo ne zaman gelir", true)
		iade := add(in.Owner, "İade-süresi", "Kaç gün içinde geri gönderebilirim", true)
		own := add(in.Owner, "imza", "İmzam", false)
		theirs := add(agent, "imza", "Selin'in imzası", false)
		if diff := cmp.Diff([]string{desk.RepliesChanged, desk.RepliesChanged, desk.RepliesChanged, desk.RepliesChanged}, in.events()); diff != "" {
			t.Errorf("panels are told of each: %s", diff)
		}

		// The same shortcut can be used once in the workspace and once by each agent.
		in.Owner.Post(canned, map[string]any{"shortcut": "KARGO", "body": "x", "shared": true}).Refused(409, "conflict")
		in.Owner.Post(canned, map[string]any{"shortcut": "IMZA", "body": "x"}).Refused(409, "conflict")
		in.Owner.Put(canned+"/"+iade, map[string]any{"shortcut": "kargo", "body": "x", "shared": true}).Refused(409, "conflict")

		found := func(who *apptest.Client, q string) []string {
			t.Helper()
			var list []desk.CannedReply
			who.Get(canned + "?q=" + url.QueryEscape(q)).Want(200).Data(&list)
			out := []string{}
			for _, c := range list {
				out = append(out, c.ID.String())
			}
			return out
		}
		for q, want := range map[string][]string{
			"": {kargo, iade, own}, "k": {kargo, iade}, "/KAR": {kargo}, "iade-s": {iade}, "IADE": {iade}, "SÜRE": {iade}, "sure": {iade},
			"gün geri": {iade}, "imz": {own}, "zebra": {}, "kargo zebra": {},
		} {
			if diff := cmp.Diff(want, found(in.Owner, q)); diff != "" {
				t.Errorf("%q:\n%s", q, diff)
			}
		}
		if got := found(agent, "imza"); !slices.Equal(got, []string{theirs}) {
			t.Errorf("got %v", got)
		}
		var list []desk.CannedReply
		page := in.Owner.Get(canned + "?limit=2").Want(200).Data(&list)
		in.Owner.Get(canned + "?limit=2&cursor=" + page.NextCursor()).Want(200).Data(&list)
		if len(list) != 1 || list[0].Shared || *list[0].OwnerID != in.Member {
			t.Errorf("got %+v", list)
		}

		// Another agent's own reply is not found; changing a shared one needs the
		// permission for it.
		for _, id := range []string{theirs, uuid.NewString()} {
			in.Owner.Get(canned+"/"+id).Refused(404, "not_found")
			in.Owner.Put(canned+"/"+id, map[string]any{"shortcut": "x", "body": "x"}).Refused(404, "not_found")
			in.Owner.Delete(canned+"/"+id).Refused(404, "not_found")
			in.Owner.Post(canned+"/"+id+"/render", map[string]any{"conversation_id": uuid.New()}).Refused(404, "not_found")
		}
		agent.Get(canned + "/" + kargo).Want(200)
		for _, resp := range []*apptest.Response{
			agent.Post(canned, map[string]any{"shortcut": "yeni", "body": "x", "shared": true}),
			agent.Put(canned+"/"+kargo, map[string]any{"shortcut": "yeni", "body": "x"}),
			agent.Put(canned+"/"+theirs, map[string]any{"shortcut": "yeni", "body": "x", "shared": true}),
			agent.Delete(canned + "/" + kargo),
		} {
			if e := resp.Refused(403, "forbidden"); e.Permission != string(perm.CannedManage) {
				t.Errorf("got %+v", e)
			}
		}
		var c desk.CannedReply
		agent.Put(canned+"/"+theirs, map[string]any{"shortcut": "selam", "title": "Selam", "body": "Merhaba"}).Want(200).Data(&c)
		if c.Shortcut != "selam" || c.Shared || len(found(agent, "imza")) != 0 || len(found(agent, "selam")) != 1 {
			t.Errorf("got %+v", c)
		}
		in.Owner.Delete(canned + "/" + own).Want(200)
		in.Owner.Get(canned+"/"+own).Refused(404, "not_found")

		for field, bad := range map[string]map[string]any{
			"shortcut": {"shortcut": "iki kelime", "body": "x"},
			"body":     {"shortcut": "x", "body": "Sayın {{contact.pin}}"},
		} {
			if e := in.Owner.Post(canned, bad).Refused(422, "validation_failed"); len(e.Fields[field]) == 0 {
				t.Errorf("got %+v", e)
			}
		}
		in.Owner.Post(canned, map[string]any{"shortcut": "x", "body": " "}).Refused(422, "validation_failed")
	})
}

func TestCannedRender(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		c := in.begin(conversation.API)
		id := in.Owner.Post(canned, map[string]any{
			"shortcut": "selam",
			"body":     "Merhaba {{contact.name}} ({{ contact.email }}), {{contact.phone|numaranız yok}}. {{contact.company}}{{conversation.subject}} — {{agent.name}}",
		}).Want(201).ID()
		var got desk.Rendered
		in.Owner.Post(canned+"/"+id+"/render", map[string]any{"conversation_id": c}).Want(200).Data(&got)
		if want := "Merhaba Elif Kaya (elif@example.com), numaranız yok. Teslimat — Owner of demo"; got.Body != want || !slices.Equal(got.Empty, []string{"contact.company"}) {
			t.Errorf("got %+v", got)
		}
		e := in.Owner.Post(canned+"/"+id+"/render", map[string]any{"conversation_id": uuid.New()}).Refused(422, "validation_failed")
		if !slices.Equal(e.Fields["conversation_id"], []string{"unknown_conversation"}) {
			t.Errorf("got %+v", e)
		}
	})
}

// In a conversation, canned replies and macros are shown as they would be written there.
func TestPreviews(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		c := in.begin(conversation.API)
		const whole, gap = "Merhaba {{contact.first_name}}, {{agent.name}}", "Sayın {{contact.company}}"
		in.Owner.Post(canned, map[string]any{"shortcut": "a", "body": whole}).Want(201)
		in.Owner.Post(canned, map[string]any{"shortcut": "b", "body": gap}).Want(201)
		macro := in.macro("Selam", map[string]any{"type": "reply", "body": whole}, map[string]any{"type": "note", "body": gap}, map[string]any{"type": "close"})
		const filled = "Merhaba Elif, Owner of demo"

		var replies []desk.CannedReply
		in.Owner.Get(canned + "?conversation_id=" + c).Want(200).Data(&replies)
		if len(replies) != 2 || replies[0].Body != filled || replies[1].Body != gap {
			t.Errorf("got %+v", replies)
		}
		in.Owner.Get(canned).Want(200).Data(&replies)
		if replies[0].Body != whole {
			t.Errorf("without a conversation it is %q", replies[0].Body)
		}
		var got desk.Macro
		in.Owner.Get(macros + "/" + macro + "?conversation_id=" + c).Want(200).Data(&got)
		if *got.Actions[0].Body != filled || *got.Actions[1].Body != gap || got.Actions[2].Body != nil {
			t.Errorf("got %+v", got.Actions)
		}
		blind := in.colleague("gormeyen", perm.MacrosUse, perm.ConversationsReply)
		for _, path := range []string{canned, macros + "/" + macro} {
			in.Owner.Get(path+"?conversation_id="+uuid.NewString()).Refused(422, "validation_failed")
			blind.Get(path).Want(200)
			blind.Get(path+"?conversation_id="+c).Refused(403, "forbidden")
		}
		other := s.Workspace("other")
		other.Owner.Get(canned+"?conversation_id="+c).Refused(422, "validation_failed")
	})
}

func TestViews(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		agent := in.colleague("selin", perm.ConversationsView)
		for range 3 {
			in.begin(conversation.API)
		}
		in.Owner.Post(conversations+in.begin(conversation.API)+"/join", nil).Want(200)
		in.Owner.Post(conversations+in.begin(conversation.API)+"/close", nil).Want(200)

		mine := in.Owner.Post(views, map[string]any{"name": "Bendekiler", "shared": true, "filter": map[string]any{"owner_id": "me", "state": "open"}}).Want(201).ID()
		open := in.Owner.Post(views, map[string]any{"name": "Açıklar", "filter": map[string]any{"state": "open", "tag": "yeni", "sort": "created"}}).Want(201).ID()
		found := in.Owner.Post(views, map[string]any{"name": "Arama", "filter": map[string]any{"q": "teslim"}}).Want(201).ID()
		var list []desk.View
		in.Owner.Get(views).Want(200).Data(&list)
		if len(list) != 3 || list[0].Filter.OwnerID != "me" || list[0].Filter.Sort != "-last_activity" || list[1].Shared || *list[1].OwnerID != in.Member {
			t.Errorf("got %+v", list)
		}
		counts := func(who *apptest.Client) map[string]int {
			t.Helper()
			var rows []desk.ViewCount
			who.Get(views + "/counts").Want(200).Data(&rows)
			out := map[string]int{}
			for _, r := range rows {
				out[r.ViewID.String()] = r.Count
				if r.More {
					out[r.ViewID.String()] = -r.Count
				}
			}
			return out
		}
		if diff := cmp.Diff(map[string]int{mine: 1, open: 4, found: 5}, counts(in.Owner)); diff != "" {
			t.Error(diff)
		}
		// me is the agent who opens the view; an agent's own view is not visible to others.
		if diff := cmp.Diff(map[string]int{mine: 0}, counts(agent)); diff != "" {
			t.Error(diff)
		}
		agent.Get(views+"/"+open).Refused(404, "not_found")
		agent.Get(views + "/" + mine).Want(200)
		for _, resp := range []*apptest.Response{
			agent.Post(views, map[string]any{"name": "Herkese", "shared": true, "filter": map[string]any{}}),
			agent.Put(views+"/"+mine, map[string]any{"name": "x", "filter": map[string]any{}}),
			agent.Delete(views + "/" + mine),
		} {
			if e := resp.Refused(403, "forbidden"); e.Permission != string(perm.ViewsManage) {
				t.Errorf("got %+v", e)
			}
		}
		agent.Put(views+"/"+open, map[string]any{"name": "x", "filter": map[string]any{}}).Refused(404, "not_found")
		agent.Delete(views+"/"+open).Refused(404, "not_found")

		in.Owner.Post(views, map[string]any{"name": "acıklar", "filter": map[string]any{}}).Refused(409, "conflict")
		in.Owner.Put(views+"/"+found, map[string]any{"name": "AÇIKLAR", "filter": map[string]any{}}).Refused(409, "conflict")
		var v desk.View
		in.Owner.Put(views+"/"+open, map[string]any{"name": "Açık olanlar", "shared": true, "filter": map[string]any{"state": "closed"}}).Want(200).Data(&v)
		if !v.Shared || v.Filter.State != "closed" || counts(agent)[open] != 1 {
			t.Errorf("got %+v", v)
		}
		in.Owner.Delete(views + "/" + found).Want(200)
		in.Owner.Get(views+"/"+found).Refused(404, "not_found")

		for field, filter := range map[string]map[string]any{
			"filter.state":      {"state": "lost"},
			"filter.owner_id":   {"owner_id": "herkes"},
			"filter.group_id":   {"group_id": "herkes"},
			"filter.contact_id": {"contact_id": "x"},
			"filter.sort":       {"sort": "colour"},
			"filter.colour":     {"colour": "red"},
		} {
			if e := in.Owner.Post(views, map[string]any{"name": "Kötü", "filter": filter}).Refused(422, "validation_failed"); len(e.Fields[field]) == 0 {
				t.Errorf("%s: %v", field, e.Fields)
			}
		}
		in.Owner.Post(views, map[string]any{"name": "  ", "filter": map[string]any{}}).Refused(422, "validation_failed")
		for i := range 50 {
			agent.Post(views, map[string]any{"name": fmt.Sprint("Görünüm ", i), "filter": map[string]any{}}).Want(201)
		}
		agent.Post(views, map[string]any{"name": "Fazlası", "filter": map[string]any{}}).Refused(422, "limit_reached")
	})
}

// Counting stops at a hundred.
func TestViewCountStopsAtHundred(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		for range 101 {
			in.begin(conversation.API)
		}
		for name, filter := range map[string]map[string]any{
			"a": {}, "b": {"state": "open"}, "c": {"owner_id": "none"}, "d": {"tag": "yeni"}, "e": {"sort": "created"}, "f": {"channel": "api", "sort": "priority"},
		} {
			in.Owner.Post(views, map[string]any{"name": name, "filter": filter}).Want(201)
		}
		var rows []desk.ViewCount
		in.Owner.Get(views + "/counts").Want(200).Data(&rows)
		for _, r := range rows {
			if r.Count != 100 || !r.More {
				t.Errorf("got %+v", r)
			}
		}
		if len(rows) != 6 {
			t.Errorf("%d rows", len(rows))
		}
	})
}
