package api_test

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
)

// scripted is an authenticator whose checks of an open stream are controlled by a test.
type scripted struct {
	changing
	look func(who *caller.Caller)
}

// Recheck implements api.Authenticator.
func (s *scripted) Recheck(ctx context.Context, token string) (*caller.Caller, error) {
	who, err := s.Authenticate(ctx, token)
	s.look(who)
	return who, err
}

// watchWith opens a stream whose credential is checked by auth, with fn as its handler.
func watchWith(t *testing.T, streams *api.OpenStreams, auth *scripted, fn func(ctx context.Context, a *api.API) string) {
	t.Helper()
	h := openWith(t, func(cfg *api.Config) {
		auth.who = known()["agent"]
		auth.who.TenantID = dbtest.Tenant(t, cfg.DB, "acme")
		cfg.Auth, cfg.Streams, cfg.StreamCheck = auth, streams, time.Hour
	}, func(a *api.API) {
		api.HandleEvents(a, route("GET", "/api/test/events", "test-events"),
			func(context.Context, *struct{}) (func(context.Context, *api.Sender) error, error) {
				return func(ctx context.Context, s *api.Sender) error { return s.Comment(fn(ctx, a)) }, nil
			})
	})
	if resp, body := h.do("GET", "/api/test/events", ""); resp.StatusCode != 200 || !strings.Contains(body, ": well\n") {
		t.Errorf("answered %d %q", resp.StatusCode, body)
	}
}

// A slow check of a credential does not restore rights that a later check has found
// revoked.
func TestSlowRecheckDoesNotOverrideLaterOne(t *testing.T) {
	t.Parallel()
	entered, goOn := make(chan struct{}), make(chan struct{})
	var looks atomic.Int64
	auth := &scripted{look: func(who *caller.Caller) {
		if looks.Add(1) == 1 {
			who.Perms = perm.NewSet(perm.DLPView, perm.ConversationsView)
			close(entered)
			<-goOn
		}
	}}
	watchWith(t, api.NewOpenStreams(), auth, func(ctx context.Context, a *api.API) string {
		late := make(chan error, 1)
		go func() { late <- a.LookAgain(ctx) }()
		<-entered
		if err := a.LookAgain(ctx); err != nil {
			return err.Error()
		}
		close(goOn)
		if err := <-late; err != nil {
			return err.Error()
		}
		if api.Watcher(ctx).Can(perm.ConversationsView) {
			return "the watcher sees what was taken away"
		}
		return "well"
	})
}

// A Recheck during a check in progress, which may have read the old state, causes another
// check.
func TestRecheckDuringRecheckIsNotLost(t *testing.T) {
	t.Parallel()
	streams, second := api.NewOpenStreams(), make(chan struct{})
	atOnce := func() { streams.Recheck(func([sha256.Size]byte, *caller.Caller) bool { return true }) }
	var looks atomic.Int64
	auth := &scripted{look: func(*caller.Caller) {
		switch looks.Add(1) {
		case 1:
			atOnce()
		case 2:
			close(second)
		}
	}}
	watchWith(t, streams, auth, func(ctx context.Context, _ *api.API) string {
		atOnce()
		select {
		case <-second:
			return "well"
		case <-ctx.Done():
			return "the stream ended"
		case <-time.After(20 * time.Second):
			return "nobody looked a second time"
		}
	})
}
