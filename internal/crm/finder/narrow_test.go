package finder_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/finder"
)

// A search can be narrowed by everything that narrows the list.
func TestSearchNarrowed(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		elif := w.Owner.Post(peoplePath, object{"name": "Elif Kaya"}).Want(201).ID()
		team := w.Owner.Post("/api/crm/v1/groups", object{"name": "Kargo ekibi"}).Want(201).ID()
		me := w.Member.String()
		talk := func(subject string, more object) {
			t.Helper()
			body := object{"contact_id": elif, "subject": subject, "body": "koltuk"}
			for name, value := range more {
				body[name] = value
			}
			w.Owner.Post(talksPath, body).Want(201)
			s.Clock.Advance(time.Hour)
		}
		began := s.Clock.Now()
		talk("sahipli", object{"owner_id": me})
		talk("ekipli", object{"group_id": team})
		talk("etiketli", object{"tags": []string{"İade"}})
		talk("acil", object{"priority": "urgent"})
		s.Settle()

		for narrow, subject := range map[string]string{
			"&owner_id=me":      "sahipli",
			"&owner_id=" + me:   "sahipli",
			"&group_id=" + team: "ekipli",
			"&tag=iade":         "etiketli",
			"&priority=urgent":  "acil",
			"&created_to=" + began.Add(time.Hour).UTC().Format(time.RFC3339):        "sahipli",
			"&created_from=" + began.Add(3*time.Hour).UTC().Format(time.RFC3339):    "acil",
			"&owner_id=none&group_id=none&priority=normal&tag=%C4%B0ade&state=open": "etiketli",
		} {
			want(t, narrow, subjects(talks(w.Owner, "koltuk", narrow)), subject)
		}
		others := subjects(talks(w.Owner, "koltuk", "&owner_id=none"))
		slices.Sort(others)
		want(t, "nobody's", others, "acil", "ekipli", "etiketli")
		want(t, "nothing of both", subjects(talks(w.Owner, "koltuk", "&tag=iade&priority=urgent")))

		for narrow, field := range map[string]string{"owner_id=x": "owner_id", "group_id=me": "group_id", "created_from=x": "created_from", "priority=x": "priority"} {
			if e := w.Owner.Get(talksPath+"/search?q=x&"+narrow).Refused(422, "validation_failed"); e.Fields[field] == nil {
				t.Errorf("%s: %+v", narrow, e.Fields)
			}
		}
	})
}

// Pages of a narrowed search contain every conversation once, wherever a page ends.
func TestSearchNarrowedPages(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		who := w.Owner.Post(peoplePath, object{"name": "Elif Kaya"}).Want(201).ID()
		for i := range 12 {
			body := object{"contact_id": who, "subject": fmt.Sprintf("koltuk %d", i), "body": "koltuk"}
			if i%2 == 0 {
				body["priority"] = "high"
			}
			w.Owner.Post(talksPath, body).Want(201)
		}
		s.Settle()
		seen := map[string]bool{}
		path := talksPath + "/search?q=koltuk&priority=high&limit=2"
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			if pages > 4 {
				t.Fatal("the pages do not end")
			}
			page := w.Owner.Get(path + cursor).Want(200)
			if cursor = page.NextCursor(); cursor != "" {
				cursor = "&cursor=" + cursor
			}
			var hits []finder.ConversationHit
			page.Data(&hits)
			for _, h := range hits {
				if seen[h.Conversation.ID.String()] {
					t.Errorf("%s twice", h.Conversation.Subject)
				}
				seen[h.Conversation.ID.String()] = true
			}
		}
		if len(seen) != 6 {
			t.Errorf("%d of 6 found", len(seen))
		}
	})
}
