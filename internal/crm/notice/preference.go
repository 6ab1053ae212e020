package notice

import (
	"time"

	"konak/internal/kit/fault"
	"konak/internal/kit/hours"
)

// Preferences are how an agent wants to be notified.
type Preferences struct {
	Sound      bool       `json:"sound" example:"true" doc:"Whether the panel plays a sound"`
	Desktop    bool       `json:"desktop" example:"false" doc:"Whether the panel shows a desktop notification, if the browser allows it"`
	Push       bool       `json:"push" example:"false" doc:"Whether subscribed browsers get a push while the agent has no panel open"`
	Events     Events     `json:"events"`
	QuietHours QuietHours `json:"quiet_hours"`
}

// Events are what an agent wants to be notified of.
type Events struct {
	Waiting  bool `json:"waiting" example:"true" doc:"A customer writes in an unassigned conversation"`
	Reply    bool `json:"reply" example:"true" doc:"A customer writes in the agent's conversation"`
	Assigned bool `json:"assigned" example:"true" doc:"Somebody else assigns a conversation to the agent"`
	Mention  bool `json:"mention" example:"true" doc:"A note mentions the agent"`
	Others   bool `json:"others" example:"false" doc:"A customer writes in a colleague's conversation"`
}

// QuietHours are the hours of each day in which an agent wants no notices.
type QuietHours struct {
	Enabled  bool   `json:"enabled" example:"true"`
	From     string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"20:00"`
	Until    string `json:"until" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"08:00" doc:"If earlier than from, on the next day; if the same as from, the whole day"`
	TimeZone string `json:"time_zone" minLength:"1" maxLength:"64" example:"Europe/Istanbul" doc:"IANA time zone name"`
}

// The kinds of notices, in the words of Events.
const (
	kindWaiting  = "waiting"
	kindReply    = "reply"
	kindAssigned = "assigned"
	kindMention  = "mention"
	kindOthers   = "others"
)

// defaults are the preferences of an agent who has set none.
var defaults = Preferences{
	Sound:      true,
	Events:     Events{Waiting: true, Reply: true, Assigned: true, Mention: true},
	QuietHours: QuietHours{From: "20:00", Until: "08:00", TimeZone: "Europe/Istanbul"},
}

// check returns a fault if the preferences are not valid.
func (p Preferences) check() error {
	// "Local" would be the server's zone, which means nothing to the agent.
	if _, err := time.LoadLocation(p.QuietHours.TimeZone); err != nil || p.QuietHours.TimeZone == "Local" {
		return fault.Invalid("quiet_hours.time_zone", "invalid")
	}
	return nil
}

// wants reports whether the agent wants this kind of notice.
func (e Events) wants(kind string) bool {
	return map[string]bool{
		kindWaiting: e.Waiting, kindReply: e.Reply, kindAssigned: e.Assigned, kindMention: e.Mention, kindOthers: e.Others,
	}[kind]
}

// include reports whether a time is in the quiet hours; false if the time zone database no
// longer has their zone.
func (q QuietHours) include(at time.Time) bool {
	return q.Enabled && hours.Daily{From: q.From, Until: q.Until, Timezone: q.TimeZone}.Include(at)
}
