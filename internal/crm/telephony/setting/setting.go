package setting

import (
	"net/mail"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/hours"
)

// The ways to ring a team.
const (
	RingAll        = "all"
	RingRoundRobin = "round_robin"
)

// What happens to a call outside business hours.
const (
	ClosedVoicemail = "voicemail"
	ClosedHangup    = "hangup"
)

// Which calls are recorded.
const (
	RecordOff      = "off"
	RecordInbound  = "inbound"
	RecordOutbound = "outbound"
	RecordAll      = "all"
)

// What a key of a menu does.
const (
	KeyTeam      = "team"
	KeyGroup     = "group"
	KeyAgent     = "agent"
	KeyNumber    = "number"
	KeyVoicemail = "voicemail"
	KeyMenu      = "menu"
	KeyCallback  = "callback"
)

// Settings are the telephony settings of a workspace.
type Settings struct {
	RingStrategy string                    `json:"ring_strategy" enum:"all,round_robin" example:"all" doc:"all: every phone of the team at once; round_robin: one after the other, starting after the agent who was rung first last time"`
	RingSeconds  int                       `json:"ring_seconds" minimum:"5" maximum:"120" example:"25"`
	Hours        api.Nullable[hours.Hours] `json:"hours" doc:"Business hours; null means always open"`
	ClosedAction string                    `json:"closed_action" enum:"voicemail,hangup" example:"voicemail" doc:"What follows the greeting outside business hours and on holidays"`
	Recording    Recording                 `json:"recording"`
	Voicemail    Voicemail                 `json:"voicemail"`
	Caps         Caps                      `json:"caps"`
	WrapUp       int                       `json:"wrap_up_s" minimum:"0" maximum:"600" example:"0" doc:"How long after a call team calls do not ring the agent's phone"`
	Menus        []Menu                    `json:"menus" maxItems:"20" nullable:"false" doc:"Menus in which callers choose by pressing a key; they hear the first menu first. Empty: the team is rung"`
}

// Stored is the settings and when they were last changed.
type Stored struct {
	Settings
	UpdatedAt *clock.Time `json:"updated_at" nullable:"true" doc:"null if the defaults apply"`
}

// Recording is the settings for recording calls.
type Recording struct {
	Mode          string `json:"mode" enum:"off,inbound,outbound,all" example:"off"`
	Notice        bool   `json:"notice" example:"true" doc:"Whether callers hear the recording_notice greeting before they are recorded, or a built-in sentence if none is set"`
	RetentionDays int    `json:"retention_days" minimum:"1" maximum:"3650" example:"90"`
}

// Voicemail is the settings for calls that nobody takes.
type Voicemail struct {
	Enabled bool   `json:"enabled" example:"true"`
	Max     int    `json:"max_s" minimum:"10" maximum:"600" example:"120"`
	Email   string `json:"email" maxLength:"254" example:"destek@demo.example" doc:"Address notified of a new voicemail message; empty for nobody"`
}

// Caps limit what can be spent. They do not apply to emergency numbers.
type Caps struct {
	Countries  []string `json:"countries" maxItems:"250" nullable:"false" example:"90" doc:"Calling codes of the countries that can be called; empty allows all"`
	Daily      int      `json:"daily" minimum:"0" maximum:"100000" example:"500" doc:"Outside calls per day (UTC); 0 means no cap"`
	Concurrent int      `json:"concurrent" minimum:"1" maximum:"1000" example:"10" doc:"Outside calls at the same time"`
	MaxMinutes int      `json:"max_minutes" minimum:"1" maximum:"720" example:"120" doc:"Maximum length of an outside call"`
}

// allows reports whether a number's country may be called.
func (c Caps) allows(e164 string) bool {
	return len(c.Countries) == 0 || slices.ContainsFunc(c.Countries, func(code string) bool { return strings.HasPrefix(e164, "+"+code) })
}

// Menu is a choice by pressing a key. After three wrong or missing keys the team is
// rung.
type Menu struct {
	Key   string    `json:"key" pattern:"^[a-z0-9_]{1,30}$" example:"main" doc:"Key by which other menus refer to it"`
	Text  string    `json:"text" minLength:"1" maxLength:"500" example:"Satış için 1'e, destek için 2'ye basın."`
	Voice string    `json:"voice" enum:"tr,en" example:"tr"`
	Keys  []MenuKey `json:"keys" minItems:"1" maxItems:"12" nullable:"false"`
}

