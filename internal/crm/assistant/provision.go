package assistant

import (
	"context"

	"konak/internal/crm/assistant/engine"
	"konak/internal/kit/caller"
)

// provisionLicence is the module that a workspace needs for the regulation corpus.
const provisionLicence = "advisor"

// Limits of answers from the regulation corpus. A law contains every word that people use,
// so a provision must cover more of the question than a help article.
const (
	maxProvisions  = 5
	provisionBound = 0.72
)

// findProvisions searches the regulation corpus if the configuration allows it and the
// workspace has the licence. The corpus is Turkish.
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
