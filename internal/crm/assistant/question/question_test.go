package question_test

import (
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/assistant/question"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
)

// A message that arrived while an earlier one was being answered has an earlier time than
// the answer. It must still be answered, on its own; what was answered is not answered
// again.
func TestFind(t *testing.T) {
	t.Parallel()
	message := func(body string) conversation.Item {
		return conversation.Item{ID: uuid.New(), Kind: conversation.Message, AuthorKind: conversation.ByContact, Body: body}
	}
	first, second := message("first"), message("second")
	answer := func(to conversation.Item) conversation.Item {
		return conversation.Item{
			ID: uuid.New(), Kind: conversation.Message, AuthorKind: conversation.ByBot, Body: "answer",
			Detail: map[string]any{reply.DetailInAnswerTo: to.ID.String()},
		}
	}
	agent := conversation.Item{ID: uuid.New(), Kind: conversation.Message, AuthorKind: conversation.ByAgent, Body: "agent"}
	for name, q := range map[string]struct {
		items   []conversation.Item // the newest first
		message conversation.Item
		want    string
	}{
		"both in a row":                  {[]conversation.Item{second, first}, second, "first\nsecond"},
		"not the newest":                 {[]conversation.Item{second, first}, first, ""},
		"after the answer":               {[]conversation.Item{second, answer(first), first}, second, "second"},
		"on its way during the answer":   {[]conversation.Item{answer(first), second, first}, second, "second"},
		"answered":                       {[]conversation.Item{answer(second), second, first}, second, ""},
		"answered with the one after it": {[]conversation.Item{answer(second), second, first}, first, ""},
		"an agent wrote":                 {[]conversation.Item{agent, second, first}, second, ""},
	} {
		if got, mine := question.Find(q.items, q.message.ID); mine != (q.want != "") || mine && got.Text() != q.want {
			t.Errorf("%s: got %t, %q", name, mine, got.Text())
		}
	}
}
