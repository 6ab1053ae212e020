package call

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// extendBefore is how long before the end of its credit a leg's next minute is paid.
const extendBefore = 10 * time.Second

// sliceRef returns the id of the hold for the slice of a leg that begins after this many
// seconds.
func sliceRef(leg uuid.UUID, paid int64) uuid.UUID {
	return uuid.NewSHA1(leg, binary.BigEndian.AppendUint64(nil, uint64(paid)))
}

// reserve sets aside credit for the next minute of a leg. It returns no_credit if the
// credit does not suffice, and does nothing for a leg that costs nothing.
func (w *work) reserve(l *Leg) error {
	if l.rate == nil {
		return nil
	}
	if amount := l.rate.sliceCost(l.paid); amount > 0 {
		if err := w.s.Wallet.HoldForCall(w.tx, sliceRef(l.ID, l.paid), w.ID, amount); err != nil {
			return err
		}
	}
	l.paid, l.dirty = l.paid+slice, true
	return nil
}

// allowed returns how many seconds a leg may last: those that are paid, but no more than
// the cap.
func (l *Leg) allowed() int64 {
	if l.rate == nil {
		return l.max
	}
	return min(l.paid, l.max)
}

// extend pays for the next minute of the legs whose credit ends soon, and warns the agent
// if no credit is left.
func (w *work) extend() error {
	soon := w.tx.Now().Add(extendBefore)
	for i := range w.Legs {
		l := &w.Legs[i]
		if !l.open || l.paidUntil == nil || l.paidUntil.After(soon) {
			continue
		}
		if l.paid >= l.max {
			l.paidUntil, l.dirty = nil, true // the cap ends it
			continue
		}
		err := w.reserve(l)
		if fault.Is(err, fault.NoCredit) {
			w.warn(l)
			continue
		}
		if err != nil {
			return err
		}
		l.paidUntil = l.payUntil()
		w.do(command.Command{Kind: command.Extend, Leg: l.ID, MaxSeconds: int(l.allowed())})
	}
	return nil
}

// warn plays a beep to the agent because the credit is about to end. The exchange cuts the
// leg when it does.
func (w *work) warn(l *Leg) {
	l.warned, l.paidUntil, l.dirty = true, nil, true
	if agent := w.leg(RoleAgent); agent != nil {
		w.do(command.Command{Kind: command.Play, Leg: agent.ID, Object: w.tx.NewID(), Sound: greeting.Beep})
	}
}

// payUntil returns when the credit set aside for an answered leg ends; nil for a leg that
// costs nothing.
func (l *Leg) payUntil() *clock.Time {
	if l.rate == nil || l.AnsweredAt == nil {
		return nil
	}
	return clock.Ptr(l.AnsweredAt.Add(time.Duration(l.paid) * time.Second))
}

// settleLeg spends the cost of a leg that has ended, and releases the rest of what was set
// aside for it.
func (w *work) settleLeg(l *Leg) error {
	if l.rate == nil {
		return nil
	}
	if err := w.lockOutside(); err != nil { // the next step may dial another outside leg
		return err
	}
	if l.AnsweredAt != nil {
		talked := l.EndedAt.Sub(l.AnsweredAt.Time)
		l.Billed = l.rate.billedSeconds(min(int64((talked+time.Second-1)/time.Second), l.paid))
	}
	l.Cost = l.rate.Cost(l.Billed)
	rest := l.Cost
	for paid := int64(0); paid < l.paid; paid += slice {
		amount, ref := l.rate.sliceCost(paid), sliceRef(l.ID, paid)
		if amount == 0 {
			continue
		}
		spend, err := min(rest, amount), error(nil)
		if rest -= spend; spend > 0 {
			err = w.s.Wallet.Settle(w.tx, ref, spend)
		} else {
			err = w.s.Wallet.Release(w.tx, ref)
		}
		if err != nil {
			return fmt.Errorf("call: settle: %w", err)
		}
	}
	w.BilledSeconds, w.Cost = w.BilledSeconds+l.Billed, w.Cost+l.Cost
	return nil
}
