package email

// Spooled returns how many bytes of unfinished mails lie on the disk.
func (s *Service) Spooled() int64 { return s.spooled.Load() }
