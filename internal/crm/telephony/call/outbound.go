package call

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/team"
	"konak/internal/exchange"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// NewCall is a call to place.
type NewCall struct {
	To             string
	NumberID       *uuid.UUID
	ContactID      *uuid.UUID
	ConversationID *uuid.UUID
	Via            string
}

// ringAgent is how long the caller's own phone rings, in seconds.
const ringAgent = 30

// Place places a call: it rings the caller's own phone and, once that is answered, the
// other party. It returns no_device, no_line, no_credit or cap_reached if the call cannot
// be made.
func (s *Service) Place(ctx context.Context, n NewCall) (out Call, err error) {
	who := caller.From(ctx)
	if s.Exchange != nil {
		if err := s.checkRegistered(ctx, who, strings.TrimSpace(n.To)); err != nil {
			return out, err
		}
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		if err := s.Timeline.CheckTarget(&tx.Reader, n.ContactID, n.ConversationID); err != nil {
			return err
		}
		me, err := s.Team.Find(&tx.Reader, who.ID)
		if db.IsNoRow(err) {
			return fault.New(fault.NoDevice)
		}
		if err != nil {
			return err
		}
		w, customer, err := s.prepare(tx, n, me)
		if err != nil {
			return err
		}
		w.Legs = append(w.Legs, customer) // it counts towards the caps of an outside phone
		own, err := w.dialAgent(RoleAgent, me, customer.Number, ringAgent)
		if isRefused(err) && address.IsEmergency(n.To) && me.Device == team.DeviceOutside {
			me.Device = team.DeviceDesk // neither credit nor caps hold back an emergency call
			own, err = w.dialAgent(RoleAgent, me, customer.Number, ringAgent)
		}
		if err != nil {
			return err
		}
		w.Legs = append(w.Legs, own)
		if err := w.store(); err != nil {
			return err
		}
		out = *w.Call
		return audit.Write(tx, "call.placed", w.ID.String(), map[string]any{"to": w.To, "via": w.Via})
	})
	return out, err
}

// reasonColleague is the reason of a no_device that concerns the colleague's phone.
const reasonColleague = "colleague"

// checkRegistered returns no_device if the phone of the caller, or of the colleague whom
// they call, is not signed in.
func (s *Service) checkRegistered(ctx context.Context, who *caller.Caller, to string) error {
	var me, colleague team.Member
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if me, err = s.Team.Find(r, who.ID); err != nil {
			return err
		}
		colleague, err = s.Team.FindByExtension(r, to)
		if db.IsNoRow(err) || address.IsEmergency(to) {
			colleague, err = me, nil
		}
		return err
	})
	if db.IsNoRow(err) {
		return fault.New(fault.NoDevice)
	}
	if err != nil {
		return err
	}
	signedIn, err := s.Team.Registered(ctx, who.TenantID)
	switch {
	case err != nil:
		return fault.New(fault.Unavailable).Wrap(err)
	case me.Device != team.DeviceOutside && !signedIn[me.Username]:
		return fault.New(fault.NoDevice)
	case colleague.AgentID != me.AgentID && !signedIn[colleague.Username]:
		return fault.New(fault.NoDevice).Because(reasonColleague)
	}
	return nil
}

// prepare creates a call and the leg of the called party, which is not dialled yet but has
// its credit set aside.
func (s *Service) prepare(tx *db.Tx, n NewCall, me team.Member) (*work, Leg, error) {
	w, err := s.begin(tx, Call{
		Direction: Outbound, AgentID: &me.AgentID, ContactID: n.ContactID, ConversationID: n.ConversationID,
	})
	if err != nil {
		return nil, Leg{}, err
	}
	colleague, err := s.Team.FindByExtension(&tx.Reader, strings.TrimSpace(n.To))
	switch {
	case address.IsEmergency(n.To): // even if a colleague has that extension
	case err == nil:
		if colleague.AgentID == me.AgentID {
			return nil, Leg{}, fault.Invalid("to", "own_extension")
		}
		if err := s.checkColleague(&tx.Reader, colleague); err != nil {
			return nil, Leg{}, err
		}
		w.Via, w.From, w.To = ViaInside, me.Extension, colleague.Extension
		leg := w.newLeg(RoleCustomer)
		leg.device, leg.AgentID, leg.max = colleague.Username, &colleague.AgentID, longestInside
		return w, leg, nil
	case !db.IsNoRow(err):
		return nil, Leg{}, err
	}
	out, err := w.findRoute(n)
	if err != nil {
		return nil, Leg{}, err
	}
	w.Via, w.NumberID, w.From = out.via, out.numberID, out.shows
	leg, err := w.newOutsideLeg(RoleCustomer, n.To, out)
	if err != nil {
		return nil, Leg{}, err
	}
	if w.To = leg.Number; w.ContactID == nil {
		w.ContactID, err = s.Timeline.FindCaller(&tx.Reader, w.To)
	}
	return w, leg, err
}

