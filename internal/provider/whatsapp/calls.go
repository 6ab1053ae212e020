package whatsapp

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"konak/internal/crm/channel"
	whatsapp "konak/internal/crm/channel/whatsapp"
	"konak/internal/kit/clock"
	"konak/internal/provider/graph"
)

// CallSettings is the calls of a number on the wire.
type CallSettings struct {
	Status   string     `json:"status,omitempty"`
	Icon     string     `json:"call_icon_visibility,omitempty"`
	Callback string     `json:"callback_permission_status,omitempty"`
	Hours    *CallHours `json:"call_hours,omitempty"`
	SIP      *SIP       `json:"sip,omitempty"`
}

// CallHours are when customers may call.
type CallHours struct {
	Status   string    `json:"status"`
	Timezone string    `json:"timezone_id,omitempty"`
	Weekly   []CallDay `json:"weekly_operating_hours,omitempty"`
}

// CallDay is a part of a weekday; its times are HHMM.
type CallDay struct {
	Day   string `json:"day_of_week"`
	Open  string `json:"open_time"`
	Close string `json:"close_time"`
}

// SIP is the exchange that calls are led to.
type SIP struct {
	Status  string      `json:"status"`
	Servers []SIPServer `json:"servers,omitempty"`
}

// SIPServer is a server of an exchange.
type SIPServer struct {
	Hostname string `json:"hostname"`
}

// NumberSettings are the settings of a number that we know.
type NumberSettings struct {
	Calling *CallSettings `json:"calling,omitempty"`
}

// CallPermissions is whether a customer may be called, on the wire.
type CallPermissions struct {
	Permission struct {
		Status     string `json:"status"` // no_permission, temporary, permanent
		Expiration int64  `json:"expiration_time,omitempty"`
	} `json:"permission"`
	Actions []CallAction `json:"actions"`
}

// CallAction is what may be done now.
type CallAction struct {
	Name   string      `json:"action_name"`
	Can    bool        `json:"can_perform_action"`
	Limits []CallLimit `json:"limits,omitempty"`
}

// CallLimit is how often in a time.
type CallLimit struct {
	Period     string `json:"time_period"`
	Max        int    `json:"max_allowed"`
	Usage      int    `json:"current_usage"`
	Expiration int64  `json:"limit_expiration_time,omitempty"`
}

// AskForCalls is the action that asks a customer for permission.
const AskForCalls = "send_call_permission_request"

const (
	enabled  = "ENABLED"
	disabled = "DISABLED"
)

var days = []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}

// CallSettings implements channel.Provider.
func (c *Client) CallSettings(ctx context.Context, a whatsapp.Access) (channel.ProviderCalls, error) {
	var in NumberSettings
	out := channel.ProviderCalls{Status: channel.CallsOff, Icon: channel.IconShown}
	if err := c.graph.Do(ctx, graph.Call{Method: http.MethodGet, Path: "/" + url.PathEscape(a.NumberID) + "/settings", Token: a.Token}, &in); err != nil {
		return out, err
	}
	if in.Calling == nil {
		return out, nil
	}
	if in.Calling.Status == enabled {
		out.Status = channel.CallsOn
	}
	if in.Calling.Icon == "DISABLE_ALL" {
		out.Icon = channel.IconHidden
	}
	out.Callback = in.Calling.Callback == enabled
	if h := in.Calling.Hours; h != nil && h.Status == enabled {
		out.Hours.V = readHours(h)
	}
	return out, nil
}

func readHours(h *CallHours) *channel.Hours {
	out := &channel.Hours{Timezone: h.Timezone, Spans: []channel.Span{}}
	clockTime := func(s string) string {
		if len(s) != 4 {
			return s
		}
		return s[:2] + ":" + s[2:]
	}
	for _, d := range h.Weekly {
		for i, name := range days {
			if name == d.Day {
				out.Spans = append(out.Spans, channel.Span{Day: i + 1, From: clockTime(d.Open), To: clockTime(d.Close)})
			}
		}
	}
	return out
}

// SetCallSettings implements channel.Provider.
func (c *Client) SetCallSettings(ctx context.Context, a whatsapp.Access, ch channel.CallChange) error {
	set := CallSettings{Status: disabled}
	if ch.Enabled {
		set.Status = enabled
	}
	if ch.Icon != nil {
		set.Icon = map[string]string{channel.IconShown: "DEFAULT", channel.IconHidden: "DISABLE_ALL"}[*ch.Icon]
	}
	if ch.Callback != nil {
		set.Callback = disabled
		if *ch.Callback {
			set.Callback = enabled
		}
	}
	if ch.Hours != nil {
		set.Hours = &CallHours{Status: enabled, Timezone: ch.Hours.Timezone}
		for _, s := range ch.Hours.Spans {
			set.Hours.Weekly = append(set.Hours.Weekly, CallDay{Day: days[s.Day-1], Open: strings.Replace(s.From, ":", "", 1), Close: strings.Replace(s.To, ":", "", 1)})
		}
	}
	if ch.Server != "" {
		set.SIP = &SIP{Status: enabled, Servers: []SIPServer{{Hostname: ch.Server}}}
	}
	var out Success
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/settings", NumberSettings{Calling: &set}, &out)
}

// CallPermission implements channel.Provider.
func (c *Client) CallPermission(ctx context.Context, a whatsapp.Access, customer string) (channel.CallPermission, error) {
	var in CallPermissions
	out := channel.CallPermission{Permission: channel.CallNone}
	query := url.Values{"user_wa_id": {customer}}
	if err := c.graph.Do(ctx, graph.Call{Method: http.MethodGet, Path: "/" + url.PathEscape(a.NumberID) + "/call_permissions", Query: query, Token: a.Token}, &in); err != nil {
		return out, err
	}
	switch in.Permission.Status {
	case "permanent":
		out.Permission, out.Permanent = channel.CallGranted, true
	case "temporary":
		out.Permission = channel.CallGranted
		if in.Permission.Expiration > 0 {
			out.ExpiresAt = clock.Ptr(time.Unix(in.Permission.Expiration, 0))
		}
	}
	for _, action := range in.Actions {
		if action.Name != AskForCalls {
			continue
		}
		out.CanRequest = action.Can
		for _, l := range action.Limits {
			if l.Usage > 0 && out.Permission == channel.CallNone {
				out.Permission = channel.CallRequested
			}
			if ends := time.Unix(l.Expiration, 0); !action.Can && l.Usage >= l.Max && l.Expiration > 0 && (out.NextRequestAt == nil || ends.After(out.NextRequestAt.Time)) {
				out.NextRequestAt = clock.Ptr(ends)
			}
		}
	}
	return out, nil
}
