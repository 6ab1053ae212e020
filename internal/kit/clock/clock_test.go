package clock_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

var start = time.Date(2026, 11, 15, 9, 0, 0, 123_456_789, time.FixedZone("TRT", 3*3600))

func TestSourcesGiveUTCAndOrderedIDs(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]clock.Source{"system": clock.System{}, "fake": clock.NewFake(start)} {
		if now := s.Now(); now.Location() != time.UTC || now.Nanosecond()%1000 != 0 {
			t.Errorf("%s: now is %v, not UTC in microseconds", name, now)
		}
		last := uuid.Nil
		for range 1000 {
			id := s.NewID()
			if id.Version() != 7 || id.Variant() != uuid.RFC4122 || bytes.Compare(last[:], id[:]) >= 0 {
				t.Fatalf("%s: %v after %v", name, id, last)
			}
			last = id
		}
		if id := s.NewCapability(); id.Version() != 4 || id.Variant() != uuid.RFC4122 || id == s.NewCapability() {
			t.Errorf("%s: capability %v", name, id)
		}
	}
}

func TestFake(t *testing.T) {
	t.Parallel()
	a, b := clock.NewFake(start), clock.NewFake(start)
	if a.NewID() != b.NewID() {
		t.Error("ids differ from run to run")
	}
	a.Advance(time.Hour)
	if got := a.Now().Sub(b.Now()); got != time.Hour {
		t.Errorf("advanced by %v", got)
	}
	later := a.NewID()
	if sec, nsec := later.Time().UnixTime(); time.Unix(sec, nsec).UnixMilli() != a.Now().UnixMilli() {
		t.Errorf("the id %v does not carry the clock's time", later)
	}
	a.Set(start)
	if !a.Now().Equal(b.Now()) {
		t.Errorf("set to %v", a.Now())
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	at := clock.At(start)
	b, err := json.Marshal(at)
	if want := `"2026-11-15T06:00:00.123456Z"`; err != nil || string(b) != want {
		t.Errorf("got %s, %v, want %s", b, err, want)
	}
	// Whole seconds keep their six digits, so that texts sort as times do.
	if b, _ := json.Marshal(clock.At(start.Truncate(time.Second))); string(b) != `"2026-11-15T06:00:00.000000Z"` {
		t.Errorf("got %s", b)
	}
	var back clock.Time
	if err := json.Unmarshal([]byte(`"2026-11-15T09:00:00.1234567+03:00"`), &back); err != nil || !back.Equal(at.Time) {
		t.Errorf("got %v, %v", back, err)
	}
	v, err := at.Value()
	if err != nil || v != start.UnixMicro() {
		t.Errorf("got %v, %v", v, err)
	}
	if err := back.Scan(v); err != nil || back != at {
		t.Errorf("got %v, %v", back, err)
	}
	if back.Scan("2026-11-15") == nil || json.Unmarshal([]byte(`"yesterday"`), &back) == nil {
		t.Error("what is no time was read as one")
	}
	if p := clock.Ptr(start); *p != at {
		t.Errorf("got %v", p)
	}
}
