package webhook_test

import (
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook/hour"
)

// Every attempt is counted in its hour, however many there are; a day later another hour
// has the slot.
func TestHours(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		s.Clock.Set(s.Clock.Now().Truncate(time.Hour).Add(time.Hour))
		w, rcv := s.Workspace("demo"), newReceiver(t)
		e, other := register(w, rcv.URL, "ping.test"), register(w, rcv.URL, "ping.test")
		one, key := hooks+"/"+e.ID.String(), w.FullKey() // sessions end before the day does
		hours := func() (list []hour.Requests) {
			t.Helper()
			key.Get(one + "/hours").Want(200).Data(&list)
			if len(list) != 24 || list[23].At.Sub(list[0].At.Time) != 23*time.Hour || s.Clock.Now().Sub(list[23].At.Time) >= time.Hour {
				t.Fatalf("the hours are %+v", list)
			}
			return list
		}
		ping := func(times int) {
			t.Helper()
			for range times {
				key.Post(one+"/test", nil).Want(200)
			}
			s.Settle()
		}
		want := func(at, delivered, failed int) {
			t.Helper()
			if h := hours()[at]; h.Delivered != delivered || h.Failed != failed {
				t.Errorf("hour %d has %d and %d, want %d and %d", at, h.Delivered, h.Failed, delivered, failed)
			}
		}
		want(23, 0, 0)
		ping(3)
		ping(2)
		rcv.answer(500)
		ping(1)
		want(23, 5, 1)
		rcv.answer(200)
		s.Clock.Advance(time.Hour) // the failed one is tried again
		s.Settle()
		want(22, 5, 1)
		want(23, 1, 0)
		var list []hour.Requests
		key.Get(hooks + "/" + other.ID.String() + "/hours").Want(200).Data(&list)
		for _, h := range list {
			if h.Delivered+h.Failed > 0 {
				t.Errorf("another endpoint has %+v", h)
			}
		}

		// The same hour of the next day has the same slot.
		s.Clock.Advance(24 * time.Hour)
		for at := range 24 {
			want(at, 0, 0)
		}
		ping(1)
		want(23, 1, 0)

		key.Delete(one).Want(200)
		key.Get(one+"/hours").Refused(404, "not_found")
		s.Settle()
		n, err := db.Read(t.Context(), s.DB.Tenant(w.ID), func(r *db.Reader) (int, error) {
			return db.One(r, db.Scalar[int], `SELECT count(*) FROM webhook_hour WHERE tenant_id = $1`, r.Tenant())
		})
		if err != nil || n != 0 {
			t.Errorf("%d hours of a deleted webhook are left, %v", n, err)
		}
	})
}
