package conversation_test

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/identity"
)

// memberAs signs somebody in with a role.
func (in *inbox) memberAs(name, role string) (*apptest.Client, uuid.UUID) {
	in.t.Helper()
	if err := in.s.Identity.AddMember(in.t.Context(), in.ID, name, name+"@demo.example", apptest.Password, role); err != nil {
		in.t.Fatal(err)
	}
	c := in.SignIn(name + "@demo.example")
	var me struct {
		Membership struct {
			ID uuid.UUID `json:"id"`
		} `json:"membership"`
	}
	c.Get("/api/v1/auth/me").Want(200).Data(&me)
	return c, me.Membership.ID
}

func names(list []conversation.Mention) []string {
	out := []string{}
	for _, m := range list {
		out = append(out, m.Name)
	}
	return out
}

func TestMentions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		canClient, can := in.memberAs("can", identity.RoleAgent)
		_, guest := in.memberAs("guest", identity.RoleGuest)
		in.events()

		note := in.say(id, map[string]any{"body": "@can bakar mısın?", "message_type": "note", "mentions": []uuid.UUID{can, can, in.Member}})
		if diff := cmp.Diff([]string{conversation.Noted}, in.events()); diff != "" {
			t.Errorf("a note tells panels alone: %s", diff)
		}
		if len(note.Mentions) != 2 {
			t.Fatalf("got %+v", note.Mentions)
		}
		if got := in.items(id)[0].Mentions; !cmp.Equal(got, note.Mentions) {
			t.Errorf("got %+v, want %+v", got, note.Mentions)
		}

		mine := func(c *apptest.Client, query string) (out []conversation.MentionOf) {
			t.Helper()
			c.Get(base + "/mentions" + query).Want(200).Data(&out)
			return out
		}
		counted := func(c *apptest.Client) int {
			t.Helper()
			var out conversation.Counts
			c.Get(base + "/counts").Want(200).Data(&out)
			return out.Mentions
		}
		found := func(c *apptest.Client) (out []conversation.Conversation) {
			t.Helper()
			c.Get(base + "?mentioned=me").Want(200).Data(&out)
			return out
		}
		got := mine(canClient, "?unread=true")
		if len(got) != 1 || got[0].ItemID != note.ID || got[0].ConversationID != id || !got[0].Unread || got[0].Preview != "@can bakar mısın?" || *got[0].AuthorID != in.Member {
			t.Errorf("got %+v", got)
		}
		if list := found(canClient); len(list) != 1 || list[0].ID != id || list[0].Unread != 1 || counted(canClient) != 1 {
			t.Errorf("the one who is called: %+v", list)
		}
		// Authors who mention themselves have it in their list, but are not notified.
		if len(mine(in.Owner, "")) != 1 || len(mine(in.Owner, "?unread=true")) != 0 || counted(in.Owner) != 0 {
			t.Errorf("got %+v", mine(in.Owner, ""))
		}

		// Reading the conversation marks the mention as read.
		canClient.Post(base+"/"+id.String()+"/read", nil).Want(200)
		if len(mine(canClient, "?unread=true")) != 0 || len(mine(canClient, "")) != 1 || counted(canClient) != 0 || len(found(canClient)) != 1 {
			t.Error("it is read")
		}

		// When a note is edited, removed mentions are dropped and new ones notified.
		var edited conversation.Item
		in.Owner.Put(itemPath(note), map[string]any{"body": "@can değil", "mentions": []uuid.UUID{}}).Want(200).Data(&edited)
		if len(edited.Mentions) != 0 || len(mine(canClient, "")) != 0 || len(found(canClient)) != 0 {
			t.Errorf("got %+v", edited.Mentions)
		}
		in.events()
		in.Owner.Put(itemPath(note), map[string]any{"body": "@can değil", "mentions": []uuid.UUID{can}}).Want(200).Data(&edited)
		if len(edited.Mentions) != 1 || counted(canClient) != 1 || !cmp.Equal([]string{conversation.ItemChanged}, in.events()) {
			t.Errorf("got %+v", edited.Mentions)
		}
		// The same mentions again change nothing; without the field they stay.
		in.Owner.Put(itemPath(note), map[string]any{"body": "@can değil", "mentions": []uuid.UUID{can}}).Want(200)
		if diff := cmp.Diff([]string{}, in.events()); diff != "" {
			t.Error(diff)
		}
		in.Owner.Put(itemPath(note), map[string]any{"body": "@can tamam"}).Want(200).Data(&edited)
		if len(edited.Mentions) != 1 {
			t.Errorf("got %+v", edited.Mentions)
		}
		// A deleted note mentions nobody.
		in.Owner.Delete(itemPath(note)).Want(200)
		if len(mine(canClient, "")) != 0 || counted(canClient) != 0 || len(found(canClient)) != 0 {
			t.Error("the note is deleted")
		}

		refused := func(r *apptest.Response, code string) {
			t.Helper()
			if e := r.Refused(422, "validation_failed"); !cmp.Equal(e.Fields["mentions"], []string{code}) {
				t.Errorf("got %+v, want %s", e.Fields, code)
			}
		}
		reply := base + "/" + id.String() + "/reply-as-agent"
		for _, who := range []uuid.UUID{guest, uuid.New()} {
			refused(in.Owner.Post(reply, map[string]any{"body": "x", "message_type": "note", "mentions": []uuid.UUID{who}}), "unknown_agent")
		}
		refused(in.Owner.Post(reply, map[string]any{"body": "x", "mentions": []uuid.UUID{can}}), "notes_only")
		message := in.say(id, map[string]any{"body": "Bugün gelir"})
		refused(in.Owner.Put(itemPath(message), map[string]any{"body": "y", "mentions": []uuid.UUID{can}}), "notes_only")

		// Members who may see conversations can be mentioned, and are found by any of their
		// names.
		choices := func(q string) (out []conversation.Mention) {
			t.Helper()
			in.Owner.Get(base + "/" + id.String() + "/mentionable?q=" + url.QueryEscape(q)).Want(200).Data(&out)
			return out
		}
		if diff := cmp.Diff([]string{"can"}, names(choices("CA"))); diff != "" {
			t.Error(diff)
		}
		if all := choices(""); len(all) != 2 {
			t.Errorf("got %+v", all)
		}
		if none := choices("gue"); len(none) != 0 {
			t.Errorf("a guest sees no conversations: %+v", none)
		}
	})
}

