package assistant_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/kit/perm"
)

// The software of a custom channel submits its customer's vote on an answer.
func TestVoteOverCustomChannel(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		path := func(account, conv, item uuid.UUID) string {
			return "/api/crm/public/v1/channels/custom/" + account.String() + "/conversations/" + conv.String() + "/messages/" + item.String() + "/vote"
		}
		up := map[string]any{"rating": "up", "comment": " Aradığım buydu. "}
		conv := sh.writes("elif", answerable).Conversation
		other := sh.writes("can", answerable).Conversation
		sh.settle()
		answer, question := sh.answers(conv.ID)[0], sh.items(conv.ID)[1]

		var f airecord.Feedback
		sh.key.Post(path(sh.account, conv.ID, answer.ID), map[string]any{"rating": "down"}).Want(200)
		sh.key.Post(path(sh.account, conv.ID, answer.ID), up).Want(200).Data(&f)
		if f.Rating != "up" || f.Comment != "Aradığım buydu." || f.AuthorKind != "contact" || f.AuthorID != conv.ContactID {
			t.Errorf("got %+v", f)
		}
		if a := sh.state(conv.ID); len(a.Feedback) != 1 || a.Feedback[0].Rating != "up" {
			t.Errorf("got %+v", a.Feedback)
		}
		if e := sh.key.Post(path(sh.account, conv.ID, question.ID), up).Refused(409, "conflict"); e.Reason != "not_an_ai_answer" {
			t.Errorf("got %+v", e)
		}
		var second custom.Opened
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "İkinci", "address": "https://example.com/in"}).Want(201).Data(&second)
		for name, p := range map[string]string{
			"another customer's": path(sh.account, other.ID, answer.ID), "another channel's": path(second.ID, conv.ID, answer.ID),
			"no conversation": path(sh.account, uuid.New(), answer.ID), "no message": path(sh.account, conv.ID, uuid.New()),
		} {
			if got := sh.key.Post(p, up); got.Status != 404 {
				t.Errorf("%s: %d", name, got.Status)
			}
		}
		sh.key.Post(path(sh.account, conv.ID, answer.ID), map[string]any{"rating": "5"}).Refused(422, "validation_failed")
		sh.Key(false, perm.ContactsView).Post(path(sh.account, conv.ID, answer.ID), up).Refused(403, "forbidden")
		sh.Key(true, perm.ChannelsManage).Post(path(sh.account, conv.ID, answer.ID), up).Refused(404, "not_found")
		s.Client("").Post(path(sh.account, conv.ID, answer.ID), up).Want(401)
		sh.Owner.Do("PATCH", channels+"/"+sh.account.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.key.Post(path(sh.account, conv.ID, answer.ID), up).Refused(409, "channel_unavailable")
	})
}

// A customer's thumb on an answer is their vote, on every channel with reactions. Greetings
// and the words of a hand-over are not answers.
func TestThumbReactionIsVote(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		conv := sh.writes("elif", answerable).Conversation
		hello := sh.writes("can", "Merhaba").Conversation
		unknown := sh.writes("ece", "Uzay gemisi satıyor musunuz?").Conversation
		sh.settle()
		answer := sh.answers(conv.ID)[0]
		provider := func(item conversation.Item) string {
			t.Helper()
			id := "m-" + item.ID.String()
			if err := s.Inbound.RecordOutcome(sh.Context(), item.ID, conversation.Delivery{Status: conversation.Sent, ProviderMessageID: id}); err != nil {
				t.Fatal(err)
			}
			return id
		}
		react := func(id, sign string) {
			t.Helper()
			if err := s.Inbound.CustomerReacted(sh.Context(), sh.account, id, sign); err != nil {
				t.Fatal(err)
			}
		}
		votes := func(c uuid.UUID) (out string) {
			t.Helper()
			for _, f := range sh.state(c).Feedback {
				out += f.AuthorKind + ":" + f.Rating + " "
			}
			return out
		}
		id := provider(answer)
		for _, c := range []struct{ sign, want string }{
			{"👍", "contact:up "}, {"👎🏽", "contact:down "}, {"🎉", ""}, {"👍🏿", "contact:up "}, {"", ""},
		} {
			if react(id, c.sign); votes(conv.ID) != c.want {
				t.Errorf("%q: %q, want %q", c.sign, votes(conv.ID), c.want)
			}
		}
		sh.Owner.Post(conversations+"/"+conv.ID.String()+"/items/"+answer.ID.String()+"/ai-feedback", map[string]any{"rating": "down"}).Want(200)
		react(id, "👍")
		if got := votes(conv.ID); !strings.Contains(got, "contact:up") || !strings.Contains(got, "agent:down") {
			t.Errorf("beside an agent's: %q", got)
		}
		for _, c := range []uuid.UUID{hello.ID, unknown.ID} {
			item := sh.answers(c)[0]
			if item.Detail["small_talk"] != true {
				t.Errorf("no small talk: %+v", item)
			}
			if react(provider(item), "👍"); votes(c) != "" {
				t.Errorf("a vote on small talk: %q", votes(c))
			}
			for who, e := range map[string]*apptest.Error{
				"an agent": sh.Owner.Post(conversations+"/"+c.String()+"/items/"+item.ID.String()+"/ai-feedback", map[string]any{"rating": "up"}).Refused(409, "conflict"),
				"a customer": sh.key.Post("/api/crm/public/v1/channels/custom/"+sh.account.String()+"/conversations/"+c.String()+"/messages/"+item.ID.String()+"/vote",
					map[string]any{"rating": "up"}).Refused(409, "conflict"),
			} {
				if e.Reason != "not_an_ai_answer" {
					t.Errorf("%s: got %+v", who, e)
				}
			}
		}
		if answer.Detail["small_talk"] != nil {
			t.Errorf("an answer is small talk: %+v", answer)
		}
	})
}
