package webhook

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Whatever an endpoint answers: it is disabled only after ten failures in a row or a 410, a
// success always clears everything, a probe is never later than its rule says, and each
// mail is sent once.
func TestHealth(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := health{status: Active}
		now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
		row, mails := 0, 0
		alive := r.Float64() * 0.3
		for range 400 {
			probe := h.status == Disabled
			if r.Float64() < alive {
				back := h.succeed()
				if back != probe || !h.clean() || h.status != Active || h.mails != 0 {
					t.Fatalf("seed %d: after a success %+v", seed, h)
				}
				row, mails = 0, 0
				continue
			}
			code := 500
			if r.IntN(200) == 0 {
				code = statusGone
			}
			row++
			hold, disabled := h.fail(now, &code, "status", "no", probe)
			switch {
			case h.failures != row:
				t.Fatalf("seed %d: %d failures counted, %d made", seed, h.failures, row)
			case disabled != (!probe && (row >= disableAfter || code == statusGone)):
				t.Fatalf("seed %d: disabled %v after %d failures, code %d", seed, disabled, row, code)
			case h.status == Active && !hold.IsZero():
				t.Fatalf("seed %d: an active endpoint is held", seed)
			case h.status == Disabled && h.deadAt == nil && (hold.Before(now.Add(probeFirst)) || hold.After(now.Add(maxProbeWait))):
				t.Fatalf("seed %d: probed after %s", seed, hold.Sub(now))
			case h.deadAt != nil && hold != never && !hold.Equal(now.Add(deadProbe)):
				t.Fatalf("seed %d: dead and probed after %s", seed, hold.Sub(now))
			}
			for {
				kind, due := h.mail(now)
				if !due {
					break
				}
				if mails++; mails > 3 || (kind == NoticeGivenUp) != (h.deadAt != nil) {
					t.Fatalf("seed %d: mail %d is %s", seed, mails, kind)
				}
			}
			if hold.Equal(never) {
				break
			}
			if hold.After(now) {
				now = hold
			}
		}
	}
}

// The waits lie within their jitter, honour Retry-After up to a day, and end.
func TestRetryIn(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for attempt := 1; attempt <= len(retryWaits)+3; attempt++ {
		for range 100 {
			asked := time.Duration(r.Int64N(int64(48 * time.Hour)))
			if r.IntN(2) == 0 {
				asked = 0
			}
			wait, more := retryIn(attempt, asked, r.Float64())
			if more != (attempt <= len(retryWaits)) {
				t.Fatalf("attempt %d: more %v", attempt, more)
			}
			if !more {
				continue
			}
			base := retryWaits[attempt-1]
			least, most := base*8/10, max(base*12/10, min(asked, 24*time.Hour))
			if wait < max(least, min(asked, 24*time.Hour)) || wait > most {
				t.Fatalf("attempt %d waits %s", attempt, wait)
			}
		}
	}
}
