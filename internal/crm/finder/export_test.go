package finder

import "github.com/google/uuid"

// WholeReads returns how many conversations of a workspace refreshes have read
// from their beginning.
func (s *Service) WholeReads(tenant uuid.UUID) int {
	s.mu.Lock()
	sh := s.shelves[tenant]
	s.mu.Unlock()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.recent.wholeReads
}
