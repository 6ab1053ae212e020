package call

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/exchange"
	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// apply handles an event of the exchange. Applying an event twice changes nothing the
// second time.
func (s *Service) apply(ctx context.Context, e exchange.Event) error {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: e.Tenant})
	h := s.DB.Tenant(e.Tenant)
	switch e.Type {
	case exchange.LegIncomingEvent:
		return h.InTx(ctx, func(tx *db.Tx) error { return s.applyIncoming(tx, e) })
	case exchange.TrunkStatusEvent:
		if e.Status == nil {
			return nil
		}
		return h.InTx(ctx, func(tx *db.Tx) error { return s.Line.SaveStatus(tx, e.Trunk, *e.Status) })
	case exchange.RecordEndedEvent:
		return s.applyRecord(ctx, e)
	case exchange.DeviceRegisteredEvent, exchange.DeviceUnregisteredEvent:
		return nil
	}
	return s.inCallOf(ctx, e.Tenant, e.Leg, callOfLeg, func(w *work) error { return w.applyToLeg(e) })
}

// inCallOf lets fn change the call that a leg or a recording belongs to. It does nothing if
// there is none, because the call was refused.
func (s *Service) inCallOf(ctx context.Context, tenant, id uuid.UUID, find func(*db.Reader, uuid.UUID) (uuid.UUID, error), fn func(*work) error) error {
	call, err := db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (uuid.UUID, error) { return find(r, id) })
	if err != nil {
		return db.IgnoreNoRow(err)
	}
	_, err = s.inCall(ctx, tenant, call, fn)
	return err
}

// applyIncoming accepts a call: from the line it is a customer's, from a phone an agent's.
// A workspace that is suspended or has no licence accepts none, except an agent's emergency
// call.
func (s *Service) applyIncoming(tx *db.Tx, e exchange.Event) error {
	if _, err := callOfLeg(&tx.Reader, e.Leg); !db.IsNoRow(err) {
		return err // it was applied before
	}
	if e.Device == "" || !address.IsEmergency(e.To) {
		if why, err := s.whyClosed(&tx.Reader); err != nil {
			return err
		} else if why != "" {
			return command.Put(tx, command.Command{Kind: command.Hangup, Leg: e.Leg, Cause: why})
		}
	}
	if e.Device == "" {
		return s.receive(tx, e)
	}
	err := s.placeFromPhone(tx, e)
	if f, ok := fault.As(err); ok {
		s.Log.Info("a call from a phone was refused", "tenant", e.Tenant, "phone", e.Device, "code", f.Code, "reason", f.Reason)
		cause, known := refusals[f.Code]
		if !known {
			cause = exchange.CauseRejected
		}
		return command.Put(tx, command.Command{Kind: command.Hangup, Leg: e.Leg, Cause: cause})
	}
	return err
}

// refusals maps the reason a phone's call is refused to the cause sent to the phone.
var refusals = map[fault.Code]exchange.Cause{
	fault.Forbidden:        exchange.CauseForbidden,
	fault.NotFound:         exchange.CauseForbidden, // the phone was removed just now
	fault.ValidationFailed: exchange.CauseNotFound,
	fault.NoDevice:         exchange.CauseNoDevice,
	fault.NoLine:           exchange.CauseNoLine,
	fault.NoCredit:         exchange.CauseNoCredit,
	fault.CapReached:       exchange.CauseCapReached,
}

// whyClosed returns why the workspace can neither take nor make calls; "" if it can.
func (s *Service) whyClosed(r *db.Reader) (exchange.Cause, error) {
	suspended, err := db.IsSuspended(r)
	if err != nil || suspended {
		return exchange.CauseUnavailable, err
	}
	if err := s.Team.CheckLicence(r); fault.Is(err, fault.NotLicensed) {
		return exchange.CauseNotLicensed, nil
	} else if err != nil {
		return "", err
	}
	return "", nil
}

