package tag_test

import (
	"slices"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/perm"
)

const (
	base  = "/api/crm/v1/conversations"
	place = base + "/tags"
)

type object = map[string]any

// Every tag of the workspace is listed once, in its last spelling, and no other
// workspace's.
func TestTags(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		talk := func(w *apptest.Workspace, tags ...string) string {
			t.Helper()
			who := w.Owner.Post("/api/crm/v1/contacts", object{"name": "Elif Kaya"}).Want(201).ID()
			s.Clock.Advance(time.Minute)
			return w.Owner.Post(base, object{"contact_id": who, "tags": tags}).Want(201).ID()
		}
		list := func() (tags []string) {
			t.Helper()
			w.Owner.Get(place).Want(200).Data(&tags)
			return tags
		}
		if got := list(); got == nil || len(got) != 0 {
			t.Errorf("got %v, want an empty list", got)
		}
		talk(w, "kargo", "İade")
		gone := talk(w, "geçici")
		talk(w, "iade", "acil")
		talk(other, "gizli")
		if got, want := list(), []string{"acil", "geçici", "iade", "kargo"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		w.Owner.Delete(base + "/" + gone).Want(200)
		if got, want := list(), []string{"acil", "iade", "kargo"}; !slices.Equal(got, want) {
			t.Errorf("after a deletion: got %q, want %q", got, want)
		}
		if e := w.Guest().Get(place).Refused(403, "forbidden"); e.Permission != string(perm.ConversationsView) {
			t.Errorf("got %+v", e)
		}
	})
}
