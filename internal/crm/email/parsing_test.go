package email

import (
	"context"
	"errors"
	"testing"
)

// Mails are read into memory as far as the bound allows: one more waits, one
// larger than the bound takes all of it, and what a mail took it gives back.
func TestMailsAreReadWithinABound(t *testing.T) {
	t.Parallel()
	const bound = 100
	// The service has no file store, so that reading a mail panics.
	s := New(Config{MaxSize: bound})
	read := func(ctx context.Context, size int64) (reached bool, err error) {
		defer func() { reached = recover() != nil }()
		return false, s.digest(ctx, &Incoming{Size: size})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if !s.parsing.TryAcquire(60) {
		t.Fatal("the bound is smaller than the largest mail")
	}
	for _, size := range []int64{41, 100, 5000} {
		if reached, err := read(cancelled, size); reached || !errors.Is(err, context.Canceled) {
			t.Errorf("%d bytes beside 60 were read: %v, %v", size, reached, err)
		}
	}
	if reached, err := read(t.Context(), 40); !reached {
		t.Errorf("40 bytes beside 60 were not read: %v", err)
	}
	s.parsing.Release(60)
	for _, size := range []int64{100, 5000} {
		if reached, err := read(t.Context(), size); !reached {
			t.Errorf("%d bytes alone were not read: %v", size, err)
		}
	}
	if !s.parsing.TryAcquire(bound) {
		t.Error("a mail did not give back what it took")
	}
	if s.parsing.TryAcquire(1) {
		t.Error("the bound is larger than the largest mail")
	}
}
