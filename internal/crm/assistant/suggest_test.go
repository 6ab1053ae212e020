package assistant_test

import (
	"strings"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/assistant"
)

// If one of several messages has an answer, that one is suggested.
func TestSuggestsAnswerToOneOfSeveralMessages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.writes("ann", "How do I return an item?")
		id := sh.writes("ann", "Do you have parking?").Conversation.ID
		sh.settle()
		list, a := sh.answers(id), sh.state(id)
		if len(list) != 1 || !strings.Contains(list[0].Body, "this may help:\nHow do I return an item?\nhttp") || *a.HandoverReason != assistant.NoAnswer {
			t.Errorf("got %+v, %+v", list, a)
		}
	})
}

// If a rule blocks the suggestion, the words of the hand-over are sent without it.
func TestBlockedSuggestionIsLeftOut(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.Owner.Put("/api/mail/v1/settings/dlp", map[string]any{"messaging": true}).Want(200)
		sh.Owner.Post("/api/mail/v1/dlp/rules", map[string]any{"name": "links", "pattern_type": "regex", "pattern": "https?://", "action": "block", "enabled": true}).Want(201)
		id := sh.writes("ann", "Can I pause the tracking of a parcel?").Conversation.ID
		sh.settle()
		list, a := sh.answers(id), sh.state(id)
		if len(list) != 1 || !strings.Contains(list[0].Body, "handing you over") || strings.Contains(list[0].Body, "http") || *a.HandoverReason != assistant.NoAnswer {
			t.Errorf("got %+v, %+v", list, a)
		}
	})
}

// A message whose words do not show its language has that of the customer's earlier
// messages, else that of the texts with its words, else the contact's.
func TestLanguageOfShortMessages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		sh.writes("ann", "How do I return an item?")
		sh.settle()
		id := sh.writes("ann", "Vouchers?").Conversation.ID
		sh.settle()
		if list := sh.answers(id); len(list) != 2 || !strings.Contains(list[0].Body, "handing you over") {
			t.Errorf("after an English question: %+v", list)
		}
		for text, want := range map[string]string{"parcel insurance": "handing you over", "xyzzy": "Sizi bir temsilciye"} {
			id := sh.writes(text, text).Conversation.ID
			sh.settle()
			if list := sh.answers(id); len(list) != 1 || !strings.Contains(list[0].Body, want) {
				t.Errorf("%s: %+v", text, list)
			}
		}
		first := sh.writes("bob", "xyzzy").Conversation
		sh.Owner.Put("/api/crm/v1/contacts/"+first.ContactID.String(), map[string]any{"language": "en-GB"}).Want(200)
		sh.settle()
		if list := sh.answers(first.ID); len(list) != 1 || !strings.Contains(list[0].Body, "handing you over") {
			t.Errorf("for somebody who reads English: %+v", list)
		}
	})
}
