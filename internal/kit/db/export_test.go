package db

import "time"

// SetCap sets how long a transaction may take.
func (d *DB) SetCap(limit time.Duration) { d.cap = limit }
