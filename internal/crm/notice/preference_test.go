package notice_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/crm/notice"
	"konak/internal/identity"
)

const preferences = "/api/crm/v1/me/notices"

// colleague adds a member and signs them in.
func colleague(t *testing.T, s *apptest.Server, w *apptest.Workspace, name string) *apptest.Client {
	t.Helper()
	email := name + "@" + w.Slug + ".example"
	if err := s.Identity.AddMember(t.Context(), w.ID, name, email, apptest.Password, identity.RoleAgent); err != nil {
		t.Fatal(err)
	}
	return w.SignIn(email)
}

func read(c *apptest.Client) (p notice.Preferences) {
	c.Get(preferences).Want(200).Data(&p)
	return p
}

// By default preferences play a sound for an agent's own conversations and unassigned ones,
// and each agent has their own in each workspace.
func TestPreferences(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		selin := colleague(t, s, w, "selin")
		first := read(w.Owner)
		want := notice.Preferences{
			Sound: true, Events: notice.Events{Waiting: true, Reply: true, Assigned: true, Mention: true},
			QuietHours: notice.QuietHours{From: "20:00", Until: "08:00", TimeZone: "Europe/Istanbul"},
		}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Errorf("who chose nothing has:\n%s", diff)
		}
		chosen := notice.Preferences{
			Desktop: true, Push: true, Events: notice.Events{Others: true},
			QuietHours: notice.QuietHours{Enabled: true, From: "22:30", Until: "07:00", TimeZone: "America/New_York"},
		}
		w.Owner.Put(preferences, first).Want(200)
		var answer notice.Preferences
		w.Owner.Put(preferences, chosen).Want(200).Data(&answer)
		for _, got := range []notice.Preferences{answer, read(w.Owner)} {
			if diff := cmp.Diff(chosen, got); diff != "" {
				t.Errorf("got:\n%s", diff)
			}
		}
		for _, c := range []*apptest.Client{selin, other.Owner} {
			if diff := cmp.Diff(want, read(c)); diff != "" {
				t.Errorf("somebody else has:\n%s", diff)
			}
		}
		var lines []struct {
			Action  string             `json:"action"`
			Details notice.Preferences `json:"details"`
		}
		w.Owner.Get("/api/v1/auth/audit?limit=1").Want(200).Data(&lines)
		if len(lines) != 1 || lines[0].Action != "notice_preferences.changed" || lines[0].Details != chosen {
			t.Errorf("the ledger says %+v", lines)
		}
	})
}

func TestPreferencesRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for name, change := range map[string]func(*notice.Preferences){
			"quiet_hours.time_zone": func(p *notice.Preferences) { p.QuietHours.TimeZone = "Europe/Atlantis" },
			"quiet_hours.from":      func(p *notice.Preferences) { p.QuietHours.From = "24:00" },
			"quiet_hours.until":     func(p *notice.Preferences) { p.QuietHours.Until = "8:00" },
		} {
			p := read(w.Owner)
			change(&p)
			if got := w.Owner.Put(preferences, p).Refused(422, "validation_failed"); got.Fields[name] == nil {
				t.Errorf("%s: the fields are %v", name, got.Fields)
			}
		}
		p := read(w.Owner)
		p.QuietHours.TimeZone = "Local"
		w.Owner.Put(preferences, p).Refused(422, "validation_failed")
		guest := w.Guest()
		guest.Get(preferences).Refused(403, "forbidden")
		guest.Put(preferences, p).Refused(403, "forbidden")
		w.FullKey().Get(preferences).Refused(401, "session_required")
	})
}
