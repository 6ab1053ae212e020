package call

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/block"
	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/line"
	"konak/internal/crm/telephony/messaging"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/team"
	"konak/internal/exchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// Wallet pays for calls.
type Wallet interface {
	// HoldForCall sets an amount aside for ref, a part of a call; no_credit if less is
	// available.
	HoldForCall(tx *db.Tx, ref, call uuid.UUID, amount int64) error
	// Settle spends an amount of what is set aside for ref.
	Settle(tx *db.Tx, ref uuid.UUID, amount int64) error
	// Release makes what is set aside for ref available again.
	Release(tx *db.Tx, ref uuid.UUID) error
}

// Timeline writes calls into conversations.
type Timeline interface {
	// FindCaller returns the contact with this number; nil if there is none.
	FindCaller(r *db.Reader, e164 string) (*uuid.UUID, error)
	// ResolveCustomer returns the customer of a messaging account by their number, and
	// creates them if needed.
	ResolveCustomer(tx *db.Tx, channel string, account uuid.UUID, e164 string) (uuid.UUID, error)
	// CheckTarget refuses a contact or a conversation that does not exist or that the
	// caller may not see.
	CheckTarget(r *db.Reader, contact, conversation *uuid.UUID) error
	// WriteCall creates or changes the item of a call, and returns its conversation and the
	// item; nil for a call that belongs in no conversation.
	WriteCall(tx *db.Tx, c *Call, item *uuid.UUID) (conversation, newItem *uuid.UUID, err error)
}

// Groups finds the workspace's groups.
type Groups interface {
	// GroupMembers lists the agents of a group; none if the group does not exist.
	GroupMembers(r *db.Reader, id uuid.UUID) ([]uuid.UUID, error)
}

// Mail notifies people by e-mail.
type Mail interface {
	// TellMessage sends the notice of a voicemail message in the transaction.
	TellMessage(tx *db.Tx, n MessageNotice) error
}

// Config is the configuration of a Service.
type Config struct {
	DB        *db.DB
	Log       *slog.Logger
	Wallet    Wallet
	Team      *team.Service
	Settings  *setting.Service
	Blocks    *block.Service
	Line      *line.Service
	Numbers   *number.Service
	Greetings *greeting.Service
	// Messaging knows the messaging accounts whose calls the exchange takes.
	Messaging *messaging.Service
	Timeline  Timeline
	Groups    Groups
	Mail      Mail
	Rates     Rates
	// Outside is the operator's line, which carries the calls of bought numbers; nil if
	// there is none. The exchange gets it once for each workspace that uses it.
	Outside *exchange.Trunk
	// Exchange carries the calls; nil if this node has none.
	Exchange exchange.Exchange
}

// Service manages the calls of a workspace.
type Service struct {
	Config
	given sync.Map // workspaces for which the exchange has the operator's line
}

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Log == nil || c.Wallet == nil || c.Team == nil || c.Settings == nil || c.Blocks == nil || c.Line == nil ||
		c.Numbers == nil || c.Greetings == nil || c.Messaging == nil || c.Timeline == nil || c.Groups == nil || c.Mail == nil || len(c.Rates) == 0 {
		return nil, errors.New("call: the config is not complete")
	}
	return &Service{Config: c}, nil
}

// work is a call that a transaction is changing.
type work struct {
	*Call
	s        *Service
	tx       *db.Tx
	settings setting.Settings
	was      Call
	fresh    bool
	at       time.Time  // time of the event being applied
	rung     *uuid.UUID // the agent who moves behind the others
	commands []command.Command
}

// begin creates a call.
func (s *Service) begin(tx *db.Tx, c Call) (*work, error) {
	c.ID, c.bridge, c.StartedAt, c.State, c.Legs = tx.NewID(), tx.NewID(), clock.At(tx.Now()), Created, []Leg{}
	settings, err := s.Settings.Find(&tx.Reader)
	return &work{Call: &c, s: s, tx: tx, settings: settings, fresh: true}, err
}