// placeFromPhone creates a call that an agent dialled on their phone.
func (s *Service) placeFromPhone(tx *db.Tx, e exchange.Event) error {
	me, err := s.Team.FindByUsername(&tx.Reader, e.Device)
	if err != nil {
		return db.NotFound(err)
	}
	if err := s.Team.MayCall(&tx.Reader, me.AgentID); err != nil && !address.IsEmergency(e.To) {
		return err
	}
	w, customer, err := s.prepare(tx, NewCall{To: e.To}, me)
	if err != nil {
		return err
	}
	own := w.newLeg(RoleAgent)
	own.ID, own.State, own.device, own.AgentID, own.lastN, own.max = e.Leg, legRinging, e.Device, &me.AgentID, int64(e.N), longestInside
	w.dial(&customer, w.From, 0)
	w.Legs = append(w.Legs, own, customer)
	if err := w.move(Ringing); err != nil {
		return err
	}
	w.do(command.Command{Kind: command.Ring, Leg: own.ID})
	return w.store()
}

// applyToLeg handles an event of one of the call's legs.
func (w *work) applyToLeg(e exchange.Event) error {
	var l *Leg
	for i := range w.Legs {
		if w.Legs[i].ID == e.Leg {
			l = &w.Legs[i]
		}
	}
	if l == nil || !l.open || int64(e.N) <= l.lastN {
		return nil
	}
	l.lastN, l.lastAt, l.dirty = int64(e.N), e.At, true
	at := e.At
	w.at = at.Time
	switch e.Type {
	case exchange.LegRingingEvent:
		l.State, l.RingingAt = legRinging, &at
		if l.Role == RoleCustomer && w.State == Created {
			return w.move(Ringing)
		}
	case exchange.LegAnsweredEvent:
		if l.AnsweredAt == nil {
			l.AnsweredAt = &at
		}
		l.State, l.paidUntil = legAnswered, l.payUntil()
		return w.handleAnswered(l)
	case exchange.LegDTMFEvent:
		if l.Role == RoleCustomer {
			return w.chooseFromMenu(e.Digit)
		}
	case exchange.LegHeldEvent, exchange.LegResumedEvent:
		if other := w.oppositeOf(l); other != nil {
			return w.hold(other, e.Type == exchange.LegHeldEvent)
		}
	case exchange.PlayEndedEvent:
		if l.Role == RoleCustomer && w.plan.Play == e.Object && e.Object != uuid.Nil {
			return w.playNext()
		}
	case exchange.LegEndedEvent:
		if e.Cause == exchange.CauseMaxDuration && l.rate != nil && l.paid < l.max {
			e.Cause = exchange.CauseNoCredit
		}
		w.addMediaStats(e.Media)
		if err := w.endLeg(l, e.Cause, e.At.Time); err != nil {
			return err
		}
		return w.legEnded(l, e)
	}
	return nil
}

// oppositeOf returns the leg that a phone of the workspace talks to; nil for a customer's
// phone.
func (w *work) oppositeOf(l *Leg) *Leg {
	switch {
	case l.Role == RoleAgent:
		return w.leg(RoleCustomer)
	case l.Role == RoleCustomer && w.Via == ViaInside:
		return w.leg(RoleAgent)
	}
	return nil
}

// hold plays music to the other party while a phone holds the call, and reconnects them
// when it resumes.
func (w *work) hold(other *Leg, on bool) error {
	switch {
	case on && w.State == Active:
		w.playHold(other)
		return w.move(Held)
	case !on && w.State == Held:
		w.talkAgain(other)
		if back := w.oppositeOf(other); back != nil { // in an internal call, either side may have held
			w.talkAgain(back)
		}
		return w.move(Active)
	}
	return nil
}

func (w *work) talkAgain(l *Leg) {
	w.do(
		command.Command{Kind: command.StopPlay, Leg: l.ID},
		command.Command{Kind: command.Join, Bridge: w.bridge, Leg: l.ID},
	)
}

