package domain

import (
	"slices"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/dns"
)

// badRounds is the number of consecutive rounds that must find a problem before the state
// changes.
const badRounds = 2

// The intervals of lookups, after a change of state or new keys.
const (
	firstRounds = 72 * time.Hour // at least hourly
	hourly      = time.Hour
	daily       = 24 * time.Hour
)

// nextRound returns when the records are looked up again.
func (d *row) nextRound(now time.Time) time.Time {
	switch {
	case d.State == Active && d.bad > 0:
		return now.Add(hourly)
	case d.State == Active && d.NextSelector == "" || now.Sub(d.stateAt.Time) >= firstRounds:
		return now.Add(daily)
	case d.rounds == 0:
		return now.Add(time.Minute)
	case d.rounds == 1:
		return now.Add(5 * time.Minute)
	case d.rounds == 2:
		return now.Add(15 * time.Minute)
	}
	return now.Add(hourly)
}

// answered reports whether the name servers answered the last query.
func (r Result) answered() bool {
	return r.Status != StatusUnreachable && !slices.Contains([]string{dns.ReasonFailed, dns.ReasonTimeout, dns.ReasonUnreachable}, r.Error)
}

// summary sums up the results of all records.
type summary struct {
	owns     bool // the ownership record is there
	complete bool // every mandatory record is there
	gone     bool // name servers confirm that the ownership record is missing
	wrong    bool // name servers confirm that a mandatory record is missing or wrong
	sure     bool // name servers answered for every mandatory record
}

func summarize(records []Record) summary {
	sum := summary{complete: true, sure: true}
	for _, r := range records {
		if r.Purpose == purposeOwnership {
			sum.owns, sum.gone = r.Status == StatusOK, r.Status != StatusOK && r.answered()
		}
		if r.Required {
			sum.complete = sum.complete && r.Status == StatusOK
			sum.wrong = sum.wrong || r.Status != StatusOK && r.answered()
			sum.sure = sum.sure && r.answered()
		}
	}
	return sum
}

// countRound counts a scheduled round.
func (d *row) countRound(sum summary) {
	d.rounds++
	switch {
	case sum.wrong:
		d.bad++
	case sum.sure:
		d.bad = 0
	}
	switch {
	case sum.gone:
		d.lost++
	case sum.owns:
		d.lost = 0
	}
}

// nextState returns the domain's next state. The domain becomes owned by the workspace only
// if mayOwn is true.
func (d *row) nextState(sum summary, mayOwn bool) string {
	owned := d.owned()
	switch {
	case owned && d.lost >= badRounds && d.State == Verifying:
		return Pending
	case owned && d.lost >= badRounds:
		return Suspended
	case !owned && !(sum.owns && mayOwn):
		return d.State
	case sum.complete:
		return Active
	case d.State == Active && d.bad < badRounds, d.State == Degraded:
		return d.State
	case d.State == Active:
		return Degraded
	}
	return Verifying
}

// move sets the state and reports whether it changed.
func (d *row) move(to string, now time.Time) bool {
	if d.State == to {
		return false
	}
	d.State, d.stateAt = to, clock.At(now)
	d.rounds, d.bad, d.lost = 0, 0, 0
	if to == Active && d.VerifiedAt == nil {
		d.VerifiedAt = &d.stateAt
	}
	return true
}
