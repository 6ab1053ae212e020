package call

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/exchange"
	"konak/internal/kit/fault"
)

// maxDigits is how many keys are pressed at once.
const maxDigits = 32

// Hangup ends a call of the caller. Where they talk to somebody whom the call is
// forwarded to, only their own phone leaves. It returns call_state for a call that is over.
func (s *Service) Hangup(ctx context.Context, id uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.hung_up", func(w *work) error {
		agent := w.leg(RoleAgent)
		switch {
		case w.State == Ending || w.State == Ended:
			return fault.New(fault.CallState)
		case w.State == Forwarding && agent != nil:
			return w.hangup(exchange.CauseNormal, agent)
		}
		return w.end(Cancelled, byAgent, exchange.CauseNormal)
	})
}

// Hold lets the customer of the caller's own call hear music, or talk again. It returns
// call_state where nobody talks.
func (s *Service) Hold(ctx context.Context, id uuid.UUID, on bool) (Call, error) {
	action := "call.held"
	if !on {
		action = "call.unheld"
	}
	return s.inOwnCall(ctx, id, action, func(w *work) error {
		if (w.State != Active && w.State != Held) || w.leg(RoleCustomer) == nil || w.leg(RoleAgent) == nil {
			return fault.New(fault.CallState)
		}
		return w.hold(on)
	})
}

// Mute keeps what the caller says from the others in their call, or lets it be heard
// again. It returns call_state where they do not talk.
func (s *Service) Mute(ctx context.Context, id uuid.UUID, on bool) (Call, error) {
	action := "call.muted"
	if !on {
		action = "call.unmuted"
	}
	return s.inOwnCall(ctx, id, action, func(w *work) error {
		agent := w.leg(RoleAgent)
		if agent == nil || agent.State != legAnswered {
			return fault.New(fault.CallState)
		}
		w.do(command.Command{Kind: command.Mute, Leg: agent.ID, On: on})
		return nil
	})
}

// PressKeys presses keys towards the customer of the caller's own call. Which keys is
// not in the audit log: they may be a code. It returns call_state where nobody talks.
func (s *Service) PressKeys(ctx context.Context, id uuid.UUID, digits string) (Call, error) {
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789*#ABCD") != "" {
		return Call{}, fault.Invalid("digits", "invalid")
	}
	return s.inOwnCall(ctx, id, "call.keys_pressed", func(w *work) error {
		customer := w.leg(RoleCustomer)
		if w.State != Active || customer == nil {
			return fault.New(fault.CallState)
		}
		w.do(command.Command{Kind: command.Press, Leg: customer.ID, Digits: digits})
		return nil
	})
}
