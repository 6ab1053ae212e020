package widget

import "time"

// SetHeartbeat sets how often streams show that they are alive.
func (s *Service) SetHeartbeat(d time.Duration) { s.heartbeat = d }