// lock reads a call and locks it against other changes. It returns not_found if it does not
// exist.
func (s *Service) lock(tx *db.Tx, id uuid.UUID) (*work, error) {
	c, err := lockCall(tx, id)
	if err != nil {
		return nil, db.NotFound(err)
	}
	if c.Legs, err = legsOf(&tx.Reader, id); err != nil {
		return nil, err
	}
	settings, err := s.Settings.Find(&tx.Reader)
	return &work{Call: &c, s: s, tx: tx, settings: settings, was: c}, err
}

// inCall is the gate: it locks a call, lets fn change it, and stores it together with its
// commands and events.
func (s *Service) inCall(ctx context.Context, tenant, id uuid.UUID, fn func(*work) error) (out Call, err error) {
	err = s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		w, err := s.lock(tx, id)
		if err != nil {
			return err
		}
		if err := fn(w); err != nil {
			return err
		}
		if err := w.store(); err != nil {
			return err
		}
		out = *w.Call
		return nil
	})
	return out, err
}

// move changes the state of the call. It returns call_state if the state machine does not
// allow it.
func (w *work) move(to State) error {
	if !mayGo(w.State, to) {
		return fault.New(fault.CallState)
	}
	now := clock.At(w.now())
	switch {
	case to == Ringing && w.RingingAt == nil:
		w.RingingAt = &now
	case to == Active && w.AnsweredAt == nil:
		w.AnsweredAt = &now
	case to == Voicemail && w.mailAt == nil:
		w.mailAt = &now
	}
	waits := to == Held || to == Detached
	if w.heldAt != nil && !waits {
		w.held += max(now.Sub(w.heldAt.Time), 0)
		w.heldAt = nil
	}
	if waits && w.heldAt == nil {
		w.heldAt = &now
	}
	w.State = to
	return nil
}

// now returns the time of the event being applied, which may be reported late, or else the
// transaction's.
func (w *work) now() time.Time {
	if w.at.IsZero() {
		return w.tx.Now()
	}
	return w.at
}

// lastEnd returns when the last leg of the call ended.
func (w *work) lastEnd() clock.Time {
	end := w.StartedAt
	if w.AnsweredAt != nil && w.AnsweredAt.After(end.Time) {
		end = *w.AnsweredAt
	}
	for _, l := range w.Legs {
		if l.EndedAt != nil && l.EndedAt.After(end.Time) {
			end = *l.EndedAt
		}
	}
	return end
}

// do queues commands for the exchange.
func (w *work) do(list ...command.Command) { w.commands = append(w.commands, list...) }

// dueIn sets when the call is processed again.
func (w *work) dueIn(d time.Duration) { w.dueAt = clock.Ptr(w.tx.Now().Add(d)) }

// legs returns the open legs with one of the roles.
func (w *work) legs(roles ...string) (out []*Leg) {
	for i := range w.Legs {
		for _, role := range roles {
			if w.Legs[i].open && w.Legs[i].Role == role {
				out = append(out, &w.Legs[i])
			}
		}
	}
	return out
}

// leg returns the open leg of a role; nil if there is none.
func (w *work) leg(role string) *Leg {
	if list := w.legs(role); len(list) > 0 {
		return list[0]
	}
	return nil
}

// hangup hangs up legs without changing the state of the call.
func (w *work) hangup(cause exchange.Cause, list ...*Leg) error {
	for _, l := range list {
		if l == nil || !l.open {
			continue
		}
		if l.State == legPlanned { // the exchange never heard of it
			if err := w.endLeg(l, cause, w.tx.Now()); err != nil {
				return err
			}
			continue
		}
		w.do(command.Command{Kind: command.Hangup, Leg: l.ID, Cause: cause})
	}
	return nil
}

