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

// keepDetached is the time that a call waits before it rings at its agent again.
const keepDetached = 5 * time.Minute

// isCalled reports whether an agent is the called colleague of an internal call.
func (w *work) isCalled(agent uuid.UUID) bool {
	called := w.leg(RoleCustomer)
	return w.Via == ViaInside && called != nil && called.AgentID != nil && *called.AgentID == agent
}

// sides returns the legs of a call from an agent's view: their own and the other party's.
func (w *work) sides(agent uuid.UUID) (mine, other *Leg) {
	if w.isCalled(agent) {
		return w.leg(RoleCustomer), w.leg(RoleAgent)
	}
	return w.leg(RoleAgent), w.leg(RoleCustomer)
}

// takeOver swaps the roles of an internal call: the called colleague becomes its agent, and
// the calling one waits. It is done before that colleague leaves the call or hands it on.
func (w *work) takeOver(agent uuid.UUID) {
	mine, other := w.sides(agent)
	if mine == nil || other == nil || !w.isCalled(agent) {
		return
	}
	mine.Role, other.Role, mine.dirty, other.dirty, w.AgentID = RoleAgent, RoleCustomer, true, true, &agent
}

// inOwnCall lets fn change a call of the caller: one that they have, or in which a
// colleague calls them. It returns not_found for anybody else's call.
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

// playHold plays hold music to a leg.
func (w *work) playHold(l *Leg) {
	w.do(
		command.Command{Kind: command.Leave, Leg: l.ID},
		command.Command{Kind: command.Play, Leg: l.ID, Object: w.tx.NewID(), Sound: greeting.SlotSound("hold"), Loop: true},
	)
}

// Detach takes the caller's own phone out of a call, while the customer hears music. Resume
// brings it back; after five minutes it rings again by itself.
func (s *Service) Detach(ctx context.Context, id uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.detached", func(w *work) error {
		customer, agent, err := w.takeTalk(caller.From(ctx).ID)
		if err != nil {
			return err
		}
		if err := w.detach(customer); err != nil {
			return err
		}
		return w.release(agent)
	})
}

// takeTalk makes an agent of a call that is talked in its agent, and returns the legs of
// both sides. It returns call_state if nobody talks, or one side has left.
func (w *work) takeTalk(agentID uuid.UUID) (customer, agent *Leg, err error) {
	if w.State != Active && w.State != Held {
		return nil, nil, fault.New(fault.CallState)
	}
	w.takeOver(agentID)
	if customer, agent = w.leg(RoleCustomer), w.leg(RoleAgent); customer == nil || agent == nil {
		return nil, nil, fault.New(fault.CallState)
	}
	return customer, agent, nil
}

// detach plays music to a customer whose agent is not there.
func (w *work) detach(customer *Leg) error {
	if err := w.move(Detached); err != nil {
		return err
	}
	w.playHold(customer)
	w.dueIn(keepDetached)
	return nil
}

// release takes a phone out of a call that goes on.
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
	if shows == m.Extension { // they were the called party
		shows = w.From
	}
	l, err := w.dialAgent(RoleRing, m, shows, ringAgent)
	if err != nil {
		return err
	}
	w.Legs = append(w.Legs, l)
	return nil
}

// callAgain rings the agent of a detached call. An agent who cannot be rung now is rung
// later; that is no error.
func (w *work) callAgain() error {
	if err := w.callBack(); !isRefused(err) {
		return err
	}
	return nil
}

// seekAgent rings the agent of a call that has been detached for too long. If they cannot
// be rung or do not answer, the team is rung, so that nobody hears music forever.
func (w *work) seekAgent() error {
	w.plan.Then = thenTeam
	if err := w.callBack(); !isRefused(err) {
		return err
	}
	return w.seekTeam()
}

// seekTeam rings the team for a customer whose agent does not come back. If nobody answers,
// the call ends. In an internal call the team is not rung.
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

// nobodyCame ends a call whose customer waited in vain. An inbound caller is marked to be
// called back.
func (w *work) nobodyCame() error {
	if err := w.end(Answered, bySystem, exchange.CauseNoAnswer); err != nil {
		return err
	}
	w.ToReturn = w.Direction == Inbound && w.From != ""
	return nil
}

// otherNumber returns the customer's number.
func (w *work) otherNumber() string {
	if w.Direction == Inbound {
		return w.From
	}
	return w.To
}

// Forward sends a call to an outside number. In mode blind the caller's own phone leaves at
// once; in mode asked it talks to the other party first, and leaves by hanging up. Forward
// returns the same refusals as an outside call.
func (s *Service) Forward(ctx context.Context, id uuid.UUID, to, mode string) (Call, error) {
	return s.inOwnCall(ctx, id, "call.forwarded", func(w *work) error {
		customer, agent, err := w.takeTalk(caller.From(ctx).ID)
		if err != nil {
			return err
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
		w.Legs = append(w.Legs, third) // last: append invalidates pointers into Legs
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
	members, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) ([]uuid.UUID, error) {
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

// Transfer rings the phones of agents. The first who answers gets the call, and the
// caller's own phone leaves it. If nobody answers, nothing changes.
func (s *Service) Transfer(ctx context.Context, id uuid.UUID, agents []uuid.UUID) (Call, error) {
	return s.inOwnCall(ctx, id, "call.transferred", func(w *work) error {
		if w.State != Active && w.State != Held || w.leg(RoleCustomer) == nil {
			return fault.New(fault.CallState)
		}
		w.takeOver(caller.From(ctx).ID)
		rung := 0
		for _, agent := range agents {
			if agent == *w.AgentID {
				continue
			}
			if rings, err := w.tryRing(agent); err != nil {
				return err
			} else if rings {
				rung++
			}
		}
		if rung == 0 {
			return fault.New(fault.NoDevice)
		}
		return nil
	})
}

// isHandedOn reports whether colleagues are being rung for a customer who talks to an
// agent.
func (w *work) isHandedOn() bool {
	return len(w.legs(RoleRing)) > 0 && w.leg(RoleCustomer) != nil && (w.State == Active || w.State == Held)
}

// leaveTransfer plays music to the customer after the agent has left, until one of the
// colleagues who are being rung answers.
func (w *work) leaveTransfer(customer *Leg) error {
	w.plan.Then = thenBack
	return w.detach(customer)
}

// isRefused reports whether err means only that one phone cannot be rung, and not that the
// call failed.
func isRefused(err error) bool {
	for _, code := range []fault.Code{fault.NoDevice, fault.NoLine, fault.NoCredit, fault.CapReached, fault.ValidationFailed} {
		if fault.Is(err, code) {
			return true
		}
	}
	return false
}
