package webhook_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// A paused endpoint is sent nothing, so a test of it is refused instead of leaving a
// delivery that waits for ever.
func TestTestOfPausedEndpointIsRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", webhook.PingTest)
		path := hooks + "/" + e.ID.String()
		w.Owner.Post(path+"/status", map[string]any{"status": "paused"}).Want(200)
		w.Owner.Post(path+"/test", nil).Refused(409, "webhook_paused")
		if n := len(deliveries(w, e.ID)); n != 0 {
			t.Errorf("%d deliveries wait", n)
		}
		if got := w.Events(); len(got) != 0 {
			t.Errorf("events %v", got)
		}
	})
}

// setLicences sets a workspace's licences.
func setLicences(t *testing.T, s *apptest.Server, tenant uuid.UUID, list ...string) {
	t.Helper()
	if err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`UPDATE tenant SET licences = $2 WHERE id = $1`, tenant, db.AsJSON(list))
	}); err != nil {
		t.Fatal(err)
	}
}

// An event of a module whose licence has ended is not sent, not even by a recovery; with
// the licence back a recovery sends it.
func TestUnlicensedEventsAreNotSent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created", "contact.created")
		setLicences(t, s, w.ID, "crm", "erp")
		emitMany(t, s, w, 1) // of the mail module
		w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}).Want(201)
		s.Settle()
		got := rcv.take()
		if len(got) != 1 || got[0].header.Get("X-Service-Event") != "contact.created" {
			t.Fatalf("%d came", len(got))
		}
		again := func() int {
			t.Helper()
			s.Clock.Advance(time.Second)
			w.Owner.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": s.Clock.Now().Add(-time.Hour)}).Want(202)
			s.Settle()
			return len(rcv.take())
		}
		if n := again(); n != 0 {
			t.Errorf("a recovery brought %d", n)
		}
		setLicences(t, s, w.ID, "crm", "erp", "mail")
		if n := again(); n != 1 {
			t.Errorf("with the licence a recovery brought %d", n)
		}
	})
}

// counter returns one value of the server's metrics.
func counter(t *testing.T, s *apptest.Server, name, status string) float64 {
	t.Helper()
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			if status == "" {
				return m.GetGauge().GetValue()
			}
			if m.GetLabel()[0].GetValue() == status {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no %s %s", name, status)
	return 0
}

// Every state is counted, and the queue is measured.
func TestDeliveryMetrics(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(500)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		exempt(w, 2)
		s.Settle()
		rcv.answer(200)
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		w.Owner.Post(hooks+"/events/"+deliveries(w, e.ID)[0].ID.String()+"/resend", nil).Want(200)
		for status, want := range map[string]float64{"pending": 3, "failed": 2, "delivered": 2, "exhausted": 0} {
			if got := counter(t, s, "konak_webhook_deliveries_total", status); got != want {
				t.Errorf("%v came to be %s, want %v", got, status, want)
			}
		}
		s.Sender.Measure(t.Context())
		if got := counter(t, s, "konak_webhook_waiting_deliveries", ""); got != 1 {
			t.Errorf("%v wait, want 1", got)
		}
	})
}

// A cleaning round that removed less than a batch requests no other, and one that finds
// nothing writes nothing.
func TestCleaningStopsWhenDone(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		clean := func() int {
			t.Helper()
			n, err := s.Webhook.Clean(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		exempt(w, 1)
		s.Settle()
		wait(s, w, 31*24*time.Hour)
		if n := clean(); n != 0 || len(deliveries(w, e.ID)) != 0 {
			t.Errorf("after one delivery was removed another round is asked for (%d)", n)
		}
		emitMany(t, s, w, 600)
		s.Settle()
		wait(s, w, 31*24*time.Hour)
		if n := clean(); n < 512 {
			t.Errorf("a full batch is %d", n)
		}
		if n := clean(); n != 0 || len(deliveries(w, e.ID)) != 0 {
			t.Errorf("the rest asked for another round (%d)", n)
		}
	})
}
