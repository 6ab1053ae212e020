package phonetest

import (
	"errors"

	"github.com/google/uuid"

	"konak/internal/exchange"
)

// ErrDied is what whoever asks gets to know of a request that was carried out when the node
// died: nothing.
var ErrDied = errors.New("phonetest: the node died")

// DieAfter lets the node die in so many requests; zero lets it live.
func (x *Exchange) DieAfter(requests int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = requests
}

// SetStopped makes the exchange one that does not run, or one that does again.
func (x *Exchange) SetStopped(stopped bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = stopped
}

// Measure says how the sound of a leg travelled, which is told with its end.
func (x *Exchange) Measure(leg uuid.UUID, m exchange.MediaStats) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.legs[leg].media = &m
}
