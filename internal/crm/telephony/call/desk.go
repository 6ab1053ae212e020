package call

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/exchange"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
)

// maxDigits is how many keys are pressed at once.
const maxDigits = 32

// Hangup ends a call of the caller. While it is forwarded, or rings at colleagues, only
// their own phone leaves. It returns call_state for a call that is over.
func (s *Service) Hangup(ctx context.Context, id uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.hung_up", func(w *work) error {
		agent, called := w.leg(RoleAgent), w.isCalled(caller.From(ctx).ID)
		switch {
		case w.State == Ending || w.State == Ended:
			return fault.New(fault.CallState)
		case called && w.AnsweredAt == nil:
			return w.end(Rejected, byCustomer, exchange.CauseRejected)
		case called:
			return w.end(Answered, byCustomer, exchange.CauseNormal)
		case (w.State == Forwarding || w.isHandedOn()) && agent != nil:
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
		mine, other := w.sides(caller.From(ctx).ID)
		if (w.State != Active && w.State != Held) || mine == nil || other == nil {
			return fault.New(fault.CallState)
		}
		return w.hold(other, on)
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
		mine, _ := w.sides(caller.From(ctx).ID)
		if mine == nil || mine.State != legAnswered {
			return fault.New(fault.CallState)
		}
		w.do(command.Command{Kind: command.Mute, Leg: mine.ID, On: on})
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
		_, other := w.sides(caller.From(ctx).ID)
		if w.State != Active || other == nil {
			return fault.New(fault.CallState)
		}
		w.do(command.Command{Kind: command.Press, Leg: other.ID, Digits: digits})
		return nil
	})
}
