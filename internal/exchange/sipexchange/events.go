package sipexchange

import (
	"context"
	"sync"
	"time"

	"konak/internal/exchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const (
	// maxQueuedEvents is the number of events waiting for the disk at which new legs are
	// refused.
	maxQueuedEvents = 10_000
	eventBatch      = 200
	retryEventsIn   = time.Second
)

// eventLog writes events in order. They are queued under the lock of their source, which
// must not wait for the disk.
type eventLog struct {
	store *store // nil before Start
	clock clock.Source
	wake  chan struct{}

	mu     sync.Mutex
	queue  []exchange.Event
	filled chan struct{} // holds one if the queue is not empty
}

func newEventLog(c clock.Source) *eventLog {
	return &eventLog{clock: c, wake: make(chan struct{}, 1), filled: make(chan struct{}, 1)}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// add queues an event with the current time.
func (l *eventLog) add(e exchange.Event) {
	e.At = clock.At(l.clock.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, e)
	signal(l.filled)
}

// isFull reports whether the disk is too far behind.
func (l *eventLog) isFull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) >= maxQueuedEvents
}

// run writes events until the context ends, and then those still queued.
func (l *eventLog) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			_ = l.flush(context.WithoutCancel(ctx))
			return
		case <-l.filled:
		}
		if l.flush(ctx) == nil {
			continue
		}
		// The disk may be full, for example: the events stay in the queue.
		select {
		case <-ctx.Done():
		case <-time.After(retryEventsIn):
			signal(l.filled)
		}
	}
}

// flush writes all queued events in batches, one transaction each.
func (l *eventLog) flush(ctx context.Context) error {
	for {
		l.mu.Lock()
		batch := l.queue[:min(len(l.queue), eventBatch)]
		l.mu.Unlock()
		if len(batch) == 0 {
			return nil
		}
		err := l.store.inTx(ctx, func(tx *db.Tx) error {
			for _, e := range batch {
				if err := addEvent(tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.queue = l.queue[len(batch):]
		if len(l.queue) == 0 {
			l.queue = nil
		}
		l.mu.Unlock()
		signal(l.wake)
	}
}
