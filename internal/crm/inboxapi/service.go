package inboxapi

import (
	"context"
	"log/slog"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/conversation/card"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/export"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/crm/conversation/tag"
	"konak/internal/crm/conversation/whole"
	"konak/internal/crm/reply"
)

// Readers tells agents' other devices what they read. The live updates implement it.
type Readers interface {
	TellRead(ctx context.Context, m conversation.ReadMark)
}

// Config is what the routes need.
type Config struct {
	Log           *slog.Logger
	Edits         *edit.Service
	Conversations *conversation.Service
	AIRecords     *airecord.Service
	Cards         *card.Service
	Exports       *export.Service
	Files         *file.Service
	Groups        *group.Service
	Hours         *hourly.Service
	Tags          *tag.Service
	Whole         *whole.Service
	Replies       *reply.Service
	Readers       Readers
}

// Service serves the routes of the inbox.
type Service struct {
	log     *slog.Logger
	edits   *edit.Service
	gate    *conversation.Service
	ai      *airecord.Service
	cards   *card.Service
	exports *export.Service
	files   *file.Service
	groups  *group.Service
	hours   *hourly.Service
	tags    *tag.Service
	whole   *whole.Service
	replies *reply.Service
	readers Readers
}

// New returns the service; Register adds its routes to an API.
func New(c Config) *Service {
	return &Service{
		log: c.Log, edits: c.Edits, gate: c.Conversations, ai: c.AIRecords, cards: c.Cards, exports: c.Exports, files: c.Files, groups: c.Groups,
		hours: c.Hours, tags: c.Tags, whole: c.Whole, replies: c.Replies, readers: c.Readers,
	}
}
