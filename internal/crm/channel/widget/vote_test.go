package widget_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/reply"
)

// A visitor votes whether an answer of the bot helped, once for each, and may change the
// vote. Answers to other visitors are not found, and people's answers cannot be voted on.
func TestVote(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.LimitFactor = 1 }, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v, other := c.visitor(), c.visitor()
		path := func(id uuid.UUID) string { return c.path("/messages/" + id.String() + "/vote") }
		up, down := map[string]any{"rating": "up"}, map[string]any{"rating": "down"}
		v.Post(path(uuid.New()), up).Refused(404, "not_found") // nothing was written yet

		written := c.write(v, "Nasıl iade ederim?", "a")
		conv := *written.Session.ConversationID
		c.write(other, "Selam", "a")
		out, err := s.Replies.Reply(c.Context(), conv, reply.Answer{Author: conversation.Author{Kind: conversation.ByBot}, Body: "14 gün içinde."})
		if err != nil {
			t.Fatal(err)
		}
		answer := out.Item
		vote := func() *string {
			t.Helper()
			return c.messages(v)[0].Vote
		}
		if got := vote(); got != nil {
			t.Errorf("got %q", *got)
		}
		var voted widget.Voted
		v.Post(path(answer.ID), up).Want(200).Data(&voted)
		if got := vote(); voted.ID != answer.ID || voted.Vote != "up" || got == nil || *got != "up" {
			t.Errorf("got %+v, %v", voted, got)
		}
		v.Post(path(answer.ID), down).Want(200)
		if got := vote(); got == nil || *got != "down" {
			t.Errorf("got %v", got)
		}
		itemPath := conversations + "/" + conv.String() + "/items/" + answer.ID.String() + "/ai-feedback"
		c.Owner.Post(itemPath, map[string]any{"rating": "up"}).Want(200)
		var all []airecord.Feedback
		c.Owner.Get(itemPath).Want(200).Data(&all)
		if len(all) != 2 || all[0].AuthorKind+all[1].AuthorKind != "agentcontact" && all[0].AuthorKind+all[1].AuthorKind != "contactagent" {
			t.Fatalf("got %+v", all)
		}
		for _, f := range all {
			if want := map[string]string{"agent": "up", "contact": "down"}[f.AuthorKind]; f.Rating != want || f.AuthorKind == "contact" && f.AuthorID != out.Conversation.ContactID {
				t.Errorf("got %+v", f)
			}
		}

		// Another visitor's answer is not found; a person's reply, a note and the visitor's
		// own message are refused.
		other.Post(path(answer.ID), up).Refused(404, "not_found")
		var person, note conversation.Written
		c.Owner.Post(conversations+"/"+conv.String()+"/reply-as-agent", map[string]any{"body": "Buyurun"}).Want(200).Data(&person)
		c.Owner.Post(conversations+"/"+conv.String()+"/reply-as-agent", map[string]any{"body": "Gizli", "message_type": "note"}).Want(200).Data(&note)
		hello, err := s.Replies.Reply(c.Context(), conv, reply.Answer{
			Author: conversation.Author{Kind: conversation.ByBot}, Body: "Merhaba!", InAnswerTo: &written.Message.ID, SmallTalk: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.messages(v) {
			if m.CanVote != (m.ID == answer.ID) {
				t.Errorf("can vote on it: %+v", m)
			}
		}
		for _, id := range []uuid.UUID{person.Item.ID, written.Message.ID, hello.Item.ID} {
			if e := v.Post(path(id), up).Refused(409, "conflict"); e.Reason != "not_an_ai_answer" {
				t.Errorf("got %+v", e)
			}
		}
		v.Post(path(note.Item.ID), up).Refused(404, "not_found")
		v.Post(path(uuid.New()), up).Refused(404, "not_found")
		v.Post(path(answer.ID), map[string]any{"rating": "sideways"}).Refused(422, "validation_failed")
		v.Post(path(answer.ID), map[string]any{}).Refused(422, "validation_failed")
		s.Client("").Header("Origin", site).Post(path(answer.ID), up).Refused(401, "unauthenticated")
		s.Client(v.Token()).Header("Origin", "https://evil.example").Post(path(answer.ID), up).Refused(403, "cross_origin")

		// A vote of the conversation's previous contact is replaced.
		var contact struct{ ID uuid.UUID }
		c.Owner.Post("/api/crm/v1/contacts", map[string]any{"first_name": "Elif"}).Want(201).Data(&contact)
		c.Owner.Put(conversations+"/"+conv.String(), map[string]any{"contact_id": contact.ID}).Want(200)
		v.Post(path(answer.ID), up).Want(200)
		c.Owner.Get(itemPath).Want(200).Data(&all)
		if len(all) != 2 {
			t.Errorf("two votes of the customer: %+v", all)
		}

		s.Clock.Advance(time.Minute)
		for range 30 {
			v.Post(path(answer.ID), up).Want(200)
		}
		v.Post(path(answer.ID), up).Refused(429, "rate_limited")
	})
}
