package call

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/team"
	"konak/internal/exchange"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// keepDetached is how long a call waits before it rings at its agent again.
const keepDetached = 5 * time.Minute

// isCalled says whether an agent is the colleague who is called in a call inside.
func (w *work) isCalled(agent uuid.UUID) bool {
	called := w.leg(RoleCustomer)
	return w.Via == ViaInside && called != nil && called.AgentID != nil && *called.AgentID == agent
}

// sides finds the phones of a call as an agent in it sees them: their own and the other's.
func (w *work) sides(agent uuid.UUID) (mine, other *Leg) {
	if w.isCalled(agent) {
		return w.leg(RoleCustomer), w.leg(RoleAgent)
	}
	return w.leg(RoleAgent), w.leg(RoleCustomer)
}

// takeOver makes the called colleague of a call inside its agent, and who called the one
// who waits, before that colleague leaves the call or hands it on.
func (w *work) takeOver(agent uuid.UUID) {
	mine, other := w.sides(agent)
	if mine == nil || other == nil || !w.isCalled(agent) {
		return
	}
	mine.Role, other.Role, mine.dirty, other.dirty, w.AgentID = RoleAgent, RoleCustomer, true, true, &agent
}

// inOwnCall lets fn change a call of the caller: one that they have, or in which a
// colleague calls them. It returns not_found for another's.
func (s *Service) inOwnCall(ctx context.Context, id uuid.UUID, action string, fn func(*work) error) (Call, error) {
	who := caller.From(ctx)
	return s.inCall(ctx, who.TenantID, id, func(w *work) error {
		if (w.AgentID == nil || *w.AgentID != who.ID) && !w.isCalled(who.ID) {
			return fault.New(fault.NotFound)
		}
		if err := fn(w); err != nil {
			return err
		}
		return audit.Write(w.tx, action, id.String(), map[string]any{"state": w.State})
	})
}

// playHold lets the customer hear music.
func (w *work) playHold(l *Leg) {
	w.do(
		command.Command{Kind: command.Leave, Leg: l.ID},
		command.Command{Kind: command.Play, Leg: l.ID, Object: w.tx.NewID(), Sound: greeting.SlotSound("hold"), Loop: true},
	)
}

// Detach lets the caller's own phone leave a call, while the customer hears music.
// Resume brings it back; after five minutes it rings again by itself.
func (s *Service) Detach(ctx context.Context, id uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.detached", func(w *work) error {
		if w.State != Active && w.State != Held {
			return fault.New(fault.CallState)
		}
		w.takeOver(caller.From(ctx).ID)
		customer, agent := w.leg(RoleCustomer), w.leg(RoleAgent)
		if customer == nil || agent == nil {
			return fault.New(fault.CallState)
		}
		return w.detach(customer, agent)
	})
}

func (w *work) detach(customer, agent *Leg) error {
	if err := w.move(Detached); err != nil {
		return err
	}
	w.playHold(customer)
	w.dueIn(keepDetached)
	return w.release(agent)
}

// release ends a phone's part in a call that goes on.
func (w *work) release(l *Leg) error {
	if l == nil {
		return nil
	}
	l.Role, l.dirty = RoleLeft, true
	return w.hangup(exchange.CauseNormal, l)
}

// Resume rings the caller's own phone for a call that they detached.
func (s *Service) Resume(ctx context.Context, id uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.resumed", func(w *work) error {
		if w.State != Detached {
			return fault.New(fault.CallState)
		}
		return w.callBack()
	})
}

// callBack rings the agent of a detached call, unless their phone rings already.
func (w *work) callBack() error {
	w.dueIn(keepDetached)
	if slices.ContainsFunc(w.legs(RoleRing), func(l *Leg) bool { return l.AgentID != nil && *l.AgentID == *w.AgentID }) {
		return nil
	}
	m, err := w.s.Team.Find(&w.tx.Reader, *w.AgentID)
	if db.IsNoRow(err) {
		return fault.New(fault.NoDevice)
	}
	if err != nil {
		return err
	}
	shows := w.otherNumber()
	if shows == m.Extension { // they were called
		shows = w.From
	}
	l, err := w.dialAgent(RoleRing, m, shows, ringAgent)
	if err != nil {
		return err
	}
	w.Legs = append(w.Legs, l)
	return nil
}

// callAgain rings the agent of a detached call. One who cannot be rung now is rung later:
// what led here has happened all the same.
func (w *work) callAgain() error {
	if err := w.callBack(); !isRefused(err) {
		return err
	}
	return nil
}

// seekAgent rings the agent of a call that was detached for long. Where they cannot be rung
// or do not come, the team is rung, so that nobody hears music for ever.
func (w *work) seekAgent() error {
	w.plan.Then = thenTeam
	if err := w.callBack(); !isRefused(err) {
		return err
	}
	return w.seekTeam()
}

