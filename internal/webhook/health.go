package webhook

import (
	"time"

	"konak/internal/kit/clock"
)

// The rules of an endpoint that does not answer.
const (
	// disableAfter is the number of failed attempts in a row that disables an endpoint.
	disableAfter = 10
	statusGone   = 410 // the receiver never wants more
	probeFirst   = time.Minute
	maxProbeWait = 30 * time.Minute
	// An endpoint that has failed for this long and this often is given up, except for one
	// probe a day for a week.
	deadAfter    = 5 * 24 * time.Hour
	deadFailures = 50
	deadProbe    = 24 * time.Hour
	deadProbes   = 7
)

// mailAfter are the times after disabling at which the owners get a mail; giving up has a
// mail of its own.
var mailAfter = []time.Duration{time.Hour, 60 * time.Hour}

// health is the delivery record of an endpoint.
type health struct {
	status       string
	failures     int // attempts in a row
	failingSince *clock.Time
	disabledAt   *clock.Time
	code         *int
	class        *string
	reason       *string
	probes       int
	deadAt       *clock.Time
	mails        int
}

// clean reports whether a success would change nothing.
func (h *health) clean() bool { return h.failures == 0 && h.disabledAt == nil }

// never is later than any time that matters.
var never = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

// succeed records an attempt that was answered with a 2xx. It reports whether that
// re-enabled the endpoint.
func (h *health) succeed() (back bool) {
	back = h.status == Disabled
	status := h.status
	if back {
		status = Active
	}
	*h = health{status: status}
	return back
}

// fail records a failed attempt. It returns until when nothing is to be sent to the
// endpoint (the zero time for no pause), and whether this attempt disabled it. Attempts
// that were under way when it was disabled are not probes.
func (h *health) fail(now time.Time, code *int, class, reason string, probe bool) (hold time.Time, disabled bool) {
	h.failures++
	if h.failingSince == nil {
		h.failingSince = clock.Ptr(now)
	}
	h.explain(code, class, reason)
	switch {
	case h.status == Active && (h.failures >= disableAfter || code != nil && *code == statusGone):
		h.status, h.disabledAt, h.probes, h.mails = Disabled, clock.Ptr(now), 0, 0
		return now.Add(probeFirst), true
	case h.status != Disabled || !probe:
		return time.Time{}, false
	case h.deadAt == nil && now.Sub(h.failingSince.Time) >= deadAfter && h.failures >= deadFailures:
		h.deadAt, h.probes = clock.Ptr(now), 0
		return now.Add(deadProbe), false
	case h.deadAt != nil:
		if h.probes++; h.probes >= deadProbes {
			return never, false
		}
		return now.Add(deadProbe), false
	}
	h.probes++
	return now.Add(min(probeFirst<<min(h.probes, 10), maxProbeWait)), false
}

// explain stores the answer to the newest failed attempt.
func (h *health) explain(code *int, class, reason string) {
	h.code, h.class, h.reason = code, &class, &reason
}

// mail returns which mail to the owners is due, and false if none is.
func (h *health) mail(now time.Time) (kind string, due bool) {
	switch {
	case h.disabledAt == nil:
		return "", false
	case h.deadAt != nil && h.mails < len(mailAfter)+1:
		h.mails = len(mailAfter) + 1
		return NoticeGivenUp, true
	case h.mails < len(mailAfter) && now.Sub(h.disabledAt.Time) >= mailAfter[h.mails]:
		h.mails++
		return NoticeDisabled, true
	}
	return "", false
}
