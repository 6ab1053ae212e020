package desk_test

import (
	"slices"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/desk"
)

// bodies returns our messages in a conversation, the newest first.
func (in *inbox) bodies(id string) (out []string) {
	in.t.Helper()
	var items []conversation.Item
	in.Owner.Get(conversations + id + "/items").Want(200).Data(&items)
	for _, i := range items {
		if i.Kind == conversation.Message && i.AuthorKind == conversation.ByAgent {
			out = append(out, i.Body)
		}
	}
	return out
}

func (in *inbox) state(id string) string {
	in.t.Helper()
	var c struct{ State string }
	in.Owner.Get(conversations + id).Want(200).Data(&c)
	return c.State
}

// The replies of a macro that is run with a delay wait for it, in order, and a closing
// waits with the last one. Until then both can be cancelled.
func TestMacroWithDelay(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.macro("Çözüldü",
			map[string]any{"type": "reply", "body": "Merhaba {{contact.first_name}}"},
			map[string]any{"type": "add_tags", "tags": []string{"iade"}},
			map[string]any{"type": "reply", "body": "Hoşça kalın"},
			map[string]any{"type": "snooze", "minutes": 5},
			map[string]any{"type": "close"},
		)
		run := func(with, query string) *apptest.Response {
			return in.Owner.Post(conversations+with+"/macros/"+id+query, nil)
		}
		c := in.begin("api")
		in.Owner.Put(conversations+c+"/draft", map[string]any{"body": "Begonnen", "message_type": "comment"}).Want(200)
		var done desk.Applied
		run(c, "?delay_s=5").Want(200).Data(&done)
		if len(done.Items) != 0 || len(done.Scheduled) != 2 || done.Scheduled[0].Body != "Merhaba Elif" || done.Scheduled[0].FollowUp.V != nil {
			t.Fatalf("the macro did %+v", done)
		}
		if then := done.Scheduled[1].FollowUp.V; then == nil || then.State != "closed" || !slices.Contains(done.Conversation.Tags, "iade") || in.state(c) != "open" {
			t.Errorf("after the last reply comes %+v; the conversation is %s with %v", then, in.state(c), done.Conversation.Tags)
		}
		var drafts struct{ Drafts []struct{ Body string } }
		if in.Owner.Get(conversations + c).Want(200).Data(&drafts); len(drafts.Drafts) != 1 {
			t.Errorf("what was begun is %+v", drafts.Drafts)
		}
		s.Clock.Advance(4 * time.Second)
		s.Settle()
		if got := in.bodies(c); len(got) != 0 {
			t.Errorf("before their time %q went", got)
		}
		for range 2 {
			s.Clock.Advance(time.Second)
			s.Settle()
		}
		if got := in.bodies(c); !slices.Equal(got, []string{"Hoşça kalın", "Merhaba Elif"}) || in.state(c) != "closed" {
			t.Errorf("in the end %q went, and the conversation is %s", got, in.state(c))
		}

		taken := in.begin("api")
		run(taken, "?delay_s=5").Want(200).Data(&done)
		for _, m := range done.Scheduled {
			in.Owner.Delete(conversations + taken + "/scheduled/" + m.ID.String()).Want(200)
		}
		s.Clock.Advance(time.Minute)
		s.Settle()
		if got := in.bodies(taken); len(got) != 0 || in.state(taken) != "open" {
			t.Errorf("taken back, %q went, and the conversation is %s", got, in.state(taken))
		}

		run(in.begin("api"), "?delay_s=31").Refused(422, "validation_failed")
		at := in.begin("api")
		if run(at, "").Want(200).Data(&done); len(done.Items) != 2 || len(done.Scheduled) != 0 || done.Conversation.State != conversation.Closed {
			t.Errorf("without a delay the macro did %+v", done)
		}
	})
}
