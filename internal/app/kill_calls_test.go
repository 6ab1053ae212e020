package app_test

import (
	"net/http"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
)

// The moments of a call in which the server is killed.
const (
	killRinging   = "the customer's telephone rings"
	killTalking   = "they talk"
	killForwarded = "the customer talks to a number outside"
)

// reach brings a call to a certain moment, and returns its legs at the carrier.
func (c *phoneTrial) reach(moment string) []uuid.UUID {
	c.t.Helper()
	if moment == killRinging {
		c.ask(201, "POST", phonePath+"/call", map[string]any{"to": customerNumber}, nil)
		return []uuid.UUID{c.carrier.wait(exchange.LegIncomingEvent).Leg}
	}
	legs := []uuid.UUID{c.place()}
	if moment == killForwarded {
		c.ask(200, "POST", phonePath+"/call/forward", map[string]any{"call_id": c.last().ID, "to": "+905321119999"}, nil)
		third := c.carrier.wait(exchange.LegIncomingEvent).Leg
		c.carrier.must(c.carrier.Answer(c.ctx, carrierTenant, third))
		c.carrier.play(third, thirdTone)
		c.until("the other to talk", func() bool { return c.last().State == call.Active })
		legs = append(legs, third)
	}
	c.carrier.record(legs[0]) // they talk for some seconds
	return legs
}

// checkKill kills the server in a moment of a call.
func (c *phoneTrial) checkKill(moment string) {
	c.setSettings(func(*setting.Settings) {})
	before := c.wallet()
	legs := c.reach(moment)
	c.must(c.p.kill())
	c.p = c.start()
	var over call.Call
	if moment == killRinging {
		c.until("the call to end", func() bool { over = c.last(); return over.State == call.Ended })
		if over.Cost != 0 || over.BilledSeconds != 0 {
			c.t.Errorf("%s: it cost %+v", moment, over)
		}
	} else if over = c.wantPaid(before); over.Disposition != call.Answered || over.Cause != string(exchange.CauseLost) {
		c.t.Errorf("%s: it ended as %+v", moment, over)
	}
	for _, leg := range legs {
		c.carrier.must(c.carrier.Hangup(c.ctx, carrierTenant, leg, exchange.CauseNormal))
	}
	c.wantLedger(before.Available - over.Cost)
	// The telephone is still known and can be called.
	c.until("the telephone to be reached", func() bool {
		got := c.request("POST", phonePath+"/call", map[string]any{"to": customerNumber})
		_ = got.Body.Close()
		return got.StatusCode == http.StatusCreated
	})
	again := c.carrier.wait(exchange.LegIncomingEvent)
	c.carrier.must(c.carrier.Hangup(c.ctx, carrierTenant, again.Leg, exchange.CauseBusy))
	c.until("the call to end", func() bool { return c.last().State == call.Ended })
	if got := c.last(); got.Disposition != call.Busy || got.Cost != 0 {
		c.t.Errorf("it ended as %+v", got)
	}
	c.wantLedger(before.Available - over.Cost)
}
