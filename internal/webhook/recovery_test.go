package webhook_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/webhook"
)

// announce creates events without records, many per transaction.
func announce(t *testing.T, s *apptest.Server, w *apptest.Workspace, n int) {
	t.Helper()
	ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: w.ID, Slug: w.Slug})
	err := s.DB.Tenant(w.ID).InTx(ctx, func(tx *db.Tx) error {
		for i := range n {
			if _, err := event.Emit(tx, event.Change{Type: "dlp.exception.created", Object: map[string]string{"id": fmt.Sprint(i)}, Emitted: true}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A long recovery reports its progress, from its start to its end.
func TestRecoveryProgress(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		path := hooks + "/" + e.ID.String()
		w.Owner.Post(path+"/status", map[string]any{"status": "paused"}).Want(200)
		since := s.Clock.Now()
		for range 3 { // more than two batches, spread over three minutes
			s.Clock.Advance(time.Minute)
			announce(t, s, w, 400)
		}
		s.Clock.Advance(time.Minute)
		s.Settle()
		w.Owner.Post(path+"/status", map[string]any{"status": "active"}).Want(200)
		var rec webhook.Recovery
		w.Owner.Post(path+"/recover", map[string]any{"since": since}).Want(http.StatusAccepted).Data(&rec)
		if rec.Status != webhook.RecoveryRunning || rec.Progress != 0 || rec.Examined != 0 || rec.Endpoint != e.ID || !rec.Until.Equal(s.Clock.Now()) {
			t.Fatalf("got %+v", rec)
		}
		progress := func() webhook.Recovery {
			var now webhook.Recovery
			w.Owner.Get(hooks + "/recoveries/" + rec.ID.String()).Want(200).Data(&now)
			return now
		}
		for _, want := range []struct {
			examined int
			progress float64
			status   string
		}{{500, 0.5, webhook.RecoveryRunning}, {1000, 0.75, webhook.RecoveryRunning}, {1200, 1, webhook.RecoveryDone}} {
			if _, err := s.Jobs.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := progress()
			if got.Examined != want.examined || got.Queued != want.examined || got.Status != want.status ||
				got.Progress < want.progress-0.01 || got.Progress > want.progress+0.01 || (got.FinishedAt != nil) != (want.status == webhook.RecoveryDone) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
		s.Settle()
		if n := len(rcv.take()); n != 1200 {
			t.Errorf("%d of 1200 arrived", n)
		}

		// A second one finds nothing missing.
		s.Clock.Advance(time.Second)
		w.Owner.Post(path+"/recover", map[string]any{"since": since}).Want(http.StatusAccepted)
		s.Settle()
		var list []webhook.Recovery
		w.Owner.Get(path + "/recoveries").Want(200).Data(&list)
		if len(list) != 2 || list[1].ID != rec.ID || list[0].Queued != 0 || list[0].Examined != 1200 || list[0].Status != webhook.RecoveryDone {
			t.Errorf("got %+v", list)
		}
		if n := len(rcv.take()); n != 0 {
			t.Errorf("%d arrived again", n)
		}

		// Nobody else and no other module can see it.
		other.Owner.Get(hooks+"/recoveries/"+rec.ID.String()).Refused(404, "not_found")
		other.Owner.Get(path+"/recoveries").Refused(404, "not_found")
		w.Owner.Get(mailHooks+"/recoveries/"+rec.ID.String()).Refused(404, "not_found")
		w.Owner.Delete(path).Want(200)
		w.Owner.Get(hooks+"/recoveries/"+rec.ID.String()).Refused(404, "not_found")
		s.Settle() // what it left goes, too
	})
}
