package reply

import (
	"time"
)

const (
	// maxScheduled is how many may wait in one conversation.
	maxScheduled = 50
	// furthest is how far ahead a message may be written.
	furthest = 365 * 24 * time.Hour
)