// handleAnswered handles a leg that was answered.
func (w *work) handleAnswered(l *Leg) error {
	if w.State == Ending {
		return w.hangup(exchange.CauseNormal, l)
	}
	customer := w.leg(RoleCustomer)
	switch l.Role {
	case RoleAgent: // their own phone, which rang first
		if customer != nil && customer.State == legPlanned {
			w.dial(customer, w.From, 0)
			return w.move(Ringing)
		}
	case RoleCustomer:
		if w.Direction == Inbound {
			return nil // we answered it ourselves
		}
		agent := w.leg(RoleAgent)
		if agent == nil {
			return w.hangup(exchange.CauseNormal, l)
		}
		w.answer(agent)
		return w.connect(l, agent)
	case RoleRing:
		return w.taken(customer, l)
	case RoleThird:
		return w.thirdAnswered(customer, l)
	}
	return nil
}

// taken handles the answer of one of the ringing phones: the others stop, and an agent who
// had the call leaves it.
func (w *work) taken(customer, l *Leg) error {
	if customer == nil || w.State != Ringing && w.State != Detached && w.State != Active && w.State != Held {
		return w.hangup(exchange.CauseNormal, l)
	}
	for _, other := range w.legs(RoleRing) {
		if other.ID != l.ID {
			if err := w.hangup(exchange.CauseCancelled, other); err != nil {
				return err
			}
		}
	}
	if err := w.release(w.leg(RoleAgent)); err != nil {
		return err
	}
	l.Role = RoleAgent
	w.answer(customer)
	return w.connect(customer, l)
}

// thirdAnswered handles the answer of the outside number that a call was forwarded to.
func (w *work) thirdAnswered(customer, l *Leg) error {
	if customer == nil {
		return w.hangup(exchange.CauseNormal, l)
	}
	if w.plan.Mode == ModeAsked && w.leg(RoleAgent) != nil {
		w.do(command.Command{Kind: command.Join, Bridge: w.bridge, Leg: l.ID})
		return nil
	}
	w.answer(customer)
	return w.connect(customer, l)
}

// endLeg closes a leg and pays for it, for no longer than its credit lasts.
func (w *work) endLeg(l *Leg, cause exchange.Cause, at time.Time) error {
	ended := clock.At(at)
	if l.AnsweredAt != nil && ended.Before(l.AnsweredAt.Time) {
		ended = *l.AnsweredAt
	}
	l.State, l.open, l.EndedAt, l.Cause, l.paidUntil, l.dirty = legEnded, false, &ended, string(cause), nil, true
	return w.settleLeg(l)
}

// legEnded updates the call after one of its legs has ended.
func (w *work) legEnded(l *Leg, e exchange.Event) error {
	if w.State == Ending || w.State == Ended {
		return nil
	}
	switch l.Role {
	case RoleCustomer:
		return w.customerLeft(l, e)
	case RoleAgent:
		return w.agentLeft(e)
	case RoleRing:
		return w.ringEnded()
	case RoleThird:
		return w.thirdLeft(e)
	}
	return nil
}

// customerLeft ends the call.
func (w *work) customerLeft(l *Leg, e exchange.Event) error {
	by, disposition := byCustomer, Abandoned
	if e.EndedBy == exchange.EndedByExchange {
		by = bySystem
	}
	switch {
	case w.State == Voicemail:
		disposition = Missed
		if w.plan.Then == dueRecording {
			disposition = LeftMail // unless the message turns out too short
			w.Message.V = &Message{}
		}
	case w.Direction == Outbound && l.AnsweredAt == nil:
		disposition = dispositionOf(e.Cause)
	case w.State == Ringing:
		disposition = Missed
	}
	return w.end(disposition, by, e.Cause)
}

// agentLeft ends the call. If it was being forwarded, the customer talks to the other party
// instead; if colleagues are being rung, the customer waits for them.
func (w *work) agentLeft(e exchange.Event) error {
	third, customer := w.leg(RoleThird), w.leg(RoleCustomer)
	if w.isHandedOn() {
		return w.leaveTransfer(customer)
	}
	if w.State == Forwarding && third != nil && customer != nil {
		if third.State == legAnswered {
			return w.connect(customer, third)
		}
		w.plan.Mode = ModeBlind
		return nil
	}
	disposition := Cancelled
	if w.AnsweredAt == nil && e.Cause != exchange.CauseNormal && e.Cause != exchange.CauseCancelled {
		disposition = dispositionOf(e.Cause)
	}
	return w.end(disposition, byAgent, e.Cause)
}