// checkColleague returns no_device for a colleague who has no phone or may not call.
func (s *Service) checkColleague(r *db.Reader, colleague team.Member) error {
	err := s.Team.MayCall(r, colleague.AgentID)
	if err == nil && colleague.Username == "" || fault.Is(err, fault.Forbidden) {
		return fault.New(fault.NoDevice).Because(reasonColleague)
	}
	return err
}

// longestInside is the maximum length of a call from phone to phone, in seconds.
const longestInside = 12 * 3600

func (w *work) newLeg(role string) Leg {
	return Leg{ID: w.tx.NewID(), Role: role, State: legPlanned, open: true, createdAt: clock.At(w.tx.Now())}
}

// way is an outside line.
type way struct {
	via      string
	trunk    uuid.UUID
	numberID *uuid.UUID
	shows    string // the number that is shown
	rated    bool
}

// findRoute chooses the line for an outgoing call: the requested one, or else a bought
// number before the workspace's own line. It returns no_line if there is none. Emergency
// calls may also use a number whose fee could not be paid.
func (w *work) findRoute(n NewCall) (way, error) {
	if w.s.Outside != nil && n.Via != ViaLine {
		find := w.s.Numbers.FindActive
		if address.IsEmergency(n.To) {
			find = w.s.Numbers.FindForHelp
		}
		number, err := find(&w.tx.Reader, n.NumberID)
		if err == nil {
			return way{via: ViaNumber, trunk: w.s.outsideTrunk(w.tx.Tenant()), numberID: &number.ID, shows: number.E164, rated: true}, nil
		}
		if !db.IsNoRow(err) {
			return way{}, err
		}
	}
	if n.NumberID != nil {
		return way{}, fault.Invalid("number_id", "unknown")
	}
	own, err := w.s.Line.Find(&w.tx.Reader)
	if db.IsNoRow(err) || err == nil && n.Via == ViaNumber {
		return way{}, fault.New(fault.NoLine)
	}
	if err != nil {
		return way{}, err
	}
	if !own.Usable() {
		return way{}, fault.New(fault.NoLine).Because(own.Status)
	}
	return way{via: ViaLine, trunk: *own.ID, shows: own.Number}, nil
}

// FindNumber returns the workspace that has the number dialled on the operator's line, and
// the exchange's id of that line for it. It returns exchange.ErrUnknown for a number that
// nobody has.
func (s *Service) FindNumber(ctx context.Context, dialled string) (tenant, trunk uuid.UUID, err error) {
	if s.Outside == nil {
		return uuid.Nil, uuid.Nil, exchange.ErrUnknown
	}
	tenant, err = s.Numbers.FindOwner(ctx, dialled)
	if db.IsNoRow(err) {
		return uuid.Nil, uuid.Nil, exchange.ErrUnknown
	}
	return tenant, s.outsideTrunk(tenant), err
}

// outsideTrunk returns the exchange's id of the operator's line for a workspace.
func (s *Service) outsideTrunk(tenant uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(s.Outside.ID, tenant[:])
}

// newOutsideLeg creates a leg to an outside number, with its first minute set aside. It
// returns validation_failed, cap_reached or no_credit. Nothing holds back an emergency
// call.
func (w *work) newOutsideLeg(role, to string, out way) (Leg, error) {
	l := w.newLeg(role)
	l.trunk, l.max = &out.trunk, int64(w.settings.Caps.MaxMinutes)*60
	if address.IsEmergency(to) {
		l.Number, l.max = strings.TrimSpace(to), longestInside
		return l, nil
	}
	number, ok := address.ParsePhone(to)
	if !ok {
		return l, fault.Invalid("to", "invalid_phone")
	}
	l.Number = number
	if back, err := w.leadsBack(number, out); err != nil {
		return l, err
	} else if back {
		return l, fault.Invalid("to", "own_number")
	}
	if err := w.checkCaps(number); err != nil {
		return l, err
	}
	if !out.rated {
		return l, nil
	}
	if l.rate = w.s.Rates.Find(number); l.rate == nil {
		return l, fault.New(fault.CapReached).Because("no_rate")
	}
	return l, w.reserve(&l)
}

// leadsBack reports whether a number is the workspace's own. A call sent there would come
// in again, be sent there again, and cost minutes each time.
func (w *work) leadsBack(number string, out way) (bool, error) {
	_, err := w.s.Numbers.FindDialled(&w.tx.Reader, number)
	if db.IsNoRow(err) {
		return number == out.shows, nil
	}
	return err == nil, err
}

