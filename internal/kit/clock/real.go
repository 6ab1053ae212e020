package clock

import "time"

// The two below read the real clock whatever a Source says: how long something
// took, and when the kernel shall give a connection up, are no part of what
// tests and demo data put into another time.

// Stopwatch starts measuring and gives what has passed since.
func Stopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Deadline is d from now, for connections.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }
