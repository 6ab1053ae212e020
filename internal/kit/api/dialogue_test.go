package api_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
)

// A dialogue does not check a missing ticket, counts an invalid one for the address that
// sent it, asks the session guard, and counts each message.
func TestDialogueChecksTicketsAndSession(t *testing.T) {
	t.Parallel()
	counts, asked := &noted{}, []string{}
	h := openWith(t, func(cfg *api.Config) {
		cfg.Limits = counts
		cfg.SessionGuard = func(_ context.Context, _ string, who *caller.Caller) error {
			if who.Licences["elsewhere"] {
				return fault.New(fault.Forbidden, "x")
			}
			return nil
		}
	}, func(a *api.API) {
		api.HandleDialogue(a, route("GET", "/api/test/dialogue", "test-dialogue"), api.Dialogue[struct{}]{
			Protocol: "test.v1", MaxMessage: 100, PerMember: 5,
			Admit: func(_ context.Context, _ *struct{}, ticket string) (api.Admission, error) {
				asked = append(asked, ticket)
				if ticket == "wrong" {
					return api.Admission{}, fault.New(fault.Unauthenticated)
				}
				who := known()["agent"]
				who.Licences = map[string]bool{"mail": true, ticket: true}
				return api.Admission{Caller: &who, Look: func(context.Context) (*caller.Caller, error) { return &who, nil }}, nil
			},
			Run: func(ctx context.Context, _ *struct{}, s *api.DialogueSocket) error {
				for {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-s.Incoming:
					}
					said := "taken"
					if fault.Is(s.Allow(ctx), fault.RateLimited) {
						said = "too many"
					}
					if err := s.Send([]byte(said)); err != nil {
						return err
					}
				}
			},
		})
	})
	dial := func(protocols ...string) (*websocket.Conn, int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		t.Cleanup(cancel)
		conn, resp, err := websocket.Dial(ctx, h.url+"/api/test/dialogue", &websocket.DialOptions{Subprotocols: protocols})
		if err == nil {
			t.Cleanup(func() { _ = conn.CloseNow() })
		}
		if resp == nil {
			t.Fatal(err)
		}
		return conn, resp.StatusCode
	}
	if _, status := dial("test.v1"); status != http.StatusUnauthorized || len(asked) != 0 {
		t.Errorf("without a ticket: %d, asked about %q", status, asked)
	}
	counts.taken = nil
	if _, status := dial("test.v1", "ticket.wrong"); status != http.StatusUnauthorized || !slices.Contains(counts.taken, "refused of address") {
		t.Errorf("a wrong ticket: %d, counted %q", status, counts.taken)
	}
	if _, status := dial("test.v1", "ticket.elsewhere"); status != http.StatusForbidden {
		t.Errorf("whom the session guard refuses: %d", status)
	}
	conn, status := dial("test.v1", "ticket.good")
	if status != http.StatusSwitchingProtocols {
		t.Fatalf("a good ticket: %d", status)
	}
	for _, want := range []string{"taken", "too many"} {
		if want == "too many" {
			counts.mu.Lock()
			counts.refuse = "account"
			counts.mu.Unlock()
		}
		if err := conn.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, conn); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}