// ringEnded goes on with the next phone once none is ringing. If no colleague took a
// customer who was handed on, their agent is rung again.
func (w *work) ringEnded() error {
	switch {
	case len(w.legs(RoleRing)) > 0:
	case w.State == Ringing:
		return w.ringNext()
	case w.State != Detached:
	case w.plan.Then == thenBack:
		w.plan.Then = thenNothing
		return w.callAgain()
	case w.plan.Then == thenTeam:
		return w.seekTeam()
	case w.plan.Then == thenOver:
		return w.ringNext()
	}
	return nil
}

// thirdLeft ends a call that was forwarded, or brings it back to its agent.
func (w *work) thirdLeft(e exchange.Event) error {
	customer, agent := w.leg(RoleCustomer), w.leg(RoleAgent)
	switch {
	case w.State == Active && e.EndedBy == exchange.EndedByExchange:
		return w.end(Answered, bySystem, e.Cause)
	case w.State == Active:
		return w.end(Answered, byCustomer, e.Cause)
	case w.State == Ringing:
		return w.noAnswer()
	case w.State != Forwarding || customer == nil:
		return nil
	case agent != nil:
		return w.connect(customer, agent)
	}
	if err := w.move(Detached); err != nil {
		return err
	}
	return w.callAgain()
}

// applyRecord stores the length of a recording. A voicemail message that is too short is
// dropped, whichever is reported first: its end or the caller's.
func (s *Service) applyRecord(ctx context.Context, e exchange.Event) error {
	return s.inCallOf(ctx, e.Tenant, e.Object, callOfRecording, func(w *work) error {
		length := time.Duration(e.Seconds * float64(time.Second))
		if w.RecordingMS > 0 {
			return nil
		}
		if (w.Message.V != nil || w.State == Voicemail) && length < shortestMessage {
			if w.Message.V, w.recording, w.plan.Then = nil, nil, thenNothing; w.Disposition != "" {
				w.Disposition = Missed
			}
			w.do(command.Command{Kind: command.DropRecord, Object: e.Object})
			return nil
		}
		w.RecordingMS = length.Milliseconds()
		w.keepUntil = clock.Ptr(w.tx.Now().AddDate(0, 0, w.settings.Recording.RetentionDays))
		return w.countRecording()
	})
}

// refused ends a leg that the exchange would not dial, as if it had ended by itself.
func (s *Service) refused(ctx context.Context, tenant uuid.UUID, c command.Command, why error) error {
	if c.Kind != command.Originate {
		return nil
	}
	cause := exchange.CauseFailed
	switch {
	case c.Device != "" && (errors.Is(why, exchange.ErrNotRegistered) || errors.Is(why, exchange.ErrUnknown)):
		cause = exchange.CauseNoDevice
	case errors.Is(why, exchange.ErrNotRegistered):
		cause = exchange.CauseUnavailable
	case errors.Is(why, exchange.ErrUnknown): // the exchange lost the line, and its password with it
		cause = exchange.CauseUnavailable
		lost := exchange.TrunkStatus{State: exchange.TrunkNeedsPassword}
		if err := s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error { return s.Line.SaveStatus(tx, c.Trunk, lost) }); err != nil {
			return err
		}
	}
	return s.loseLeg(ctx, tenant, c.Leg, cause)
}

// loseLeg ends a leg that the exchange does not know, as of the last event received for it.
func (s *Service) loseLeg(ctx context.Context, tenant, leg uuid.UUID, cause exchange.Cause) error {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant})
	return s.inCallOf(ctx, tenant, leg, callOfLeg, func(w *work) error {
		for _, l := range w.Legs {
			if l.ID == leg {
				return w.applyToLeg(exchange.Event{
					Type: exchange.LegEndedEvent, Leg: leg, N: int(l.lastN) + 1, At: l.lastAt, Cause: cause, EndedBy: exchange.EndedByExchange,
				})
			}
		}
		return nil
	})
}
