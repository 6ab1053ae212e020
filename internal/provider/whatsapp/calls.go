package whatsapp

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"konak/internal/crm/channel"
	whatsapp "konak/internal/crm/channel/whatsapp"
	"konak/internal/kit/clock"
)

// CallSettings are the call settings of a number in the wire format.
type CallSettings struct {
	Status   string     `json:"status,omitempty"`
	Icon     string     `json:"call_icon_visibility,omitempty"`
	Callback string     `json:"callback_permission_status,omitempty"`
	Hours    *CallHours `json:"call_hours,omitempty"`
	SIP      *SIP       `json:"sip,omitempty"`
	// KeyExchange is how the keys for the sound are exchanged: DTLS or SDES.
	KeyExchange string     `json:"srtp_key_exchange_protocol,omitempty"`
	Audio       *CallAudio `json:"audio,omitempty"`
}

// CallAudio lists the audio codecs that calls may use in addition to Opus.
type CallAudio struct {
	Codecs []string `json:"additional_codecs"`
}

// CallHours are when customers may call.
type CallHours struct {
	Status   string    `json:"status,omitempty"`
	Timezone string    `json:"timezone_id,omitempty"`
	Weekly   []CallDay `json:"weekly_operating_hours,omitempty"`
}

// CallDay is a part of a weekday; its times are HHMM.
type CallDay struct {
	Day   string `json:"day_of_week"`
	Open  string `json:"open_time"`
	Close string `json:"close_time"`
}

// SIP is the exchange to which calls are routed.
type SIP struct {
	Status  string      `json:"status"`
	Servers []SIPServer `json:"servers,omitempty"`
}

// SIPServer is a server of an exchange.
type SIPServer struct {
	Hostname string `json:"hostname"`
	Port     int    `json:"port,omitempty"`
	// Params are added to the user part of the called address.
	Params map[string]string `json:"request_uri_user_params,omitempty"`
}

// readServer parses the address of an exchange: sip:HOST:PORT;NAME=VALUE.
func readServer(address string) (s SIPServer, err error) {
	at, params, _ := strings.Cut(strings.TrimPrefix(address, "sip:"), ";")
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return s, err
	}
	s = SIPServer{Hostname: host, Params: map[string]string{}}
	if s.Port, err = strconv.Atoi(port); err != nil {
		return s, err
	}
	for param := range strings.SplitSeq(params, ";") {
		if name, value, ok := strings.Cut(param, "="); ok {
			s.Params[name] = value
		}
	}
	return s, nil
}

// NumberSettings are the settings of a number that we use.
type NumberSettings struct {
	Calling *CallSettings `json:"calling,omitempty"`
}

// CallPermissions describes whether a customer may be called, in the wire format.
type CallPermissions struct {
	Permission struct {
		Status     string `json:"status"` // no_permission, temporary, permanent
		Expiration int64  `json:"expiration_time,omitempty"`
	} `json:"permission"`
	Actions []CallAction `json:"actions"`
}

// CallAction is an action and whether it is allowed now.
type CallAction struct {
	Name   string      `json:"action_name"`
	Can    bool        `json:"can_perform_action"`
	Limits []CallLimit `json:"limits,omitempty"`
}

// CallLimit is how often an action is allowed in a period.
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
	if err := c.graph.Get(ctx, a.Token, "/"+url.PathEscape(a.NumberID)+"/settings", nil, &in); err != nil {
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
		out.Hours.V = ReadHours(h)
	}
	return out, nil
}

// ReadHours converts Meta's form of the hours in which customers may call into ours.
func ReadHours(h *CallHours) *channel.Hours {
	out := &channel.Hours{Timezone: h.Timezone, Spans: []channel.Span{}}
	clockTime := func(s string) string {
		if len(s) != 4 {
			return s
		}
		return s[:2] + ":" + s[2:]
	}
	for _, d := range h.Weekly {
		if i := slices.Index(days, d.Day); i >= 0 {
			out.Spans = append(out.Spans, channel.Span{Day: i + 1, From: clockTime(d.Open), To: clockTime(d.Close)})
		}
	}
	return out
}

// WriteHours converts the hours in which customers may call into Meta's form.
func WriteHours(h channel.Hours) *CallHours {
	out := &CallHours{Timezone: h.Timezone}
	for _, s := range h.Spans {
		out.Weekly = append(out.Weekly, CallDay{Day: days[s.Day-1], Open: strings.Replace(s.From, ":", "", 1), Close: strings.Replace(s.To, ":", "", 1)})
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
		set.Hours = WriteHours(*ch.Hours)
		set.Hours.Status = enabled
	}
	if ch.Server != "" {
		server, err := readServer(ch.Server)
		if err != nil {
			return err
		}
		// Our exchange supports keys in the session description, and G.711 but not Opus.
		set.SIP, set.KeyExchange, set.Audio = &SIP{Status: enabled, Servers: []SIPServer{server}}, "SDES", &CallAudio{Codecs: []string{"PCMA", "PCMU"}}
	}
	if !ch.Enabled {
		set.SIP = &SIP{Status: disabled}
	}
	return c.post(ctx, a, "/"+url.PathEscape(a.NumberID)+"/settings", NumberSettings{Calling: &set}, nil)
}

// CallPermission implements channel.Provider.
func (c *Client) CallPermission(ctx context.Context, a whatsapp.Access, customer string) (channel.CallPermission, error) {
	var in CallPermissions
	out := channel.CallPermission{Permission: channel.CallNone}
	query := url.Values{"user_wa_id": {customer}}
	if err := c.graph.Get(ctx, a.Token, "/"+url.PathEscape(a.NumberID)+"/call_permissions", query, &in); err != nil {
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
		TakeLimits(&out, action.Limits)
	}
	return out, nil
}

// TakeLimits sets from the limits whether a customer was asked, and when they can be asked
// again.
func TakeLimits(p *channel.CallPermission, limits []CallLimit) {
	for _, l := range limits {
		if l.Usage > 0 && p.Permission == channel.CallNone {
			p.Permission = channel.CallRequested
		}
		if ends := time.Unix(l.Expiration, 0); !p.CanRequest && l.Usage >= l.Max && l.Expiration > 0 && (p.NextRequestAt == nil || ends.After(p.NextRequestAt.Time)) {
			p.NextRequestAt = clock.Ptr(ends)
		}
	}
}
