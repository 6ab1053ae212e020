package webhook

import "time"

// Beat sets how often streams show that they are alive.
func (s *Service) Beat(d time.Duration) { s.watch.Beat = d }
