package agent

// AddHooks also runs these hooks when an agent is suspended or removed.
func (s *Service) AddHooks(hooks ...Hook) { s.onLeave = append(s.onLeave, hooks...) }
