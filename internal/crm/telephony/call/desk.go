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

// maxDigits is the maximum number of keys pressed at once.
const maxDigits = 32

// Hangup ends a call of the caller. While it is being forwarded, or rings at colleagues,
// only their own phone leaves. It returns call_state for a call that is over.
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

// Hold puts the other party of the caller's own call on hold with music, or ends the hold.
// It returns call_state if nobody is talking.
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

// Mute mutes or unmutes the caller in their own call. It returns call_state if they are not
// talking.
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

// PressKeys sends key presses to the other party of the caller's own call. The keys are not
// in the audit log, as they may be a code. It returns call_state if nobody is talking.
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
