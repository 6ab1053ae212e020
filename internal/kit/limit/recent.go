package limit

import (
	"time"

	"konak/internal/kit/db"
)

// Recent counts how often something happened to a key in a sliding window, up to a limit:
// what matters is whether a threshold is reached. It counts in the database, so every node
// knows what happened on the others. It is for events that are expensive anyway, such as a
// wrong password, not for every request.
type Recent struct {
	name   string
	window time.Duration
	keep   int
}

// NewRecent returns a Recent that counts up to keep in a window. The name identifies what
// is counted.
func NewRecent(name string, window time.Duration, keep int) *Recent {
	return &Recent{name: name, window: window, keep: keep}
}

// Add records that it happened.
func (r *Recent) Add(tx *db.Tx, k Key) error {
	return putAct(tx, r.name, k, tx.Now().Add(r.window))
}

// Count returns how often it happened, up to the limit.
func (r *Recent) Count(q *db.Reader, now time.Time, k Key) (int, error) {
	return countActs(q, r.name, k, now.Add(-r.window), r.keep)
}
