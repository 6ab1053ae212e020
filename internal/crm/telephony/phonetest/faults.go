package phonetest

import (
	"errors"

	"github.com/google/uuid"

	"konak/internal/exchange"
)

// ErrDied is the error of a request during which the node died: the caller does not learn
// that it was carried out.
var ErrDied = errors.New("phonetest: the node died")

// DieAfter makes the node die after this many requests; zero keeps it alive.
func (x *Exchange) DieAfter(requests int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = requests
}

// SetStopped stops or restarts the exchange.
func (x *Exchange) SetStopped(stopped bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = stopped
}

// Measure sets the media statistics of a leg, which are reported with its end.
func (x *Exchange) Measure(leg uuid.UUID, m exchange.MediaStats) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.legs[leg].media = &m
}
