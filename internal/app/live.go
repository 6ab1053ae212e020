package app

import (
	"context"
	"strings"

	"konak/internal/crm/conversation"
	"konak/internal/kit/perm"
	"konak/internal/kit/realtime"
)

// digests returns the small answers that the streams repeat when they may have changed: the
// numbers next to the inbox's views.
func digests(conversations *conversation.Service) []realtime.Digest {
	return []realtime.Digest{{
		Name: "inbox.counts", Module: "crm", Permission: perm.ConversationsView,
		Concerns: func(name string) bool { return strings.HasPrefix(name, "conversation.") },
		Prepare:  func(ctx context.Context) (any, error) { return conversations.ReadAllCounts(ctx) },
		Make: func(ctx context.Context, all any) (any, error) {
			return conversations.CountsOf(ctx, all.(conversation.AllCounts))
		},
	}}
}
