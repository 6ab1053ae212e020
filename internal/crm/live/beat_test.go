package live_test

import (
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
)

// A node tells the others of an agent's first and last stream only, so that many streams
// cost no more to open than few.
func TestOnlyFirstAndLastStreamAreAnnounced(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		ctx := s.Workspace("demo").Context()
		hub, beats := bus.NewHub(), 0
		hub.Watch("presence.beat", func(uuid.UUID, bus.Message) { beats++ })
		node := newNode(s, hub, &signals{})
		var left []func()
		for range 20 {
			left = append(left, node.TrackConnection(ctx, caller.From(ctx)))
		}
		if beats != 1 {
			t.Errorf("%d beats for 20 streams", beats)
		}
		for _, leave := range left {
			leave()
		}
		if beats != 2 {
			t.Errorf("%d beats after all streams ended", beats)
		}
	})
}
