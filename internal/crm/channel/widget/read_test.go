package widget_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
)

// Agents see when a visitor read a reply, and no visitor can report it for another.
func TestVisitorReadReceipts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v, other := c.visitor(), c.visitor()
		id := c.write(v, "Merhaba", "a").Session.ConversationID.String()
		c.write(other, "Selam", "a")
		answer := func(body string) uuid.UUID {
			t.Helper()
			s.Clock.Advance(time.Second)
			var out conversation.Written
			c.Owner.Post(conversations+"/"+id+"/reply-as-agent", map[string]any{"body": body}).Want(200).Data(&out)
			return out.Item.ID
		}
		first, second := answer("Buyurun"), answer("Orada mısınız?")
		read := func(v *apptest.Client, message uuid.UUID) *apptest.Response {
			t.Helper()
			return v.Post(c.path("/read"), map[string]any{"message_id": message})
		}
		readAt := func(message uuid.UUID) string {
			t.Helper()
			var items []conversation.Item
			c.Owner.Get(conversations + "/" + id + "/items").Want(200).Data(&items)
			for _, i := range items {
				if i.ID == message && i.ReadAt != nil {
					return i.ReadAt.Format(time.RFC3339)
				}
			}
			return ""
		}
		read(other, second).Refused(404, "not_found")
		read(s.Client("").Header("Origin", site), second).Refused(401, "unauthenticated")
		read(v, uuid.New()).Refused(404, "not_found")
		v.Post(c.path("/read"), map[string]any{"message_id": "x"}).Refused(404, "not_found")
		if readAt(first) != "" || readAt(second) != "" {
			t.Error("an answer was read by nobody")
		}

		s.Clock.Advance(time.Minute)
		then := s.Clock.Now().Format(time.RFC3339)
		read(v, first).Want(200)
		if readAt(first) != then || readAt(second) != "" {
			t.Errorf("read at %q and %q, want %q and nothing", readAt(first), readAt(second), then)
		}
		s.Clock.Advance(time.Minute)
		read(v, second).Want(200)
		if readAt(first) != then || readAt(second) == "" {
			t.Errorf("read at %q and %q, want %q and later", readAt(first), readAt(second), then)
		}
	})
}
