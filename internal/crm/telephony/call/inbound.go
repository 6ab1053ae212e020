package call

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/team"
	"konak/internal/exchange"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

const (
	// waitKey is how long a menu waits for the caller to press a key.
	waitKey = 8 * time.Second
	// menuTries is the number of times a caller hears a menu.
	menuTries = 3
	// shortestMessage is the minimum length of a voicemail message.
	shortestMessage = time.Second
)

// receive creates a call from an incoming leg: over the workspace's line, to one of its
// numbers over the operator's line, or over a messaging account.
func (s *Service) receive(tx *db.Tx, e exchange.Event) error {
	c, err := s.findDialled(&tx.Reader, e)
	if err != nil {
		return err
	}
	if n, ok := address.ParsePhone(e.From); ok {
		c.From = n
	} else if n, ok := address.ParsePhone("+" + e.From); ok {
		c.From = n
	}
	if err := s.findCaller(tx, &c); err != nil {
		return err
	}
	w, err := s.begin(tx, c)
	if err != nil {
		return err
	}
	l := w.newLeg(RoleCustomer)
	l.ID, l.State, l.trunk, l.Number, l.lastN, l.max = e.Leg, legRinging, &e.Trunk, c.From, int64(e.N), longestInside
	w.Legs = append(w.Legs, l)
	if err := w.move(Screening); err != nil {
		return err
	}
	if err := w.screen(); err != nil {
		return err
	}
	return w.store()
}

// findCaller looks up the contact who is calling. A caller from a messaging provider is its
// customer and becomes a contact, unless the number is blocked.
func (s *Service) findCaller(tx *db.Tx, c *Call) error {
	if c.From == "" {
		return nil
	}
	if c.Via == ViaChannel {
		blocked, err := s.Blocks.IsBlocked(&tx.Reader, c.From)
		if err != nil {
			return err
		}
		if !blocked {
			id, err := s.Timeline.ResolveCustomer(tx, c.channel, *c.ChannelID, c.From)
			c.ContactID = &id
			return err
		}
	}
	var err error
	c.ContactID, err = s.Timeline.FindCaller(&tx.Reader, c.From)
	return err
}

// findDialled returns a call with what the caller dialled: a messaging account, a number of
// the workspace, or its line.
func (s *Service) findDialled(r *db.Reader, e exchange.Event) (Call, error) {
	c := Call{Direction: Inbound, Via: ViaLine}
	if a, err := s.Messaging.Find(r, e.Trunk); err == nil {
		c.Via, c.To, c.ChannelID, c.channel = ViaChannel, a.Number, &a.ID, a.Channel
		return c, nil
	} else if !db.IsNoRow(err) {
		return c, err
	}
	if s.Outside == nil || e.Trunk != s.outsideTrunk(e.Tenant) {
		own, err := s.Line.Find(r)
		if db.IsNoRow(err) {
			err = nil
		}
		c.To = own.Number
		return c, err
	}
	c.Via = ViaNumber
	n, err := s.Numbers.FindDialled(r, e.To)
	if db.IsNoRow(err) {
		return c, nil // the number was given back just now
	}
	c.To, c.NumberID = n.E164, &n.ID
	return c, err
}

// screen decides what a caller hears first.
func (w *work) screen() error {
	if w.From != "" {
		blocked, err := w.s.Blocks.IsBlocked(&w.tx.Reader, w.From)
		if err != nil {
			return err
		}
		if blocked {
			return w.end(Blocked, bySystem, exchange.CauseRejected)
		}
	}
	if err := w.move(Routing); err != nil {
		return err
	}
	open := w.settings.Hours.V
	if !open.Open(w.tx.Now()) {
		slot := "closed"
		if open.IsHoliday(w.tx.Now()) {
			slot = "holiday"
		}
		return w.play(thenClosed, slot)
	}
	slots := []string{"welcome"}
	if w.settings.Records(Inbound) && w.settings.Recording.Notice {
		slots = append(slots, "recording_notice")
	}
	return w.play(thenRoute, slots...)
}

// play plays the slots to the caller, one after the other, and then goes on with then.
// Slots that play nothing are skipped.
func (w *work) play(then string, slots ...string) error {
	w.plan.Sounds, w.plan.Then = nil, then
	for _, slot := range slots {
		plays, err := w.s.Greetings.Plays(&w.tx.Reader, slot)
		if err != nil {
			return err
		}
		if plays {
			w.plan.Sounds = append(w.plan.Sounds, greeting.SlotSound(slot))
		}
	}
	return w.playNext()
}

