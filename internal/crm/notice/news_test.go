package notice

import (
	"encoding/json"
	"testing"
)

// What the assistant answers waits for nobody; what it hands over does.
func TestNewsOfTheAssistant(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type": "conversation.replied", "data": {"object": {"ai_state": "active"}, "item": {"author_kind": "contact"}}}`:                                                          "",
		`{"type": "conversation.created", "data": {"object": {"ai_state": "active"}, "item": {"author_kind": "contact"}}}`:                                                          "",
		`{"type": "conversation.replied", "data": {"object": {"ai_state": "handed_over"}, "item": {"author_kind": "contact"}}}`:                                                     kindWaiting,
		`{"type": "conversation.replied", "data": {"object": {"ai_state": "off"}, "item": {"author_kind": "contact"}}}`:                                                             kindWaiting,
		`{"type": "conversation.updated", "data": {"object": {"ai_state": "handed_over"}, "previous": {"ai_state": "active"}}}`:                                                     kindWaiting,
		`{"type": "conversation.updated", "data": {"object": {"ai_state": "handed_over"}, "previous": {"priority": "low"}}}`:                                                        "",
		`{"type": "conversation.updated", "data": {"object": {"ai_state": "off"}, "previous": {"ai_state": "active"}}}`:                                                             "",
		`{"type": "conversation.updated", "data": {"object": {"ai_state": "handed_over", "owner_id": "01a0bb5d-0e33-7000-8000-000000000001"}, "previous": {"ai_state": "active"}}}`: "",
	} {
		var n news
		if err := json.Unmarshal([]byte(body), &n); err != nil {
			t.Fatal(err)
		}
		if of, rest := n.kinds(); len(of) != 0 || rest != want {
			t.Errorf("%s: %v, %q", body, of, rest)
		}
	}
}
