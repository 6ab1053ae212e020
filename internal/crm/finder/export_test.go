package finder

import "github.com/google/uuid"

// WholeReads returns how many conversations of a workspace refreshes have read
// from their beginning.
func (s *Service) WholeReads(tenant uuid.UUID) int {
	s.mu.Lock()
	w := s.workspaces[tenant]
	s.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.recent.wholeReads
}