// playNext plays the next queued sound, or goes on if there are no more.
func (w *work) playNext() error {
	customer := w.leg(RoleCustomer)
	if len(w.plan.Sounds) == 0 || customer == nil {
		w.plan.Play = uuid.Nil
		return w.goOn()
	}
	w.plan.Play = w.tx.NewID()
	w.answer(customer)
	w.do(command.Command{Kind: command.Play, Leg: customer.ID, Object: w.plan.Play, Sound: w.plan.Sounds[0]})
	w.plan.Sounds = w.plan.Sounds[1:]
	return nil
}

// answer answers the leg of a caller, unless it was answered before.
func (w *work) answer(l *Leg) {
	if l.State == legRinging {
		l.State, l.dirty = legAnswered, true
		w.do(command.Command{Kind: command.Answer, Leg: l.ID})
	}
}

// goOn carries out the step after the sounds.
func (w *work) goOn() error {
	then := w.plan.Then
	w.plan.Then = thenNothing
	switch then {
	case thenRoute:
		if len(w.settings.Menus) > 0 {
			return w.enterMenu(w.settings.Menus[0].Key)
		}
		return w.ringTeam()
	case thenClosed:
		if w.settings.ClosedAction == setting.ClosedVoicemail && w.settings.Voicemail.Enabled {
			return w.toVoicemail()
		}
		return w.end(Missed, bySystem, exchange.CauseNormal)
	case thenGoodbye:
		return w.end(Missed, bySystem, exchange.CauseNormal)
	case thenKey:
		w.plan.Then = dueKey
		w.dueIn(waitKey)
	case thenRecord:
		id, customer := w.tx.NewID(), w.leg(RoleCustomer)
		w.recording = &id
		w.plan.Then = dueRecording
		w.do(command.Command{Kind: command.Record, Leg: customer.ID, Object: id})
		w.dueIn(time.Duration(w.settings.Voicemail.Max) * time.Second)
	}
	return nil
}

// enterMenu plays a menu to the caller.
func (w *work) enterMenu(key string) error {
	m := w.settings.Menu(key)
	if m == nil || w.plan.Tries >= menuTries {
		w.plan = plan{}
		return w.ringTeam()
	}
	w.plan = plan{Menu: key, Tries: w.plan.Tries + 1, Then: thenKey, Sounds: []string{greeting.SpokenSound(m.Voice, m.Text)}}
	return w.playNext()
}

// chooseFromMenu carries out the caller's choice. A wrong key, or "" if none was pressed, costs one
// try.
func (w *work) chooseFromMenu(digit string) error {
	m := w.settings.Menu(w.plan.Menu)
	if m == nil || w.State != Routing {
		return nil
	}
	w.dueAt = nil
	key := m.Choose(digit)
	if key == nil {
		return w.enterMenu(w.plan.Menu)
	}
	if key.Action == setting.KeyMenu {
		w.plan.Tries = 0
		return w.enterMenu(key.Menu)
	}
	w.plan = plan{}
	if customer := w.leg(RoleCustomer); customer != nil {
		w.do(command.Command{Kind: command.StopPlay, Leg: customer.ID})
	}
	switch key.Action {
	case setting.KeyAgent:
		return w.ringAgents([]uuid.UUID{*key.AgentID})
	case setting.KeyGroup:
		members, err := w.s.Groups.GroupMembers(&w.tx.Reader, *key.GroupID)
		if err != nil {
			return err
		}
		return w.ringAgents(members)
	case setting.KeyNumber:
		return w.ringOutside(key.E164)
	case setting.KeyVoicemail:
		return w.noAnswer()
	case setting.KeyCallback:
		return w.promiseCallback(m.Voice)
	}
	return w.ringTeam()
}

// promised is the text, by voice, for a caller who asked to be called back.
var promised = map[string]string{
	"tr": "Teşekkürler. Sizi en kısa sürede geri arayacağız.",
	"en": "Thank you. We will call you back as soon as possible.",
}

// promiseCallback tells a caller that somebody will call back, and ends the call. A
// caller whose number is withheld cannot be called back and may leave a message.
func (w *work) promiseCallback(voice string) error {
	if w.From == "" {
		return w.noAnswer()
	}
	w.Callback = true
	w.plan = plan{Then: thenGoodbye, Sounds: []string{greeting.SpokenSound(voice, promised[voice])}}
	return w.playNext()
}

// ringTeam rings the agents who take the team's calls.
func (w *work) ringTeam() error {
	ids, err := w.team()
	if err != nil {
		return err
	}
	return w.ringAgents(ids)
}

// team returns the agents who take the team's calls.
func (w *work) team() ([]uuid.UUID, error) {
	list, err := w.s.Team.Ringing(&w.tx.Reader, w.tx.Now())
	return each.Map(list, func(m team.Member) uuid.UUID { return m.AgentID }), err
}

