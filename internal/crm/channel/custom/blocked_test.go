package custom_test

import (
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/custom"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
)

// Whatever way in they use, messages of a blocked customer are stored but do not count as
// contact with them: neither the first message nor the next one.
func TestMessagesOfBlockedCustomerDoNotCountAsContact(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		const contacts = "/api/crm/v1/contacts"
		var c contact.Contact
		read := func() {
			t.Helper()
			sh.Owner.Get(contacts + "/" + c.ID.String()).Want(200).Data(&c)
		}
		sh.Owner.Post(contacts, map[string]any{"name": "Elif", "emails": []string{"elif@kaya.example"}}).Want(201).Data(&c)
		sh.Owner.Post(contacts+"/"+c.ID.String()+"/block", nil).Want(200)
		from := map[string]any{"email": "elif@kaya.example"}
		message := func() (out custom.Received) {
			t.Helper()
			sh.key.Post(sh.path("/messages"), map[string]any{"contact": from, "body": "Beni duyun"}).Want(200).Data(&out)
			return out
		}
		quiet := func(way string, state conversation.State) {
			t.Helper()
			if read(); c.LastSeenAt != nil || c.LastRepliedAt != nil || state != conversation.Closed {
				t.Errorf("%s: %s, seen %v, replied %v", way, state, c.LastSeenAt, c.LastRepliedAt)
			}
		}
		first := message()
		quiet("the first message", first.Conversation.State)
		quiet("the next message", message().Conversation.State)
		var form custom.Submitted
		sh.key.Post(sh.path("/submissions"), map[string]any{"form": "teklif", "contact": from, "message": "Fiyat?"}).Want(200).Data(&form)
		var request conversation.Conversation
		sh.Owner.Get(conversations + "/" + form.ConversationID.String()).Want(200).Data(&request)
		quiet("a form", request.State)

		// Once unblocked they are heard.
		sh.Owner.Post(contacts+"/"+c.ID.String()+"/unblock", nil).Want(200)
		if got := message(); got.Conversation.ID != first.Conversation.ID {
			t.Error("a second conversation")
		}
		if read(); c.LastSeenAt == nil || c.LastRepliedAt == nil {
			t.Errorf("after the unblocking: seen %v, replied %v", c.LastSeenAt, c.LastRepliedAt)
		}
	})
}
