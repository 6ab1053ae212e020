package contact_test

import (
	"testing"

	"konak/internal/app/apptest"
)

// Text that PostgreSQL cannot store is refused before it gets there.
func TestUnstorableTextIsRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		const path = "/api/crm/v1/contacts"
		if got := w.Owner.Post(path, `{"name":"Elif \u0000Kaya"}`).Refused(422, "validation_failed"); got.Fields["name"][0] != "invalid_character" {
			t.Errorf("got %+v", got)
		}
		if got := w.Owner.Get(path+"?q=%00").Refused(422, "validation_failed"); got.Fields["q"][0] != "invalid_character" {
			t.Errorf("got %+v", got)
		}
		w.Owner.Get(path+"?q=%ff").Refused(422, "validation_failed")
		for _, file := range []string{"name\nElif \x00Kaya\n", "name\nI\xfe\xfdk\n"} {
			got := w.Owner.Header("Content-Type", "text/csv").Post(path+"/imports?filename=a.csv", file).Refused(422, "validation_failed")
			if got.Fields["file"][0] != "invalid_character" {
				t.Errorf("got %+v", got)
			}
		}
	})
}