// MenuKey is what a pressed key does.
type MenuKey struct {
	Digit   string     `json:"digit" pattern:"^[0-9*#]$" example:"1"`
	Action  string     `json:"action" enum:"team,group,agent,number,voicemail,callback,menu" example:"team" doc:"callback: the caller hears that somebody will call back, and the call ends"`
	GroupID *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Group whose phones are rung, for group"`
	AgentID *uuid.UUID `json:"agent_id,omitempty" format:"uuid" doc:"Agent whose phone is rung, for agent"`
	E164    string     `json:"e164,omitempty" maxLength:"30" doc:"Outside number to call, for number; it costs minutes"`
	Menu    string     `json:"menu,omitempty" maxLength:"30" doc:"Key of another menu, for menu"`
}

// Defaults returns the settings of a workspace that has not set any.
func Defaults() Settings {
	return Settings{
		RingStrategy: RingAll, RingSeconds: 25, ClosedAction: ClosedVoicemail,
		Recording: Recording{Mode: RecordOff, Notice: true, RetentionDays: 90},
		Voicemail: Voicemail{Enabled: true, Max: 120},
		Caps:      Caps{Countries: []string{"90"}, Daily: 500, Concurrent: 10, MaxMinutes: 120},
		Menus:     []Menu{},
	}
}

// Records reports whether calls in a direction are recorded.
func (s Settings) Records(direction string) bool {
	return s.Recording.Mode == RecordAll || s.Recording.Mode == direction
}

// Menu returns a menu by its key; nil if it does not exist.
func (s Settings) Menu(key string) *Menu {
	i := slices.IndexFunc(s.Menus, func(m Menu) bool { return m.Key == key })
	if i < 0 {
		return nil
	}
	return &s.Menus[i]
}

// Choose returns what a key does; nil if it does nothing.
func (m *Menu) Choose(digit string) *MenuKey {
	i := slices.IndexFunc(m.Keys, func(k MenuKey) bool { return k.Digit == digit })
	if i < 0 {
		return nil
	}
	return &m.Keys[i]
}

// check refuses invalid settings and normalizes numbers. It does not check that agents and
// groups exist.
func (s *Settings) check() error {
	f := fault.New(fault.ValidationFailed)
	if err := s.Hours.V.Check("hours"); err != nil {
		return err
	}
	if s.Voicemail.Email != "" {
		if _, err := mail.ParseAddress(s.Voicemail.Email); err != nil || strings.ContainsAny(s.Voicemail.Email, "<> ") {
			f.Field("voicemail.email", "invalid_email")
		}
	}
	for _, c := range s.Caps.Countries {
		if len(c) < 1 || len(c) > 4 || c[0] == '0' || strings.Trim(c, "0123456789") != "" {
			f.Field("caps.countries", "invalid_calling_code")
			break
		}
	}
	s.checkMenus(f)
	return f.OrNil()
}

func (s *Settings) checkMenus(f *fault.Fault) {
	keys := map[string]bool{}
	for i := range s.Menus {
		m := &s.Menus[i]
		if keys[m.Key] {
			f.Field("menus.key", "taken")
		}
		keys[m.Key] = true
		digits := map[string]bool{}
		for k := range m.Keys {
			if digits[m.Keys[k].Digit] {
				f.Field("menus.keys.digit", "taken")
			}
			digits[m.Keys[k].Digit] = true
			m.Keys[k].check(f, s)
		}
	}
}

// check refuses a key that lacks the field its action needs, or has others.
func (k *MenuKey) check(f *fault.Fault, s *Settings) {
	given := map[string]bool{"group_id": k.GroupID != nil, "agent_id": k.AgentID != nil, "e164": k.E164 != "", "menu": k.Menu != ""}
	needed := map[string]string{KeyGroup: "group_id", KeyAgent: "agent_id", KeyNumber: "e164", KeyMenu: "menu"}[k.Action]
	for field, is := range given {
		switch {
		case field == needed && !is:
			f.Field("menus.keys."+field, "required")
		case field != needed && is:
			f.Field("menus.keys."+field, "not_allowed")
		}
	}
	if needed == "menu" && k.Menu != "" && s.Menu(k.Menu) == nil {
		f.Field("menus.keys.menu", "unknown")
	}
	if needed == "e164" && k.E164 != "" {
		number, ok := address.ParsePhone(k.E164)
		if !ok {
			f.Field("menus.keys.e164", "invalid_phone")
		}
		if ok && !s.Caps.allows(number) {
			f.Field("menus.keys.e164", "country_not_allowed")
		}
		k.E164 = number
	}
}
