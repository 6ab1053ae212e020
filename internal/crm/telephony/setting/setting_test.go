package setting_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/setting"
)

const path = "/api/crm/v1/telephony/settings"

// body returns the default settings as a request body, with changes.
func body(t *testing.T, change func(map[string]any)) map[string]any {
	t.Helper()
	b, err := json.Marshal(setting.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	change(out)
	return out
}

func menu(key string, keys ...map[string]any) map[string]any {
	return map[string]any{"key": key, "text": "1'e basın", "voice": "tr", "keys": keys}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		group := w.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Satış"}).Want(201).ID()
		var got setting.Stored
		w.Owner.Get(path).Want(200).Data(&got)
		if got.RingSeconds != 25 || got.UpdatedAt != nil || got.Hours.V != nil || len(got.Menus) != 0 {
			t.Errorf("the defaults are %+v", got)
		}
		wanted := body(t, func(m map[string]any) {
			m["ring_strategy"], m["wrap_up_s"] = "round_robin", 30
			m["hours"] = map[string]any{
				"timezone": "Europe/Istanbul", "spans": []any{map[string]any{"day": 1, "from": "09:00", "to": "18:00"}},
				"holidays": []any{map[string]any{"date": "2026-10-29", "name": "Cumhuriyet Bayramı"}},
			}
			m["menus"] = []any{
				menu("main", map[string]any{"digit": "1", "action": "agent", "agent_id": w.Member}, map[string]any{"digit": "2", "action": "menu", "menu": "more"}),
				menu("more", map[string]any{"digit": "1", "action": "group", "group_id": group}, map[string]any{"digit": "0", "action": "number", "e164": "0532 123 45 67"},
					map[string]any{"digit": "9", "action": "voicemail"}),
			}
		})
		w.Owner.Put(path, wanted).Want(200).Data(&got)
		w.Owner.Get(path).Want(200).Data(&got)
		if got.RingStrategy != "round_robin" || got.UpdatedAt == nil || got.Hours.V == nil || len(got.Hours.V.Holidays) != 1 || len(got.Menus) != 2 ||
			got.Menus[1].Keys[1].E164 != "+905321234567" || *got.Menus[0].Keys[0].AgentID != w.Member {
			t.Errorf("stored %+v", got)
		}
		other.Owner.Get(path).Want(200).Data(&got)
		if got.UpdatedAt != nil {
			t.Error("another workspace sees the settings")
		}
		// Agents and groups of another workspace do not exist here.
		other.Owner.Put(path, wanted).Refused(422, "validation_failed")
		if audit := string(w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body); strings.Count(audit, "phone_settings.changed") != 1 {
			t.Errorf("the audit log is %s", audit)
		}
	})
}

func TestSettingsRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		nobody := uuid.NewString()
		for field, change := range map[string]func(map[string]any){
			"ring_seconds":     func(m map[string]any) { m["ring_seconds"] = 4 },
			"ring_strategy":    func(m map[string]any) { m["ring_strategy"] = "random" },
			"hours.timezone":   func(m map[string]any) { m["hours"] = map[string]any{"timezone": "Mars/Olympus", "spans": []any{}} },
			"voicemail.email":  func(m map[string]any) { m["voicemail"].(map[string]any)["email"] = "not an address" },
			"caps.countries":   func(m map[string]any) { m["caps"].(map[string]any)["countries"] = []string{"TR"} },
			"menus.key":        func(m map[string]any) { m["menus"] = []any{menu("a", key("1", "team")), menu("a", key("1", "team"))} },
			"menus.keys.digit": func(m map[string]any) { m["menus"] = []any{menu("a", key("1", "team"), key("1", "voicemail"))} },
			"menus.keys.menu":  func(m map[string]any) { m["menus"] = []any{menu("a", key("1", "menu", "menu", "b"))} },
			"menus.keys.e164":  func(m map[string]any) { m["menus"] = []any{menu("a", key("1", "number", "e164", "12"))} },
			"hours":            func(m map[string]any) { delete(m, "hours") }, // if it could be left out, that would erase it
			"menus.keys.agent_id": func(m map[string]any) {
				m["menus"] = []any{menu("a", key("1", "agent", "agent_id", nobody))}
			},
			"menus.keys.group_id": func(m map[string]any) {
				m["menus"] = []any{menu("a", key("1", "group", "group_id", nobody))}
			},
		} {
			if got := w.Owner.Put(path, body(t, change)).Refused(422, "validation_failed"); len(got.Fields[field]) == 0 {
				t.Errorf("%s: %v", field, got.Fields)
			}
		}
		// A key has the field that its action needs, and no other.
		for _, wrong := range []map[string]any{key("1", "agent"), key("1", "team", "e164", "+905321234567")} {
			w.Owner.Put(path, body(t, func(m map[string]any) { m["menus"] = []any{menu("a", wrong)} })).Refused(422, "validation_failed")
		}
		// A key for a number in a country that may not be called could never work.
		abroad := func(m map[string]any) { m["menus"] = []any{menu("a", key("1", "number", "e164", "+442071838750"))} }
		if got := w.Owner.Put(path, body(t, abroad)).Refused(422, "validation_failed"); !slices.Equal(got.Fields["menus.keys.e164"], []string{"country_not_allowed"}) {
			t.Errorf("abroad: %v", got.Fields)
		}
		w.Owner.Put(path, body(t, func(m map[string]any) {
			abroad(m)
			m["caps"].(map[string]any)["countries"] = []string{"90", "44"}
		})).Want(200)
		w.Guest().Put(path, body(t, func(map[string]any) {})).Refused(403, "forbidden")
	})
}

func key(digit, action string, more ...any) map[string]any {
	out := map[string]any{"digit": digit, "action": action}
	for i := 0; i+1 < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}
