// Package cache keeps in memory what takes long to find, with limits on size and age.
package cache

import (
	"context"
	"iter"
	"time"

	"github.com/maypok86/otter/v2"
)

// Options bound a cache.
type Options[K comparable, V any] struct {
	// Most is the number of values to keep, or their total weight if Weight is set.
	Most   int
	Weight func(key K, value V) uint32
	// For is how long a value is kept; zero means forever.
	For time.Duration
}

// Cache holds values by their keys.
//
// The library is compiled for one pair of types, here: if each Cache used it with its own
// types, every package that sees a struct with a cache would compile all of it again
// (0192).
type Cache[K comparable, V any] struct{ kept kept }

// kept is the part of the library that a cache needs. It is an interface so that packages
// with a Cache in a struct do not see the library's types.
type kept interface {
	GetIfPresent(key any) (any, bool)
	Get(ctx context.Context, key any, find otter.Loader[any, any]) (any, error)
	Set(key, value any) (any, bool)
	Invalidate(key any) (any, bool)
	All() iter.Seq2[any, any]
}

// New creates a cache.
func New[K comparable, V any](o Options[K, V]) Cache[K, V] {
	var weight func(key, value any) uint32
	if o.Weight != nil {
		weight = func(key, value any) uint32 { return o.Weight(key.(K), value.(V)) }
	}
	return Cache[K, V]{keep(o.Most, weight, o.For)}
}

func keep(most int, weight func(key, value any) uint32, d time.Duration) kept {
	o := &otter.Options[any, any]{MaximumSize: most}
	if weight != nil {
		o = &otter.Options[any, any]{MaximumWeight: uint64(most), Weigher: weight}
	}
	if d > 0 {
		o.ExpiryCalculator = otter.ExpiryWriting[any, any](d)
	}
	return otter.Must(o)
}

// Get returns the value of a key, if it is cached.
func (c Cache[K, V]) Get(key K) (value V, ok bool) {
	found, ok := c.kept.GetIfPresent(key)
	if !ok {
		return value, false
	}
	return found.(V), true
}

// Find returns the value of a key. If it is not cached, find is called, once for all who
// ask at the same time.
func (c Cache[K, V]) Find(ctx context.Context, key K, find func(context.Context) (V, error)) (value V, err error) {
	found, err := c.kept.Get(ctx, key, otter.LoaderFunc[any, any](func(ctx context.Context, _ any) (any, error) { return find(ctx) }))
	if err != nil {
		return value, err
	}
	return found.(V), nil
}

// Set caches a value.
func (c Cache[K, V]) Set(key K, value V) { c.kept.Set(key, value) }

// Remove drops a value.
func (c Cache[K, V]) Remove(key K) { c.kept.Invalidate(key) }

// All iterates over the cached values.
func (c Cache[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for key, value := range c.kept.All() {
			if !yield(key.(K), value.(V)) {
				return
			}
		}
	}
}
