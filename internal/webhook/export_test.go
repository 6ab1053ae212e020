package webhook

import "time"

// Beat sets how often streams look whether their watcher may still watch.
func (s *Service) Beat(d time.Duration) { s.watch.Beat = d }