// end ends the call and all its legs.
func (w *work) end(disposition, endedBy string, cause exchange.Cause) error {
	if w.State == Ending || w.State == Ended {
		return nil
	}
	if err := w.move(Ending); err != nil {
		return err
	}
	if w.AnsweredAt != nil && disposition != LeftMail {
		disposition = Answered
	}
	w.Disposition, w.EndedBy, w.Cause, w.plan, w.dueAt = disposition, endedBy, string(cause), plan{}, nil
	w.ToReturn = w.Direction == Inbound && w.From != "" && (disposition == Missed || disposition == Abandoned || disposition == LeftMail)
	return w.hangup(cause, w.legs(RoleCustomer, RoleAgent, RoleRing, RoleThird, RoleLeft)...)
}

// store writes the call, its changed legs, its commands and its events.
func (w *work) store() error {
	if w.State == Ending && len(w.legs(RoleCustomer, RoleAgent, RoleRing, RoleThird, RoleLeft)) == 0 {
		end := w.lastEnd()
		w.State, w.EndedAt = Ended, &end
		w.do(command.Command{Kind: command.Unbridge, Bridge: w.bridge})
	}
	w.setTimes()
	if err := w.writeItem(); err != nil {
		return err
	}
	save := saveCall
	if w.fresh {
		save = insertCall
	}
	if err := save(w.tx, w.Call); err != nil {
		return err
	}
	for i := range w.Legs {
		l, err := &w.Legs[i], error(nil)
		switch {
		case l.lastAt.IsZero(): // new
			l.lastAt = l.createdAt
			err = insertLeg(w.tx, w.ID, l)
		case l.dirty:
			err = saveLeg(w.tx, l)
		}
		if err != nil {
			return err
		}
	}
	if err := command.Put(w.tx, w.commands...); err != nil {
		return err
	}
	if err := w.announce(); err != nil {
		return err
	}
	return w.tellTeam()
}

// writeItem updates the call's item in its conversation, if that would show something new.
func (w *work) writeItem() error {
	if !w.fresh && w.was.State == w.State && w.was.RecordingMS == w.RecordingMS && (w.was.Message.V == nil) == (w.Message.V == nil) {
		return nil
	}
	conversation, item, err := w.s.Timeline.WriteCall(w.tx, w.Call, w.item)
	if conversation != nil {
		w.ConversationID = conversation
	}
	w.item = item
	return err
}

// tellTeam moves the agent who was rung first behind the others, and gives the agent of an
// answered call a pause after it has ended. It comes last: rows of agents are locked after
// a call's own, its conversation and its money, in the same order as when an agent is
// suspended.
func (w *work) tellTeam() error {
	if w.rung != nil {
		if err := w.s.Team.MarkRung(w.tx, *w.rung); err != nil {
			return err
		}
	}
	if w.was.State == Ended || w.State != Ended || w.AgentID == nil || w.AnsweredAt == nil || w.settings.WrapUp == 0 {
		return nil
	}
	return w.s.Team.WrapUp(w.tx, *w.AgentID, time.Duration(w.settings.WrapUp)*time.Second)
}

// announce emits the events of what happened to the call in this transaction.
func (w *work) announce() error {
	var names []string
	if w.fresh {
		names = append(names, Started)
	}
	if w.was.AnsweredAt == nil && w.AnsweredAt != nil {
		names = append(names, AnsweredEvent)
	}
	if w.was.State != Ended && w.State == Ended {
		names = append(names, EndedEvent)
		if w.Direction == Inbound && (w.Disposition == Missed || w.Disposition == Abandoned) {
			names = append(names, MissedEvent)
		}
	}
	if (w.was.Message.V == nil || w.was.RecordingMS == 0) && w.Message.V != nil && w.RecordingMS > 0 {
		names = append(names, MessageLeft)
		if err := w.tellMessage(); err != nil {
			return err
		}
	}
	for _, name := range names {
		if _, err := event.Emit(w.tx, event.Change{Type: name, Object: *w.Call}); err != nil {
			return err
		}
	}
	return nil
}
