package notice_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// A conversation that the assistant answers waits for nobody; one that it hands over does.
func TestAssistantNotices(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := openDesk(t, s)
		byContact, wasActive := object{"author_kind": "contact"}, object{"ai_state": "active"}
		names, want := map[string]string{}, map[string]string{}
		d.inTx(func(tx *db.Tx) error {
			for name, n := range map[string]struct {
				event          string
				state          string
				owner          any
				item, previous any
				waits          bool
			}{
				"replied, the assistant answers": {event: "conversation.replied", state: "active", item: byContact},
				"created, the assistant answers": {event: "conversation.created", state: "active", item: byContact},
				"replied after a hand-over":      {event: "conversation.replied", state: "handed_over", item: byContact, waits: true},
				"replied without an assistant":   {event: "conversation.replied", state: "off", item: byContact, waits: true},
				"handed over":                    {event: "conversation.updated", state: "handed_over", previous: wasActive, waits: true},
				"changed after a hand-over":      {event: "conversation.updated", state: "handed_over", previous: object{"priority": "low"}},
				"switched off":                   {event: "conversation.updated", state: "off", previous: wasActive},
				"handed over to an owner":        {event: "conversation.updated", state: "handed_over", owner: d.selinID, previous: wasActive},
			} {
				id := tx.NewID()
				names[id.String()] = name
				if n.waits {
					want[name] = waits
				}
				_, err := event.Emit(tx, event.Change{Type: n.event, Object: object{"id": id, "ai_state": n.state, "owner_id": n.owner}, Item: n.item, Previous: n.previous})
				if err != nil {
					return err
				}
			}
			return nil
		})
		s.Settle()
		list, refused := d.service.Received(d.browser)
		got := map[string]string{}
		for _, text := range list {
			var m struct {
				Title string `json:"title"`
				ID    string `json:"conversation_id"`
			}
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				t.Fatal(err)
			}
			got[names[m.ID]] = m.Title
		}
		if diff := cmp.Diff(want, got); diff != "" || len(list) != len(want) || len(refused) > 0 {
			t.Errorf("%d pushes, refused %v:\n%s", len(list), refused, diff)
		}
	})
}
