package widget_test

import (
	"bufio"
	"context"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/bus"
)

// A page is refused everything once the workspace is suspended, and its open stream ends:
// with the next heartbeat, or before it sends anything more.
func TestSuspendedWorkspaceEndsStreams(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		heartbeat time.Duration
		end       func(c *chat)
	}{
		"heartbeat": {10 * time.Millisecond, func(*chat) {}},
		"news":      {time.Hour, func(c *chat) { c.s.Widget.Bus.Publish(c.ID, bus.Message{Sequence: 1}) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apptest.Run(t, func(t *testing.T, s *apptest.Server) {
				s.Widget.SetHeartbeat(c.heartbeat)
				in := open(t, s, nil)
				v := in.visitor()
				in.write(v, "Merhaba", "")
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				resp := in.stream(ctx, v)
				defer func() { _ = resp.Body.Close() }()
				lines := bufio.NewScanner(resp.Body)
				if !lines.Scan() || lines.Text() != ": here" {
					t.Fatalf("it begins with %q", lines.Text())
				}
				if _, err := s.SetSuspended(t.Context(), in.Slug, true); err != nil {
					t.Fatal(err)
				}
				c.end(in)
				for lines.Scan() {
					if text := lines.Text(); text != "" && text != ": here" {
						t.Errorf("a suspended workspace says %q", text)
					}
				}
				if err := lines.Err(); err != nil {
					t.Errorf("the stream did not end: %v", err)
				}
				page := s.Client("").Header("Origin", site)
				page.Get(in.path("/config")).Refused(403, "workspace_suspended")
				page.Post(in.path("/session"), map[string]any{"language": "tr"}).Refused(403, "workspace_suspended")
				v.Post(in.path("/messages"), map[string]any{"body": "Orada mısınız?"}).Refused(403, "workspace_suspended")
				v.Get(in.path("/stream")).Refused(403, "workspace_suspended")
			})
		})
	}
}