// checkCaps returns cap_reached if the settings do not allow the call.
func (w *work) checkCaps(number string) error {
	caps := w.settings.Caps
	if len(caps.Countries) > 0 && !slices.ContainsFunc(caps.Countries, func(code string) bool { return strings.HasPrefix(number, "+"+code) }) {
		return fault.New(fault.CapReached).Because("country")
	}
	if err := w.lockOutside(); err != nil {
		return err
	}
	open, err := countOpenOutside(&w.tx.Reader)
	if err != nil {
		return err
	}
	more := w.newOutside()
	if open+more >= int64(caps.Concurrent) {
		return fault.New(fault.CapReached).Because("concurrent")
	}
	if caps.Daily == 0 {
		return nil
	}
	today, err := countOutsideSince(&w.tx.Reader, clock.At(w.tx.Now().UTC().Truncate(24*time.Hour)))
	if err == nil && today+more >= int64(caps.Daily) {
		return fault.New(fault.CapReached).Because("daily")
	}
	return err
}

// lockOutside lets only one transaction of the workspace at a time count its outside legs,
// so that two calls cannot both take the last place under a cap. Whoever takes both takes
// this lock before the wallet's.
func (w *work) lockOutside() error {
	return w.tx.Lock("phone outside " + w.tx.Tenant().String())
}

// newOutside counts the outside legs that are not stored yet.
func (w *work) newOutside() (n int64) {
	for _, l := range w.Legs {
		if l.lastAt.IsZero() && l.trunk != nil && (l.Role != RoleCustomer || w.Direction == Outbound) {
			n++
		}
	}
	return n
}

// dialAgent creates the leg to an agent's phone and dials it. It returns no_device if they
// have none or may not call, and for an outside phone the refusals of an outside leg.
func (w *work) dialAgent(role string, m team.Member, shows string, ring int) (Leg, error) {
	var l Leg
	if err := w.s.Team.MayCall(&w.tx.Reader, m.AgentID); fault.Is(err, fault.Forbidden) {
		return l, fault.New(fault.NoDevice)
	} else if err != nil {
		return l, err
	}
	switch {
	case m.Device == team.DeviceOutside && m.OutsideNum != nil:
		out, err := w.findRoute(NewCall{})
		if err != nil {
			return l, err
		}
		if l, err = w.newOutsideLeg(role, *m.OutsideNum, out); err != nil {
			return l, err
		}
		shows = out.shows
	case m.Username == "":
		return l, fault.New(fault.NoDevice)
	default:
		l = w.newLeg(role)
		l.device, l.max = m.Username, longestInside
	}
	l.AgentID = &m.AgentID
	w.dial(&l, shows, ring)
	return l, nil
}

// dial makes the exchange dial a leg.
func (w *work) dial(l *Leg, shows string, ring int) {
	l.State, l.dirty = legDialling, true
	c := command.Command{
		Kind: command.Originate, Leg: l.ID, Device: l.device, Number: l.Number, CallerNumber: shows, RingSeconds: ring, MaxSeconds: int(l.allowed()),
	}
	if l.trunk != nil {
		c.Trunk = *l.trunk
	}
	w.do(c)
}

// records reports whether the call is to be recorded.
func (w *work) records() bool {
	return w.recording == nil && w.Via != ViaInside && w.settings.Records(w.Direction)
}

// record starts recording if the settings ask for it. If the storage is full, the call goes
// on unrecorded.
func (w *work) record(customer *Leg) error {
	if !w.records() {
		return nil
	}
	may, err := w.mayRecord()
	if err != nil || !may {
		return err
	}
	id := w.tx.NewID()
	w.recording = &id
	w.do(command.Command{Kind: command.Record, Leg: customer.ID, Object: id})
	return nil
}

// connect joins the two legs, and records them if the settings say so.
func (w *work) connect(customer, other *Leg) error {
	if err := w.move(Active); err != nil {
		return err
	}
	w.do(
		command.Command{Kind: command.StopPlay, Leg: customer.ID},
		command.Command{Kind: command.Bridge, Bridge: w.bridge},
		command.Command{Kind: command.Join, Bridge: w.bridge, Leg: customer.ID},
		command.Command{Kind: command.Join, Bridge: w.bridge, Leg: other.ID},
	)
	w.plan, w.dueAt = plan{}, nil
	if err := w.record(customer); err != nil {
		return err
	}
	if other.AgentID != nil {
		w.AgentID = other.AgentID
	}
	if w.Direction == Outbound {
		return clearToReturn(w.tx, w.To)
	}
	return nil
}
