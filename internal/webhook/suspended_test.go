package webhook_test

import (
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// The lanes of a suspended workspace are not claimed, trigger no wake-up and are not kept
// by their holder, and what is due in them is not read. After resuming, everything
// continues.
func TestSuspendedLanes(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, newReceiver(t).URL, "dlp.exception.created")
		emitMany(t, s, w, 1)
		dispatch(t, s)
		claim := s.Clock.NewID()
		inTx := func(fn func(tx *db.Tx) error) {
			t.Helper()
			if err := s.DB.System("test").InTx(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		want := func(works bool) {
			t.Helper()
			inTx(func(tx *db.Tx) error {
				kept, err := webhook.ReleaseLane(tx, claim, e.ID)
				if err == nil && kept != works {
					t.Errorf("with something due the lane is kept: %v", kept)
				}
				return err
			})
			inTx(func(tx *db.Tx) error { // a lane that was kept is given back by hand
				return tx.Exec(`UPDATE webhook_lane SET claim_id = NULL, run_at = $2 WHERE id = $1`, e.ID, tx.Now().UnixMicro())
			})
			inTx(func(tx *db.Tx) error {
				n, err := webhook.CountDue(&tx.Reader, w.ID, e.ID, tx.Now())
				if err == nil && (n == 1) != works {
					t.Errorf("%d deliveries are read", n)
				}
				return err
			})
			inTx(func(tx *db.Tx) error {
				forever, err := webhook.WaitsForever(&tx.Reader)
				if err == nil && forever == works {
					t.Errorf("a sender waits forever: %v", forever)
				}
				return err
			})
			inTx(func(tx *db.Tx) error {
				n, err := webhook.ClaimLanes(tx, claim)
				if err == nil && (n == 1) != works {
					t.Errorf("%d lanes are claimed", n)
				}
				return err
			})
		}
		suspend := func(on bool) {
			t.Helper()
			if _, err := s.SetSuspended(t.Context(), w.Slug, on); err != nil {
				t.Fatal(err)
			}
		}
		inTx(func(tx *db.Tx) error {
			n, err := webhook.ClaimLanes(tx, claim)
			if err == nil && n != 1 {
				t.Errorf("%d lanes are claimed at first", n)
			}
			return err
		})
		want(true)
		suspend(true)
		want(false)
		suspend(false)
		want(true)
	})
}

// A stream of deliveries ends at the next check after its workspace was suspended.
func TestStreamOfASuspendedWorkspaceEnds(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.StreamCheck = 10 * time.Millisecond }, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		register(other, newReceiver(t).URL, "dlp.exception.created")
		mine, theirs := listen(t, s, w.Owner, "", ""), listen(t, s, other.Owner, "", "")
		if _, err := s.SetSuspended(t.Context(), w.Slug, true); err != nil {
			t.Fatal(err)
		}
		for mine.lines.Scan() { // to its end
		}
		if err := mine.lines.Err(); err != nil {
			t.Errorf("the stream did not end: %v", err)
		}
		exempt(other, 1)
		s.Settle()
		theirs.next(1)
	})
}
