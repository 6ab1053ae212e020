package blob_test

import (
	"strings"
	"sync"
	"testing"

	"konak/internal/kit/blob"
	"konak/internal/kit/fault"
)

func (r *fixture) within(t *testing.T, pool blob.Pool, text string) error {
	t.Helper()
	_, err := r.PutWithin(t.Context(), r.tenant, pool, strings.NewReader(text), 1<<20)
	return err
}

func (r *fixture) use(t *testing.T) blob.Use {
	t.Helper()
	u, err := r.Use(t.Context(), r.tenant)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func wantFull(t *testing.T, err error, reason string) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Code != fault.StorageFull || f.Reason != reason {
		t.Errorf("got %v, want storage_full because of %s", err, reason)
	}
}

// Each pool has its own limit; accepted files may exceed it, and are counted.
func TestQuota(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		if u := r.use(t); u != (blob.Use{Quota: blob.DefaultQuota, VisitorQuota: blob.DefaultQuota / 10}) {
			t.Errorf("before anything: %+v", u)
		}
		r.Quota = 100
		if err := r.within(t, blob.Visitors, strings.Repeat("v", 8)); err != nil {
			t.Fatal(err)
		}
		wantFull(t, r.within(t, blob.Visitors, "abc"), blob.VisitorsFull)
		if err := r.within(t, blob.Workspace, strings.Repeat("w", 100)); err != nil {
			t.Fatalf("visitors took what is the workspace's: %v", err)
		}
		wantFull(t, r.within(t, blob.Workspace, "x"), blob.WorkspaceFull)
		if err := r.within(t, blob.Visitors, "yz"); err != nil {
			t.Errorf("the workspace took what is the visitors': %v", err)
		}
		r.put(t, strings.Repeat("a", 50)) // accepted before
		want := blob.Use{Bytes: 150, Quota: 100, VisitorBytes: 10, VisitorQuota: 10}
		if u := r.use(t); u != want {
			t.Errorf("got %+v, want %+v", u, want)
		}
		if n := len(r.names()); n != 4 {
			t.Errorf("%d files are stored", n)
		}
		own := int64(1000)
		if err := r.SetQuota(t.Context(), r.tenant, &own); err != nil {
			t.Fatal(err)
		}
		if err := r.within(t, blob.Workspace, "x"); err != nil {
			t.Error(err)
		}
		if u := r.use(t); !u.OwnQuota || u.Quota != 1000 || u.VisitorQuota != 100 {
			t.Errorf("got %+v", u)
		}
		if err := r.SetQuota(t.Context(), r.tenant, nil); err != nil {
			t.Fatal(err)
		}
		wantFull(t, r.within(t, blob.Workspace, "z"), blob.WorkspaceFull)
	})
}

// The counters match what is stored: including unheld blobs, equal bytes once, and nothing
// that was swept.
func TestUsageMatchesStoredBlobs(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		held := r.put(t, "twelve bytes")
		r.put(t, "twelve bytes")
		if err := r.within(t, blob.Visitors, "seven b"); err != nil {
			t.Fatal(err)
		}
		r.hold(t, held.ID)
		if u := r.use(t); u.Bytes != 12 || u.VisitorBytes != 7 {
			t.Errorf("got %+v", u)
		}
		r.clock.Advance(2 * day)
		r.sweep(t)
		if u := r.use(t); u.Bytes != 12 || u.VisitorBytes != 0 {
			t.Errorf("after the sweep: %+v", u)
		}
		r.drop(t, held.ID)
		r.clock.Advance(2 * day)
		r.sweep(t)
		if u := r.use(t); u.Bytes != 0 || u.VisitorBytes != 0 {
			t.Errorf("after all went: %+v", u)
		}
	})
}

// Concurrent puts cannot exceed the quota together.
func TestConcurrentPutsCannotExceedQuota(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		r.Quota = 50
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				text := strings.Repeat(string(rune('a'+i)), 10)
				_, err := r.PutWithin(t.Context(), r.tenant, blob.Workspace, strings.NewReader(text), 100)
				if err != nil && !fault.Is(err, fault.StorageFull) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if u, n := r.use(t), len(r.names()); u.Bytes != 50 || n != 5 {
			t.Errorf("%+v, %d files", u, n)
		}
	})
}
