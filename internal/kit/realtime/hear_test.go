package realtime

import (
	"testing"

	"konak/internal/kit/caller"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// A feed carries live data, so a key of the test environment receives none of it.
func TestTestKeysReceiveNoLiveEvents(t *testing.T) {
	t.Parallel()
	s := &Streams{visible: map[string]event.Type{"dlp.seen": {Name: "dlp.seen", Module: "mail", Permission: perm.DLPView}}}
	who := caller.Caller{Perms: perm.NewSet(perm.DLPView), Licences: map[string]bool{"mail": true}}
	if !s.mayHear(&who, "dlp.seen") {
		t.Error("who may see an event does not hear it")
	}
	if who.Test = true; s.mayHear(&who, "dlp.seen") {
		t.Error("a key of the test environment hears a live event")
	}
}
