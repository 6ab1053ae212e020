package realtime_test

import (
	"bufio"
	"context"
	"net/http"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// watchChanges opens a stream in changes mode and waits until it is ready.
func (h *harness) watchChanges(token string) *stream {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	h.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/api/v1/stream?mode=changes", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = resp.Body.Close() })
	s := &stream{t: h.t, lines: bufio.NewScanner(resp.Body)}
	s.until(": ready")
	return s
}

// However many streams watch, the data changed by an event is read once for the workspace
// and once per caller.
func TestDigestIsComputedOnceForAllStreams(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		var streams []*stream
		for range 8 {
			streams = append(streams, h.watchChanges("token"), h.watchChanges("another"))
		}
		for round := int64(1); round <= 2; round++ {
			h.emit(h.hub, "dlp.seen")
			for _, s := range streams {
				s.until("event: digest")
			}
			if prepared, made := h.prepared.Load(), h.made.Load(); prepared != round || made != 2*round {
				t.Errorf("after %d events it was prepared %d times and made %d times", round, prepared, made)
			}
		}
	})
}
