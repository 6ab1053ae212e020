package realtime

import (
	"testing"

	"konak/internal/kit/bus"
	"konak/internal/kit/event"
)

// What nodes tell each other over the bus, which no stream carries, wakes none.
func TestFeedWakesNobodyForWhatNoStreamCarries(t *testing.T) {
	t.Parallel()
	s := &Streams{visible: map[string]event.Type{"signal.seen": {Name: "signal.seen"}}}
	f := &feed{carries: s.carries, changed: make(chan struct{})}
	woken := func(m bus.Message) bool {
		n := f.since(0, 0)
		f.take(m)
		select {
		case <-n.changed:
			return true
		default:
			return false
		}
	}
	if woken(bus.Message{Type: "node.beat"}) {
		t.Error("a beat of a node wakes the streams")
	}
	if _, heard := f.end(); heard != 0 {
		t.Error("a beat of a node is kept")
	}
	if !woken(bus.Message{Type: "signal.seen"}) || !woken(bus.Message{Type: "anything", Sequence: 1}) {
		t.Error("a signal or an event wakes nobody")
	}
}
