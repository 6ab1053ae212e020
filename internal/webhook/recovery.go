package webhook

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Recovery statuses.
const (
	RecoveryRunning = "running"
	RecoveryDone    = "done"
)

// Recovery is a range of time whose events are to be sent to an endpoint, with its
// progress.
type Recovery struct {
	ID       uuid.UUID  `json:"id" format:"uuid"`
	Endpoint uuid.UUID  `json:"endpoint_id" format:"uuid"`
	Since    clock.Time `json:"since"`
	Until    clock.Time `json:"until"`
	// Delivered also resends events that had already arrived.
	Delivered  bool        `json:"include_delivered" doc:"Whether deliveries that had arrived are also resent"`
	Status     string      `json:"status" enum:"running,done" doc:"done: everything in the range is queued; the delivery history shows what arrived"`
	Progress   float64     `json:"progress" minimum:"0" maximum:"1" example:"0.25" doc:"Share of the range processed so far"`
	Reached    clock.Time  `json:"reached" doc:"Time up to which the range is processed"`
	Examined   int         `json:"examined" example:"1200" doc:"Number of the workspace's events checked"`
	Queued     int         `json:"queued" example:"37" doc:"Number of deliveries queued for the endpoint"`
	CreatedAt  clock.Time  `json:"created_at"`
	FinishedAt *clock.Time `json:"finished_at" nullable:"true"`
	after      uuid.UUID   // the last event that was examined
}

// advance records that the recovery has examined the events up to last.
func (r *Recovery) advance(last uuid.UUID, examined, queued int) {
	sec, nsec := last.Time().UnixTime()
	r.after, r.Examined, r.Queued = last, r.Examined+examined, r.Queued+queued
	r.Reached = clock.At(time.Unix(sec, nsec))
	r.measure()
}

func (r *Recovery) finish(now time.Time) {
	r.Status, r.Reached, r.FinishedAt = RecoveryDone, r.Until, clock.Ptr(now)
	r.measure()
}

// measure computes the finished part of the range. Only a finished recovery is at 1: the
// last event may be at the very end of the range.
func (r *Recovery) measure() {
	if r.Status == RecoveryDone {
		r.Progress = 1
		return
	}
	r.Progress = min(max(r.Reached.Sub(r.Since.Time).Seconds()/r.Until.Sub(r.Since.Time).Seconds(), 0), 0.99)
}