// ringAgents rings phones, all at once or one after the other.
func (w *work) ringAgents(ids []uuid.UUID) error {
	w.plan.Ring = ids
	if err := w.move(Ringing); err != nil {
		return err
	}
	if customer := w.leg(RoleCustomer); customer != nil {
		if customer.State == legRinging {
			w.do(command.Command{Kind: command.Ring, Leg: customer.ID})
		} else {
			w.do(command.Command{Kind: command.Play, Leg: customer.ID, Object: w.tx.NewID(), Sound: greeting.SlotSound("hold"), Loop: true})
		}
	}
	return w.ringNext()
}

// ringNext rings the next phones in the queue that are not in a call. If all are busy and
// one of them is only ringing, the caller waits for it. If none can be rung any more, the
// call is treated as unanswered.
func (w *work) ringNext() error {
	busy, err := w.s.Team.InCall(&w.tx.Reader)
	if err != nil {
		return err
	}
	rung, all := 0, slices.Clone(w.plan.Ring)
	for len(w.plan.Ring) > 0 && (rung == 0 || w.settings.RingStrategy == setting.RingAll) {
		agent := w.plan.Ring[0]
		if w.plan.Ring = slices.Clone(w.plan.Ring[1:]); busy[agent] != team.Free {
			continue
		}
		rings, err := w.tryRing(agent)
		if err != nil {
			return err
		}
		if !rings {
			continue
		}
		if !w.plan.Marked { // only the agent rung first moves behind the others
			w.plan.Marked, w.rung = true, &agent
		}
		rung++
	}
	switch {
	case w.State == Detached && rung == 0:
		return w.nobodyCame()
	case w.State == Detached:
		return nil
	case rung > 0:
		w.plan.Then = thenNothing
		return nil
	}
	if w.waitForPhone(all, busy) {
		return nil
	}
	return w.noAnswer()
}

// tryRing rings an agent's phone for the customer. It returns false if they have none, or it
// cannot be rung now.
func (w *work) tryRing(agent uuid.UUID) (bool, error) {
	m, err := w.s.Team.Find(&w.tx.Reader, agent)
	if err != nil {
		return false, db.IgnoreNoRow(err)
	}
	l, err := w.dialAgent(RoleRing, m, w.otherNumber(), w.settings.RingSeconds)
	if isRefused(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.Legs = append(w.Legs, l) // it counts towards the caps of the next outside leg
	return true, nil
}

// againIn is how long a caller waits before the phones are checked again.
const againIn = time.Second

// waitForPhone lets a caller wait if all phones are busy: until one is free, and no longer
// than it would ring there. If all are talking from the start, it returns false.
func (w *work) waitForPhone(agents []uuid.UUID, busy map[uuid.UUID]team.Busy) bool {
	agents = slices.DeleteFunc(agents, func(id uuid.UUID) bool { return busy[id] == team.Free })
	rings := slices.ContainsFunc(agents, func(id uuid.UUID) bool { return busy[id] == team.Rings })
	over := w.RingingAt.Add(time.Duration(w.settings.RingSeconds) * time.Second)
	if len(agents) == 0 || !rings && w.plan.Then != duePhone || !w.tx.Now().Before(over) {
		return false
	}
	w.plan.Ring, w.plan.Then = agents, duePhone
	w.dueIn(againIn)
	return true
}

// ringOutside sends a caller to an outside number, which costs minutes.
func (w *work) ringOutside(number string) error {
	out, err := w.findRoute(NewCall{})
	if err == nil {
		var l Leg
		if l, err = w.newOutsideLeg(RoleThird, number, out); err == nil {
			if err := w.move(Ringing); err != nil {
				return err
			}
			w.dial(&l, out.shows, w.settings.RingSeconds)
			w.Legs = append(w.Legs, l)
			return nil
		}
	}
	if isRefused(err) {
		return w.noAnswer()
	}
	return err
}

// noAnswer handles a call that nobody takes.
func (w *work) noAnswer() error {
	if w.settings.Voicemail.Enabled && w.leg(RoleCustomer) != nil {
		return w.toVoicemail()
	}
	return w.end(Missed, bySystem, exchange.CauseNoAnswer)
}

// toVoicemail lets the caller leave a message. If the storage is full, the call is missed,
// as without voicemail.
func (w *work) toVoicemail() error {
	if may, err := w.mayRecord(); err != nil {
		return err
	} else if !may {
		return w.end(Missed, bySystem, causeFull)
	}
	if err := w.move(Voicemail); err != nil {
		return err
	}
	customer := w.leg(RoleCustomer)
	w.answer(customer)
	w.do(command.Command{Kind: command.StopPlay, Leg: customer.ID})
	w.plan = plan{Then: thenRecord, Sounds: []string{greeting.SlotSound("voicemail"), greeting.Beep}}
	return w.playNext()
}