func TestItemsStartingFromItem(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		for n := range 9 {
			in.say(id, map[string]any{"body": strconv.Itoa(n)})
		}
		var all []conversation.Item
		in.Owner.Get(base + "/" + id.String() + "/items").Want(200).Data(&all)
		from := all[4]
		read := func(query string) (out []string, next string) {
			t.Helper()
			var list []conversation.Item
			r := in.Owner.Get(base + "/" + id.String() + "/items?limit=3" + query).Want(200)
			r.Data(&list)
			for _, i := range list {
				out = append(out, i.Body)
			}
			return out, r.NextCursor()
		}
		older, next := read("&from=" + from.ID.String())
		if diff := cmp.Diff([]string{all[4].Body, all[5].Body, all[6].Body}, older); diff != "" {
			t.Error(diff)
		}
		if rest, _ := read("&from=" + from.ID.String() + "&cursor=" + url.QueryEscape(next)); rest[0] != all[7].Body {
			t.Errorf("got %v", rest)
		}
		newer, next := read("&sort=created&from=" + from.ID.String())
		if diff := cmp.Diff([]string{all[4].Body, all[3].Body, all[2].Body}, newer); diff != "" {
			t.Error(diff)
		}
		rest, last := read("&sort=created&cursor=" + url.QueryEscape(next))
		if diff := cmp.Diff([]string{all[1].Body, all[0].Body}, rest); diff != "" || last != "" {
			t.Error(diff, last)
		}
		other := in.begin()
		for _, unknown := range []string{uuid.NewString(), in.items(other)[0].ID.String()} {
			e := in.Owner.Get(base+"/"+id.String()+"/items?from="+unknown).Refused(422, "validation_failed")
			if !cmp.Equal(e.Fields["from"], []string{"unknown_item"}) {
				t.Errorf("got %+v", e.Fields)
			}
		}
	})
}