// seekTeam rings the team for a customer whose agent does not come back. Where nobody does,
// the call ends. A colleague who waits inside is not the team's.
func (w *work) seekTeam() error {
	w.plan.Then, w.plan.Ring, w.dueAt = thenOver, nil, nil
	if w.Via != ViaInside {
		ids, err := w.team()
		if err != nil {
			return err
		}
		w.plan.Ring = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return id == *w.AgentID })
	}
	return w.ringNext()
}

// nobodyCame ends a call whose customer waited in vain, and who is called back.
func (w *work) nobodyCame() error {
	if err := w.end(Answered, bySystem, exchange.CauseNoAnswer); err != nil {
		return err
	}
	w.ToReturn = w.Direction == Inbound && w.From != ""
	return nil
}

// otherNumber is the customer's number.
func (w *work) otherNumber() string {
	if w.Direction == Inbound {
		return w.From
	}
	return w.To
}

// Forward sends a call to a number outside: blind, the caller's own phone leaves at
// once; asked, it talks to the other first, and leaves by hanging up. It is an
// outside call and returns its refusals.
func (s *Service) Forward(ctx context.Context, id uuid.UUID, to, mode string) (Call, error) {
	return s.inOwnCall(ctx, id, "call.forwarded", func(w *work) error {
		if w.State != Active && w.State != Held {
			return fault.New(fault.CallState)
		}
		w.takeOver(caller.From(ctx).ID)
		customer, agent := w.leg(RoleCustomer), w.leg(RoleAgent)
		if customer == nil || agent == nil {
			return fault.New(fault.CallState)
		}
		out, err := w.findRoute(NewCall{To: to})
		if err != nil {
			return err
		}
		third, err := w.newOutsideLeg(RoleThird, to, out)
		if err != nil {
			return err
		}
		if err := w.move(Forwarding); err != nil {
			return err
		}
		w.plan.Mode = mode
		w.playHold(customer)
		w.dial(&third, out.shows, w.settings.RingSeconds)
		if mode == ModeBlind {
			if err := w.release(agent); err != nil {
				return err
			}
		}
		w.Legs = append(w.Legs, third) // last: what points into the list would be lost
		return nil
	})
}

// TransferTo rings a colleague, or the phones of a group; exactly one must be given.
func (s *Service) TransferTo(ctx context.Context, id uuid.UUID, agent, group *uuid.UUID) (Call, error) {
	if (agent == nil) == (group == nil) {
		return Call{}, fault.Invalid("agent_id", "one_of_agent_and_group")
	}
	if agent != nil {
		return s.Transfer(ctx, id, []uuid.UUID{*agent})
	}
	members, err := db.Read(ctx, s.tenant(ctx), func(r *db.Reader) ([]uuid.UUID, error) {
		list, err := s.Groups.GroupMembers(r, *group)
		if err != nil {
			return nil, err
		}
		busy, err := s.Team.InCall(r)
		return slices.DeleteFunc(list, func(id uuid.UUID) bool { return busy[id] != team.Free }), err
	})
	if err != nil {
		return Call{}, err
	}
	return s.Transfer(ctx, id, members)
}

// Transfer rings the phones of agents. Who answers first has the
// call, and the caller's own phone leaves it. Where nobody does, nothing changes.
func (s *Service) Transfer(ctx context.Context, id uuid.UUID, agents []uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.transferred", func(w *work) error {
		if w.State != Active && w.State != Held || w.leg(RoleCustomer) == nil {
			return fault.New(fault.CallState)
		}
		w.takeOver(caller.From(ctx).ID)
		rung := 0
		for _, agent := range agents {
			m, err := s.Team.Find(&w.tx.Reader, agent)
			if db.IsNoRow(err) || agent == *w.AgentID {
				continue
			}
			if err != nil {
				return err
			}
			l, err := w.dialAgent(RoleRing, m, w.otherNumber(), w.settings.RingSeconds)
			if isRefused(err) {
				continue
			}
			if err != nil {
				return err
			}
			w.Legs = append(w.Legs, l) // it counts when there is a place for the next one outside
			rung++
		}
		if rung == 0 {
			return fault.New(fault.NoDevice)
		}
		return nil
	})
}

// isHandedOn says whether colleagues are rung for somebody who talks to an agent.
func (w *work) isHandedOn() bool {
	return len(w.legs(RoleRing)) > 0 && w.leg(RoleCustomer) != nil && (w.State == Active || w.State == Held)
}

// leaveTransfer lets the customer wait with music for the colleagues who are rung, after
// the agent has gone.
func (w *work) leaveTransfer(customer *Leg) error {
	if err := w.move(Detached); err != nil {
		return err
	}
	w.plan.Then = thenBack
	w.playHold(customer)
	w.dueIn(keepDetached)
	return nil
}

// isRefused says that one phone cannot be rung, which is no fault of the call.
func isRefused(err error) bool {
	for _, code := range []fault.Code{fault.NoDevice, fault.NoLine, fault.NoCredit, fault.CapReached, fault.ValidationFailed} {
		if fault.Is(err, code) {
			return true
		}
	}
	return false
}
