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
type Service struct{ Config }

// New returns the service; Register adds its routes to an API.
func New(c Config) *Service { return &Service{c} }
