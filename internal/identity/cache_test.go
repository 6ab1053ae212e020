package identity

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
)

// A request that read a session before it was revoked, and remembers it after,
// leaves nothing in the cache: the session would pass for another five seconds.
func TestRevokedSessionIsNotRemembered(t *testing.T) {
	t.Parallel()
	s := &Service{
		cfg:   Config{Streams: api.NewOpenStreams()},
		cache: otter.Must(&otter.Options[[sha256.Size]byte, *proven]{MaximumSize: 10}),
	}
	hash, actor := sha256.Sum256([]byte("token")), uuid.New()
	p := &proven{caller: &caller.Caller{ID: actor}, readAt: time.Unix(1, 0)}

	underWay := s.epoch.Load() // the request has read the row
	s.forgetActor(actor)       // and the session is revoked
	s.remember(hash, p, underWay)
	if _, ok := s.cache.GetIfPresent(hash); ok {
		t.Error("a revoked session is in the cache")
	}
	s.remember(hash, p, s.epoch.Load())
	if _, ok := s.cache.GetIfPresent(hash); !ok {
		t.Error("a valid session is not in the cache")
	}
	s.forgetActor(actor)
	if _, ok := s.cache.GetIfPresent(hash); ok {
		t.Error("a session in the cache was not forgotten")
	}
}
