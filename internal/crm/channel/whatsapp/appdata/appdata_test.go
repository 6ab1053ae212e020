package appdata

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// From one call of the provider only a limited number of messages is taken, the newest of a
// thread.
func TestPartsOfHistory(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	thread := func(customer string, n int) Thread {
		out := Thread{Customer: customer}
		for i := range n { // the newest first, as the provider has them
			out.Messages = append(out.Messages, Message{At: now.Add(-time.Duration(i) * time.Minute)})
		}
		return out
	}
	parts, more := PartsOfHistory([]Thread{thread("1", 150), thread("2", mostTaken-150)}, now)
	if more || len(parts) != 2+(mostTaken-150+partSize-1)/partSize || len(parts[0].Messages) != partSize || len(parts[1].Messages) != 50 {
		t.Errorf("%d parts, more %v", len(parts), more)
	}
	parts, more = PartsOfHistory([]Thread{thread("1", 100), thread("2", mostTaken), thread("3", 1)}, now)
	taken := 0
	for _, p := range parts {
		taken += len(p.Messages)
	}
	last := parts[len(parts)-1]
	if !more || taken != mostTaken || last.Customer != "2" || !last.Messages[len(last.Messages)-1].At.Equal(now) {
		t.Errorf("%d messages were taken, more %v", taken, more)
	}
}

// From one call of the provider only a limited number of contacts is taken, the first ones.
func TestPartsOfPhonebook(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]struct {
		taken, parts int
		more         bool
	}{
		0: {}, 1: {1, 1, false}, partSize + 1: {partSize + 1, 2, false},
		mostTaken: {mostTaken, mostTaken / partSize, false}, mostTaken + 1: {mostTaken, mostTaken / partSize, true},
	} {
		list := make([]Contact, n)
		for i := range list {
			list[i].Customer = strconv.Itoa(i)
		}
		parts, more := PartsOfContacts(list)
		taken := slices.Concat(parts...)
		if len(parts) != want.parts || more != want.more || !slices.Equal(taken, list[:want.taken]) {
			t.Errorf("of %d: %d in %d parts, more %v", n, len(taken), len(parts), more)
		}
	}
}
