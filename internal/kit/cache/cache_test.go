package cache_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"konak/internal/kit/cache"
)

// A value that is set is there until it is removed.
func TestSetAndRemove(t *testing.T) {
	t.Parallel()
	c := cache.New(cache.Options[string, int]{Most: 10})
	c.Set("a", 1)
	c.Set("b", 2)
	if v, ok := c.Get("a"); v != 1 || !ok {
		t.Errorf("a is %d, %v", v, ok)
	}
	c.Remove("a")
	if v, ok := c.Get("a"); v != 0 || ok {
		t.Errorf("removed, a is %d, %v", v, ok)
	}
	if all := maps.Collect(c.All()); len(all) != 1 || all["b"] != 2 {
		t.Errorf("kept are %v", all)
	}
}

// A value that is not cached is found; an error is not cached.
func TestFind(t *testing.T) {
	t.Parallel()
	c := cache.New(cache.Options[string, *int]{Most: 10})
	failed, one, calls := errors.New("failed"), 1, 0
	for _, want := range []error{failed, nil, nil} {
		got, err := c.Find(t.Context(), "a", func(context.Context) (*int, error) {
			calls++
			return &one, want
		})
		if !errors.Is(err, want) || err == nil && got != &one {
			t.Errorf("found %v, %v, want %v", got, err, want)
		}
	}
	if calls != 2 {
		t.Errorf("looked for it %d times", calls)
	}
}

// The cached values weigh no more than the bound.
func TestWeight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(cache.Options[int, string]{Most: 100, Weight: func(_ int, s string) uint32 { return uint32(len(s)) }})
		for i := range 10 {
			c.Set(i, strings.Repeat("x", 30))
		}
		synctest.Wait() // the library evicts in the background
		if n := len(maps.Collect(c.All())); n == 0 || n > 3 {
			t.Errorf("%d values of 30 are kept under a bound of 100", n)
		}
	})
}
