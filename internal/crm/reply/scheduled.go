package reply

import (
	"time"
)

const (
	// maxScheduled is the number of messages that may wait in one conversation.
	maxScheduled = 50
	// furthest is how far ahead a message may be scheduled.
	furthest = 365 * 24 * time.Hour
)
