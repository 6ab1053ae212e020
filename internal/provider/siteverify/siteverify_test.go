package siteverify

import (
	"context"
	"testing"

	"konak/internal/kit/hostile"
	"konak/internal/kit/secret"
)

// Whatever the captcha service does at whatever phase: Verify ends, with its context if the
// service keeps it waiting, and the token is never treated as valid.
func TestHostileService(t *testing.T) {
	t.Parallel()
	for _, phase := range hostile.HTTPPhases() {
		for _, manner := range hostile.Manners() {
			t.Run(phase+"/"+string(manner), func(t *testing.T) {
				t.Parallel()
				peer := hostile.HTTP(t, phase, manner)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if manner.Waits() {
					go func() { <-peer.Reached(); cancel() }()
				}
				if ok, _ := New(Client{Address: "http://" + peer.Address(), Secret: secret.Of("x")}).Verify(ctx, "token", ""); ok {
					t.Error("taken for a yes")
				}
				if peer.Sent() > 16<<20 {
					t.Errorf("the service could send %d bytes", peer.Sent())
				}
			})
		}
	}
}
