package assistant

import (
	"context"

	"konak/internal/crm/assistant/engine"
	"konak/internal/kit/caller"
)

// provisionLicence is the module that a workspace needs for the regulation corpus.
const provisionLicence = "advisor"

// Bounds of answers from the regulation corpus. A law has every word that people use, so
// more of the question has to be in the provision than in a help article.
const (
	maxProvisions  = 5
	provisionBound = 0.72
)

// findProvisions asks the regulation corpus, where the configuration says so and the
// workspace has it. The corpus is Turkish.
func (s *Service) findProvisions(ctx context.Context, c *Configuration, question, language string) (engine.Reply, error) {
	if !c.Provisions || !caller.From(ctx).Licences[provisionLicence] || language != engine.Turkish {
		return engine.Reply{}, nil
	}
	texts, err := s.Provisions.FindProvisions(ctx, question, maxProvisions)
	if err != nil {
		return engine.Reply{}, err
	}
	return engine.NewIndex(texts).Answer(question, engine.Turkish, provisionBound), nil
}
