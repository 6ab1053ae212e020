package custom_test

import (
	"slices"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/custom"
)

// A conversation that is closed while a reply is under way is closed again when the reply
// leaves. Its customer is asked for a rating once.
func TestSurveyIsSentOnceIfClosedBeforeReply(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		sh := open(t, s)
		one := conversations + "/" + sh.wrote("Merhaba", "").Conversation.ID.String()
		sh.csat(true)
		sh.Owner.Post(one+"/scheduled", map[string]any{"body": "Kargonuz yolda", "delay_s": 5}).Want(201)
		s.Clock.Advance(time.Second)
		sh.Owner.Post(one+"/close", nil).Want(200)
		for range 20 {
			s.Clock.Advance(time.Second)
			s.Settle()
		}
		var got []string
		for _, told := range sh.soft.take() {
			got = append(got, told.event)
		}
		if want := []string{custom.MessageSent, custom.RatingAsked}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
