// Package hour counts the results of an endpoint's requests by the hour. The counters are
// written together with the attempts and cover a day: each hour of the day has one slot,
// which is overwritten a day later, so nothing needs cleaning.
package hour

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// shown is the number of hours counted, including the current one.
const shown = 24

// Requests are the results of an endpoint's requests in one hour.
type Requests struct {
	At        clock.Time `json:"at" doc:"Start of the hour"`
	Delivered int        `json:"delivered" example:"118" doc:"Requests that the receiver accepted"`
	Failed    int        `json:"failed" example:"2" doc:"Requests that failed; each attempt counts"`
}

// Attempt is one request for a delivery.
type Attempt struct {
	Tenant, Endpoint, Delivery uuid.UUID
	At                         time.Time
	Arrived                    bool
}

// key identifies a counter.
type key struct {
	tenant, endpoint uuid.UUID
	hour             time.Time
}

// slot returns where the counter of an hour is stored.
func (k key) slot() int64 { return k.hour.Unix() / 3600 % shown }

// count adds those of n attempts whose deliveries were marked.
func count(marked []uuid.UUID, n int, attempt func(i int) Attempt) map[key]*Requests {
	isMarked := make(map[uuid.UUID]bool, len(marked))
	for _, id := range marked {
		isMarked[id] = true
	}
	out := map[key]*Requests{}
	for i := range n {
		a := attempt(i)
		if !isMarked[a.Delivery] {
			continue
		}
		k := key{a.Tenant, a.Endpoint, a.At.UTC().Truncate(time.Hour)}
		if out[k] == nil {
			out[k] = &Requests{}
		}
		if a.Arrived {
			out[k].Delivered++
		} else {
			out[k].Failed++
		}
	}
	return out
}
