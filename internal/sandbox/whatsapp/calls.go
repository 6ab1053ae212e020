package whatsapp

import (
	"cmp"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/meta"
	"konak/internal/sandbox/sipphone"
)

// calls holds the permissions of a number's customers to be called.
type calls struct {
	settings  wire.CallSettings
	asked     map[string][]time.Time // when each customer was asked
	granted   map[string]time.Time   // until when; the zero time for ever
	refuseFor string                 // why the number may not be called, "" if it may
}

// callsOf returns the calls of a number; the caller holds the lock.
func (s *Server) callsOf(number string) *calls {
	c := s.calls[number]
	if c == nil {
		c = &calls{settings: wire.CallSettings{Status: "DISABLED", Icon: "DEFAULT", Callback: "DISABLED"}, asked: map[string][]time.Time{}, granted: map[string]time.Time{}}
		s.calls[number] = c
	}
	return c
}

// RefuseCalls makes the calls of a number fail with a reason; "" allows them again.
func (s *Server) RefuseCalls(number, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callsOf(number).refuseFor = why
}

// AnswerCallRequest lets a customer agree to be called, for a week or for ever, or refuse.
func (s *Server) AnswerCallRequest(number string, from Customer, agrees, forEver bool) error {
	answer := &wire.CallAnswer{Response: "reject"}
	s.mu.Lock()
	c := s.callsOf(number)
	delete(c.granted, digits(from.ID))
	if agrees {
		answer.Response, answer.Permanent = "accept", forEver
		until := s.clock.Now().Add(168 * time.Hour)
		if forEver {
			until = time.Time{}
		}
		c.granted[digits(from.ID)] = until
	}
	s.mu.Unlock()
	_, err := s.Write(number, from, wire.Incoming{Type: "interactive", Interactive: &wire.Interactive{Type: "call_permission_reply", Call: answer}})
	return err
}

func (s *Server) callSettings(r *http.Request, n *wire.PhoneNumber) (any, *meta.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.callsOf(n.ID)
	if r.Method == http.MethodGet {
		return wire.NumberSettings{Calling: &c.settings}, nil
	}
	var in wire.NumberSettings
	if err := body(r, &in); err != nil || in.Calling == nil {
		return nil, parameter("calling is required")
	}
	if in.Calling.Status == "ENABLED" && c.refuseFor != "" {
		return nil, refuse(400, 138015, 0, "OAuthException", "(#138015) "+c.refuseFor, "")
	}
	set := *in.Calling
	if set.Icon == "" {
		set.Icon = c.settings.Icon
	}
	if set.Callback == "" {
		set.Callback = c.settings.Callback
	}
	if set.Hours == nil {
		set.Hours = c.settings.Hours
	}
	if set.SIP == nil {
		set.SIP = c.settings.SIP
	} else if set.SIP.Status == "ENABLED" && (len(set.SIP.Servers) == 0 || set.SIP.Servers[0].Hostname == "") {
		return nil, parameter("sip.servers needs a hostname")
	}
	if set.KeyExchange == "" {
		set.KeyExchange, set.Audio = c.settings.KeyExchange, c.settings.Audio
	}
	c.settings = set
	return wire.Success{Success: true}, nil
}

// CallSettings returns the settings of a number's calls.
func (s *Server) CallSettings(number string) wire.CallSettings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.callsOf(number).settings
}

// ErrNoCalls is what a customer's app reports if a number takes no calls.
var ErrNoCalls = errors.New("the business takes no calls")

// Call lets a customer call a number. The server dials the exchange that the number's
// settings name, over TLS and with keys in the description, and reports the state of the
// call.
func (s *Server) Call(number string, from Customer, tell func(state string)) error {
	s.mu.Lock()
	set, display := s.callsOf(number).settings, ""
	for _, b := range s.businesses {
		for _, n := range b.Numbers {
			if n.ID == number {
				display = n.Display
			}
		}
	}
	phone := s.Phone
	s.mu.Unlock()
	if phone == nil || set.Status != "ENABLED" || set.SIP == nil || set.SIP.Status != "ENABLED" || set.KeyExchange != "SDES" {
		return ErrNoCalls
	}
	at := set.SIP.Servers[0]
	to := "+" + digits(display)
	for _, name := range slices.Sorted(maps.Keys(at.Params)) {
		to += ";" + name + "=" + at.Params[name]
	}
	return phone.Call(sipphone.Call{
		Server: net.JoinHostPort(at.Hostname, strconv.Itoa(cmp.Or(at.Port, 5061))), Secure: true, To: to, From: "+" + digits(from.ID), Name: from.Name,
		Talk: talkTime, Tell: tell,
	})
}

// HangUp ends the calls of a customer.
func (s *Server) HangUp(from Customer) {
	if s.Phone != nil {
		s.Phone.HangUp("+" + digits(from.ID))
	}
}

// talkTime is how long a customer talks.
const talkTime = 30 * time.Second

// askedSince returns how often a customer was asked since a time, and when the first of
// those requests expires.
func (c *calls) askedSince(customer string, now time.Time, period time.Duration) (n int, ends int64) {
	for _, at := range c.asked[customer] {
		if at.Add(period).After(now) {
			if n == 0 {
				ends = at.Add(period).Unix()
			}
			n++
		}
	}
	return n, ends
}

func (s *Server) callPermissions(r *http.Request, n *wire.PhoneNumber) (any, *meta.Refusal) {
	customer := digits(r.URL.Query().Get("user_wa_id"))
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.permissionOf(n.ID, customer), nil
}

// permissionOf returns whether a customer may be called; the caller holds the lock.
func (s *Server) permissionOf(number, customer string) (out wire.CallPermissions) {
	c, now := s.callsOf(number), s.clock.Now()
	out.Permission.Status = "no_permission"
	if until, granted := c.granted[customer]; granted && until.IsZero() {
		out.Permission.Status = "permanent"
	} else if granted && now.Before(until) {
		out.Permission.Status, out.Permission.Expiration = "temporary", until.Unix()
	}
	day, dayEnds := c.askedSince(customer, now, 24*time.Hour)
	week, weekEnds := c.askedSince(customer, now, 168*time.Hour)
	out.Actions = []wire.CallAction{{Name: wire.AskForCalls, Can: day < 1 && week < 2, Limits: []wire.CallLimit{
		{Period: "PT24H", Max: 1, Usage: day, Expiration: dayEnds}, {Period: "P7D", Max: 2, Usage: week, Expiration: weekEnds},
	}}}
	return out
}

// askForCalls sends a permission request to a customer; the caller holds the lock.
func (s *Server) askForCalls(number, customer string) *meta.Refusal {
	if !s.permissionOf(number, customer).Actions[0].Can {
		return refuse(400, 138009, 0, "OAuthException", "(#138009) Limit reached for call permission requests", "")
	}
	c := s.callsOf(number)
	c.asked[customer] = append(c.asked[customer], s.clock.Now())
	return nil
}
