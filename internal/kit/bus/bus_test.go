package bus_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/bus"
)

func TestMessagesStayInTheirTenant(t *testing.T) {
	t.Parallel()
	hub, mine, other := bus.NewHub(), uuid.New(), uuid.New()
	a, b, c := hub.Subscribe(mine), hub.Subscribe(mine), hub.Subscribe(other)
	defer c.Close()
	hub.Publish(mine, bus.Message{Sequence: 1, Type: "x"})
	for _, sub := range []*bus.Subscription{a, b} {
		if m := <-sub.C; m.Sequence != 1 || m.Type != "x" {
			t.Errorf("got %+v", m)
		}
		sub.Close()
		sub.Close() // closing twice is harmless
		if _, open := <-sub.C; open {
			t.Error("a closed subscription goes on")
		}
	}
	hub.Publish(mine, bus.Message{Sequence: 2}) // nobody listens any more
	select {
	case m := <-c.C:
		t.Errorf("another tenant received %+v", m)
	default:
	}
}

// A subscriber that does not keep up loses its channel and notices it; publishing never
// waits for it, and the others miss nothing.
func TestSlowSubscriberIsDropped(t *testing.T) {
	t.Parallel()
	hub, tenant := bus.NewHub(), uuid.New()
	slow, quick := hub.Subscribe(tenant), hub.Subscribe(tenant)
	defer quick.Close()
	const many = 1000
	for i := range many {
		hub.Publish(tenant, bus.Message{Sequence: int64(i + 1)})
		if m := <-quick.C; m.Sequence != int64(i+1) {
			t.Fatalf("got %d after %d", m.Sequence, i)
		}
	}
	var last int64
	for m := range slow.C { // ends, because the channel was closed
		if m.Sequence != last+1 {
			t.Fatalf("got %d after %d", m.Sequence, last)
		}
		last = m.Sequence
	}
	if last == 0 || last == many {
		t.Errorf("the slow one received %d of %d", last, many)
	}
	slow.Close()
}

func TestSubscribersComeAndGoWhilePublishing(t *testing.T) {
	t.Parallel()
	hub, tenant := bus.NewHub(), uuid.New()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 500 {
				hub.Publish(tenant, bus.Message{Sequence: int64(i)})
			}
		})
		wg.Go(func() {
			for range 200 {
				hub.Subscribe(tenant).Close()
			}
		})
	}
	wg.Wait()
}

func TestWatchHearsEveryTenant(t *testing.T) {
	t.Parallel()
	hub, a, b := bus.NewHub(), uuid.New(), uuid.New()
	var heard []uuid.UUID
	hub.Watch("x", func(tenant uuid.UUID, m bus.Message) {
		if m.Type != "x" || string(m.Body) != "y" {
			t.Errorf("got %+v", m)
		}
		heard = append(heard, tenant)
	})
	hub.Publish(a, bus.Message{Type: "x", Body: []byte("y")})
	hub.Publish(a, bus.Message{Type: "z"})
	hub.Publish(b, bus.Message{Type: "x", Body: []byte("y")})
	if len(heard) != 2 || heard[0] != a || heard[1] != b {
		t.Errorf("heard of %v", heard)
	}
}
