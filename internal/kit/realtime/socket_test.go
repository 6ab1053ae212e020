package realtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// socket is an open WebSocket of a panel.
type socket struct {
	t    fataler
	conn *websocket.Conn
}

// fataler is a test, or one of the many runs of a property.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type said struct {
	Type     string `json:"type"`
	Sequence int64  `json:"sequence"`
	Data     json.RawMessage
}

// dial opens a socket and waits until it is ready.
func (h *harness) dial(t fataler, query string) *socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, h.url+"/api/v1/socket"+query, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer token"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	s := &socket{t, conn}
	if m := s.next(); m.Type != "ready" {
		t.Fatalf("began with %+v", m)
	}
	h.t.Cleanup(func() { _ = conn.CloseNow() })
	return s
}

func (s *socket) next() said {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, b, err := s.conn.Read(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	var m said
	if err := json.Unmarshal(b, &m); err != nil {
		s.t.Fatalf("%v in %s", err, b)
	}
	return m
}

func TestSocketCarriesTheSameMessages(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		h.emit(nowhere{}, "dlp.seen", "crm.hidden", "dlp.seen")
		s := h.dial(t, "?after=1")
		h.emit(h.hub, "erp.unlicensed", "dlp.seen")
		for _, want := range []int64{3, 5} {
			if m := s.next(); m.Sequence != want || m.Type != "dlp.seen" {
				t.Errorf("got %+v, want %d", m, want)
			}
		}
	})
}

// Signals reach only those who may receive them and do not change any stream's position.
func TestSignals(t *testing.T) {
	t.Parallel()
	h := open(t, dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)))
	s := h.dial(t, "")
	for _, name := range []string{"signal.hidden", "unknown", "signal.seen"} {
		h.hub.Publish(h.tenant, bus.Message{Type: name, Body: []byte(`{"type":"` + name + `","data":null}`)})
	}
	h.emit(h.hub, "dlp.seen")
	if m := s.next(); m.Type != "signal.seen" || m.Sequence != 0 {
		t.Errorf("got %+v", m)
	}
	if m := s.next(); m.Type != "dlp.seen" || m.Sequence != 1 {
		t.Errorf("got %+v", m)
	}
}

// A signal for one caller reaches only their streams, on other nodes too, and one whose
// recipient cannot be read reaches nobody.
func TestSignalTo(t *testing.T) {
	t.Parallel()
	h := open(t, dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start)))
	s, again := h.dial(t, ""), h.dial(t, "")
	another := uuid.Max
	another[0]--
	h.hub.Publish(h.tenant, bus.Message{Type: "signal.seen", Body: []byte("{")})
	h.streams.SignalTo(h.tenant, another, "signal.seen", "theirs")
	h.streams.SignalTo(h.tenant, uuid.Max, "signal.seen", "mine")
	for _, s := range []*socket{s, again} {
		if m := s.next(); m.Type != "signal.seen" || string(m.Data) != `"mine"` {
			t.Errorf("got %+v", m)
		}
	}
}

type change struct {
	Type     string `json:"type"`
	ObjectID string `json:"object_id"`
}

// A burst is summarised: each record once, with the last sequence, and the digest at most
// once a second.
func TestChangesAreSummarised(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		s := h.dial(t, "?mode=changes")
		const burst = 400
		types := make([]string, burst)
		for i := range types {
			types[i] = "dlp.seen"
		}
		types[7] = "crm.hidden"
		h.emit(h.hub, types...)
		messages, digests := 0, 0
		for last := int64(0); last < burst; {
			m := s.next()
			if m.Type == "digest" {
				digests++
				continue
			}
			messages++
			var got []change
			if err := json.Unmarshal(m.Data, &got); err != nil || m.Type != "changes" {
				t.Fatalf("%s: %v", m.Type, err)
			}
			if diff := cmp.Diff([]change{{"dlp.seen", "x"}}, got); diff != "" {
				t.Error(diff)
			}
			last = m.Sequence
		}
		if messages > burst/10 || digests > messages+1 {
			t.Errorf("%d messages and %d digests for one burst", messages, digests)
		}
		// The end of the burst is in a digest too.
		for digests == 0 {
			if s.next().Type == "digest" {
				digests++
			}
		}
	})
}

// A stream cannot be resumed from events that are no longer stored, and the receiver is
// notified.
func TestResetWhereHistoryIsGone(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		h.emit(nowhere{}, "dlp.seen", "dlp.seen", "dlp.seen", "dlp.seen")
		err := d.Tenant(h.tenant).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`DELETE FROM outbox WHERE tenant_id = $1 AND sequence < 4`, tx.Tenant())
		})
		if err != nil {
			t.Fatal(err)
		}
		s := h.dial(t, "?after=1")
		if m := s.next(); m.Type != "reset" || m.Sequence != 3 {
			t.Errorf("got %+v", m)
		}
		if m := s.next(); m.Sequence != 4 {
			t.Errorf("got %+v", m)
		}
	})
}

// A stream that is cut at any moment and resumed misses nothing and repeats nothing,
// whatever the bus loses meanwhile and however slowly it is read.
func TestStreamCutAtRandom(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := open(t, d)
		h.emit(h.hub, "dlp.seen")
		emitted, place := int64(1), int64(1)
		visible := map[int64]bool{}
		rapid.Check(t, func(rt *rapid.T) {
			var s *socket
			defer func() {
				if s != nil {
					_ = s.conn.CloseNow()
				}
			}()
			read := func() {
				if s == nil {
					s = h.dial(rt, fmt.Sprintf("?after=%d", place))
				}
				want := place + 1
				for !visible[want] {
					want++
				}
				if m := s.next(); m.Sequence != want {
					rt.Fatalf("after %d came %+v, want %d", place, m, want)
				}
				place = want
			}
			unread := func() (n int) {
				for seq := place + 1; seq <= emitted; seq++ {
					if visible[seq] {
						n++
					}
				}
				return n
			}
			for _, act := range rapid.SliceOfN(rapid.IntRange(0, 9), 1, 8).Draw(rt, "acts") {
				switch {
				case act < 4: // events, some of them on a bus that loses them
					on := []bus.Bus{h.hub, nowhere{}}[rapid.IntRange(0, 1).Draw(rt, "bus")]
					types := rapid.SliceOfN(rapid.SampledFrom([]string{"dlp.seen", "dlp.seen", "crm.hidden"}), 1, 30).Draw(rt, "types")
					h.emit(on, types...)
					for _, name := range types {
						emitted++
						visible[emitted] = name == "dlp.seen"
					}
				case act < 8:
					// One more event on the bus reveals what was lost.
					h.emit(h.hub, "dlp.seen")
					emitted++
					visible[emitted] = true
					for range rapid.IntRange(1, unread()).Draw(rt, "reads") {
						read()
					}
				case s != nil: // cut, in the middle of what it was sending
					_ = s.conn.CloseNow()
					s = nil
				}
			}
		})
	})
}
