package widget_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
)

// Visitors who never wrote are deleted a month after they were last seen; those who wrote
// are not, and a browser with a deleted visitor's token starts again.
func TestIdleVisitorsAreDeleted(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		clean := func() int {
			t.Helper()
			n, err := s.Widget.CleanVisitors(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		idle, wrote := c.visitor(), c.visitor()
		c.write(wrote, "Merhaba", "m1")
		s.Clock.Advance(29 * 24 * time.Hour)
		if n := clean(); n != 0 {
			t.Errorf("%d forgotten before their time", n)
		}
		late := c.visitor()
		s.Clock.Advance(2 * 24 * time.Hour)
		if n := clean(); n != 1 {
			t.Errorf("%d forgotten, want the one who never wrote", n)
		}
		c.write(wrote, "Orada mısınız?", "m2")
		c.write(late, "Merhaba", "m1")
		idle.Post(c.path("/messages"), map[string]any{"body": "Merhaba", "message_id": "m1"}).Refused(401, "unauthenticated")
		var again widget.Session
		idle.Post(c.path("/session"), map[string]any{"language": "tr"}).Want(200).Data(&again)
		if again.Token == nil {
			t.Error("no new token")
		}
	})
}
