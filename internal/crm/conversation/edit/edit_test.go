package edit

import (
	"testing"
	"time"

	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
)

// The policy allows no change of what the customer has or is about to get, of what somebody
// else wrote, or of a conversation that was merged into another.
func TestPolicy(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	item := func(kind, author, delivery string, age time.Duration) conversation.Item {
		i := conversation.Item{Kind: kind, AuthorKind: author, CreatedAt: clock.At(now.Add(-age))}
		if delivery != "" {
			i.Delivery = &delivery
		}
		return i
	}
	const agent = conversation.ByAgent
	for name, c := range map[string]struct {
		item                  conversation.Item
		merged, mine, manages bool
		edit, remove          string // why not
	}{
		"one's own":                      {item(conversation.Message, agent, "", 0), false, true, false, "", ""},
		"one's own that failed":          {item(conversation.Message, agent, conversation.Failed, 0), false, true, false, "", ""},
		"one's own, nearly too old":      {item(conversation.Message, agent, "", editWindow-time.Second), false, true, false, "", ""},
		"one's own, too old":             {item(conversation.Message, agent, "", editWindow), false, true, false, LockedTime, ""},
		"one's own on its way":           {item(conversation.Message, agent, conversation.Queued, 0), false, true, true, LockedSending, LockedSending},
		"one's own that was sent":        {item(conversation.Message, agent, conversation.Sent, 0), false, true, true, LockedSent, ""},
		"somebody else's":                {item(conversation.Message, agent, "", 0), false, false, false, otherAuthor, otherAuthor},
		"somebody else's, by a manager":  {item(conversation.Message, agent, "", 0), false, false, true, "", ""},
		"the customer's":                 {item(conversation.Message, conversation.ByContact, "", 0), false, false, false, LockedCustomer, otherAuthor},
		"the customer's, by a manager":   {item(conversation.Message, conversation.ByContact, "", 0), false, false, true, LockedCustomer, ""},
		"an old note":                    {item(conversation.Note, agent, "", 9*editWindow), false, true, false, "", ""},
		"somebody else's note":           {item(conversation.Note, agent, "", 0), false, false, false, otherAuthor, otherAuthor},
		"an event, by a manager":         {item(conversation.Event, agent, "", 0), false, true, true, LockedEvent, LockedEvent},
		"in a conversation that is gone": {item(conversation.Note, agent, "", 0), true, true, true, LockedForwarded, LockedForwarded},
	} {
		p := policy(&c.item, c.merged, c.mine, c.manages, now)
		for what, got := range map[string]struct {
			may    bool
			reason *string
			want   string
		}{"edit": {p.CanEdit, p.EditReason, c.edit}, "delete": {p.CanDelete, p.DeleteReason, c.remove}} {
			reason := ""
			if got.reason != nil {
				reason = *got.reason
			}
			if reason != got.want || got.may != (got.want == "") {
				t.Errorf("%s: %s is %v because of %q, want %q", name, what, got.may, reason, got.want)
			}
		}
		if (p.EditableUntil != nil) != (p.CanEdit && c.item.Kind != conversation.Note) {
			t.Errorf("%s: can be edited until %v", name, p.EditableUntil)
		}
	}
}
