package widget_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// A visitor's return is recorded at most once an hour, and a visitor is not deleted while
// they keep returning.
func TestReturningVisitors(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v := c.visitor()
		comeBack := func() {
			t.Helper()
			var known widget.Session
			v.Post(c.path("/session"), map[string]any{"language": "tr"}).Want(200).Data(&known)
			if known.Token != nil {
				t.Error("a visitor who came back was forgotten")
			}
		}
		began := s.Clock.Now()
		for _, step := range []struct{ passed, seen time.Duration }{
			{59 * time.Minute, 0},
			{time.Minute, time.Hour},
			{time.Hour - time.Second, time.Hour},
			{time.Second, 2 * time.Hour},
		} {
			s.Clock.Advance(step.passed)
			comeBack()
			seen, err := db.Read(t.Context(), s.DB.System("test"), func(r *db.Reader) (clock.Time, error) {
				return db.One(r, db.Scalar[clock.Time], `SELECT max(seen_at) FROM widget_visitor`)
			})
			if err != nil || !seen.Equal(began.Add(step.seen)) {
				t.Errorf("after %s the visitor was last seen at %s: %v", s.Clock.Now().Sub(began), seen.Sub(began), err)
			}
		}
		for range 3 {
			s.Clock.Advance(20 * 24 * time.Hour)
			comeBack()
			if n, err := s.Widget.CleanVisitors(t.Context()); err != nil || n != 0 {
				t.Errorf("%d visitors were forgotten: %v", n, err)
			}
		}
	})
}
