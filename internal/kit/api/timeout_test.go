package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := withTimeout(t.Context(), time.Now().Add(time.Minute))
		defer ctx.release()
		if at, ok := ctx.Deadline(); !ok || !at.Equal(time.Now().Add(time.Minute)) {
			t.Errorf("deadline %v, %v", at, ok)
		}
		begin := time.Now()
		<-ctx.Done()
		if took := time.Since(begin); took != time.Minute || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("ended after %v with %v", took, ctx.Err())
		}
	})
}

// A query that begins after the deadline must not run, even if nobody waited for the
// deadline before.
func TestTimeoutAfterDeadlineWithoutTimer(t *testing.T) {
	t.Parallel()
	ctx := withTimeout(t.Context(), time.Now().Add(-time.Second))
	defer ctx.release()
	select {
	case <-ctx.Done():
	default:
		t.Error("the deadline passed and the context goes on")
	}
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestTimeoutEndsWithItsParentAndItsRequest(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(t.Context())
	ctx := withTimeout(parent, time.Now().Add(time.Hour))
	child, stop := context.WithCancel(ctx)
	defer stop()
	cancel()
	<-child.Done()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	early := withTimeout(t.Context(), time.Now().Add(time.Hour))
	early.release()
	<-early.Done()
	if err := early.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after the request: %v", err)
	}
}

func TestTimeoutKeepsAnEarlierDeadline(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	want, _ := parent.Deadline()
	ctx := withTimeout(parent, time.Now().Add(time.Hour))
	defer ctx.release()
	if got, _ := ctx.Deadline(); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
