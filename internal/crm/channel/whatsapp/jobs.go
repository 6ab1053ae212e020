package whatsapp

import "konak/internal/kit/jobs"

// Jobs are the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return append(s.transport.Jobs(), jobs.Kind{Name: trialJob, Handler: s.runTrial, PerNode: 16, PerTenant: 4, MaxAttempts: 20})
}
