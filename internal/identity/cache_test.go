package identity

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/cache"
	"konak/internal/kit/caller"
)

// A request that read a session before it was revoked, and caches it afterwards, leaves
// nothing in the cache: the session would pass for another five seconds.
func TestRevokedSessionIsNotRemembered(t *testing.T) {
	t.Parallel()
	s := &Service{
		cfg:   Config{Streams: api.NewOpenStreams()},
		cache: cache.New(cache.Options[[sha256.Size]byte, *proven]{Most: 10}),
	}
	hash, actor := sha256.Sum256([]byte("token")), uuid.New()
	p := &proven{caller: &caller.Caller{ID: actor}, readAt: time.Unix(1, 0)}

	underWay := s.epoch.Load() // the request has read the row
	s.forgetActor(actor)       // and the session is revoked
	s.remember(hash, p, underWay)
	if _, ok := s.cache.Get(hash); ok {
		t.Error("a revoked session is in the cache")
	}
	s.remember(hash, p, s.epoch.Load())
	if _, ok := s.cache.Get(hash); !ok {
		t.Error("a valid session is not in the cache")
	}
	s.forgetActor(actor)
	if _, ok := s.cache.Get(hash); ok {
		t.Error("a session in the cache was not forgotten")
	}
}

// A cached look-up is used only while it is valid: not after it expired, and not if the
// clock was set back since.
func TestCachedCredentialExpires(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_000_000, 0)
	for name, c := range map[string]struct {
		now, expires time.Time
		fresh, valid bool
	}{
		"at once":            {at, time.Time{}, true, true},
		"almost too old":     {at.Add(cacheFor - 1), time.Time{}, true, true},
		"too old":            {at.Add(cacheFor), time.Time{}, false, true},
		"set back":           {at.Add(-time.Hour), time.Time{}, false, true},
		"shortly before":     {at.Add(time.Second - 1), at.Add(time.Second), true, true},
		"expired":            {at.Add(time.Second), at.Add(time.Second), false, false},
		"expired long since": {at.Add(time.Hour), at.Add(time.Second), false, false},
	} {
		p := &proven{readAt: at, expires: c.expires}
		if p.isRecent(c.now, cacheFor) != c.fresh || p.valid(c.now) != c.valid {
			t.Errorf("%s: fresh %v, valid %v", name, p.isRecent(c.now, cacheFor), p.valid(c.now))
		}
	}
}
