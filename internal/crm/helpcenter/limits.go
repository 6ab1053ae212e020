package helpcenter

import (
	"context"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/limit"
)

const day = 24 * time.Hour

// What visitors may do, per IP address and per workspace. They are anonymous, and what they
// send is stored.
var (
	searchesOfAddress   = limit.Policy{Name: "help-searches", Burst: 60, Window: time.Minute}
	votesOfAddress      = limit.Policy{Name: "help-votes", Burst: 30, Window: 10 * time.Minute}
	votesOnText         = limit.Policy{Name: "help-votes-text", Burst: 1, Window: day}
	messagesOfAddress   = limit.Policy{Name: "help-messages", Burst: 5, Window: 10 * time.Minute}
	messagesADay        = limit.Policy{Name: "help-messages-day", Burst: 30, Window: day}
	messagesOfWorkspace = limit.Policy{Name: "help-messages-workspace", Burst: 5_000, Window: day}
)

// use is one use of a policy with a key.
type use struct {
	policy limit.Policy
	key    limit.Key
}

// take takes each use once. It returns rate_limited at the first limit that is used up.
func (s *Service) take(ctx context.Context, uses ...use) error {
	for _, u := range uses {
		if r := s.cfg.Limits.Take(ctx, u.policy, u.key); !r.Allowed {
			return api.RateLimited(r)
		}
	}
	return nil
}
