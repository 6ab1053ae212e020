package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
)

// OpenStreams tracks the open streams and sockets of this node: how many each watcher
// holds, and with which credential.
type OpenStreams struct {
	mu   sync.Mutex
	held map[uuid.UUID]int
	open map[*openStream]struct{}
}

// NewOpenStreams returns an empty table.
func NewOpenStreams() *OpenStreams {
	return &OpenStreams{held: map[uuid.UUID]int{}, open: map[*openStream]struct{}{}}
}

const (
	// StreamsPerCredential is the number of streams that one session or API key may hold on
	// a node. A panel needs one for each window in use.
	StreamsPerCredential = 20
	// streamCheck is the interval at which a stream's credential is checked.
	streamCheck = 15 * time.Second
)

// Hold counts a stream for its holder. It returns the function that releases it, or
// fault.TooManyStreams if the holder has reached the limit.
func (o *OpenStreams) Hold(holder uuid.UUID, limit int) (release func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held[holder] >= limit {
		f := fault.New(fault.TooManyStreams, limit)
		f.RetryAfter = int(streamCheck.Seconds())
		return nil, f
	}
	o.held[holder]++
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.held[holder]--; o.held[holder] == 0 {
			delete(o.held, holder)
		}
	}), nil
}

// Recheck checks the credentials of the matching streams immediately. They match by the
// SHA-256 of the credential, or by its owner.
func (o *OpenStreams) Recheck(match func(credential [sha256.Size]byte, who *caller.Caller) bool) {
	o.mu.Lock()
	var found []*openStream
	for s := range o.open {
		if match(s.credential, s.who.Load()) {
			found = append(found, s)
		}
	}
	o.mu.Unlock()
	for _, s := range found {
		s.timer.Reset(0)
	}
}

// openStream is a stream that was opened with a credential.
type openStream struct {
	credential [sha256.Size]byte
	who        atomic.Pointer[caller.Caller]
	timer      *time.Timer
	look       func(context.Context) (*caller.Caller, error)

	mu           sync.Mutex
	begun, known int64 // the last check begun, and the check that who comes from
}

// begin assigns a number to a check of the credential.
func (s *openStream) begin() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	return s.begun
}

// storeCheck stores the result of a check, unless a check that began later has already stored
// its own.
func (s *openStream) storeCheck(look int64, who *caller.Caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if look > s.known {
		s.known = look
		s.who.Store(who)
	}
}

// access is who opens a stream and how their access is checked again.
type access struct {
	who *caller.Caller
	// holder is the one for whom the stream is counted, up to limit.
	holder uuid.UUID
	limit  int
	// credential is the SHA-256 of the credential they sent, or of their session's token.
	credential [sha256.Size]byte
	// look returns their current identity; unauthenticated if they have none any more.
	look func(context.Context) (*caller.Caller, error)
}

type openStreamKey struct{}

var errAccessEnded = errors.New("api: the watcher has lost its permission")

// openStream counts a stream and checks its credential repeatedly until close is called.
// The context that it returns ends when the watcher loses access.
func (a *API) openStream(ctx context.Context) (watched context.Context, closeStream func(), err error) {
	who := caller.From(ctx)
	if who.ID == uuid.Nil {
		return ctx, func() {}, nil // an open route: its handler counts streams
	}
	holder := who.SessionID
	if holder == uuid.Nil {
		holder = who.ID
	}
	token, _ := a.credential(requestOf(ctx).r)
	return a.watch(ctx, access{
		who: who, holder: holder, limit: StreamsPerCredential, credential: sha256.Sum256([]byte(token)),
		look: func(ctx context.Context) (*caller.Caller, error) { return a.cfg.Auth.Recheck(ctx, token) },
	})
}

// watch is openStream for a caller whose access is already known.
func (a *API) watch(ctx context.Context, by access) (watched context.Context, closeStream func(), err error) {
	release, err := a.streams.Hold(by.holder, by.limit)
	if err != nil {
		return nil, nil, err
	}
	s := &openStream{credential: by.credential, look: by.look}
	s.who.Store(by.who)
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, openStreamKey{}, s))
	every := cmp.Or(a.cfg.StreamCheck, streamCheck)
	ready := make(chan struct{})
	s.timer = time.AfterFunc(every, func() {
		<-ready
		if ctx.Err() != nil {
			return
		}
		// The next check is scheduled before this one, so that a Recheck during this one is
		// not lost.
		s.timer.Reset(every)
		if err := a.recheck(ctx, s); err != nil {
			cancel(err)
		}
	})
	close(ready)
	a.streams.mu.Lock()
	a.streams.open[s] = struct{}{}
	a.streams.mu.Unlock()
	return ctx, func() {
		a.streams.mu.Lock()
		delete(a.streams.open, s)
		a.streams.mu.Unlock()
		cancel(nil)
		s.timer.Stop()
		release()
	}, nil
}

// recheck returns errAccessEnded if the credential no longer opens the stream: a stream
// outlives sessions, roles and licences.
func (a *API) recheck(ctx context.Context, s *openStream) error {
	req, begun := requestOf(ctx), s.begin()
	ctx = a.refuseSuspended(ctx)
	who, err := s.look(ctx)
	if err == nil {
		own := *who
		own.IP = req.ip
		who, err = &own, a.permit(ctx, req.rt, &own)
	}
	if f, ok := fault.As(err); ok && f.Code.Status() < 500 {
		return errors.Join(errAccessEnded, err)
	}
	if err == nil {
		s.storeCheck(begun, who)
	}
	return nil // an unreachable database does not mean that a session has ended
}

// Watcher returns the caller who watches a stream, with their current rights.
func Watcher(ctx context.Context) *caller.Caller {
	if s, ok := ctx.Value(openStreamKey{}).(*openStream); ok {
		return s.who.Load()
	}
	return caller.From(ctx)
}

// Count returns how many streams and sockets are open on this node.
func (o *OpenStreams) Count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}
