package db

import "time"

// SetCap sets how long a transaction may take.
func (d *DB) SetCap(limit time.Duration) { d.cap = limit }

// ForgetSuspended makes the next check read the suspended workspaces again.
func (d *DB) ForgetSuspended() { d.suspended.forget() }
