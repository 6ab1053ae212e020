package desk

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
)

// View is a named filter of the conversation list.
type View struct {
	ID        uuid.UUID          `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Shared    bool               `json:"shared" doc:"Whether it is shared with the whole workspace"`
	OwnerID   *uuid.UUID         `json:"owner_id" nullable:"true" format:"uuid" doc:"Agent it belongs to; null if shared"`
	Name      string             `json:"name" example:"Acil iadeler"`
	Filter    conversation.Query `json:"filter" doc:"Parameters of the conversation list; me means whoever opens the view"`
	CreatedAt clock.Time         `json:"created_at"`
	UpdatedAt clock.Time         `json:"updated_at"`
}

// ViewCount is the number of conversations that a view shows.
type ViewCount struct {
	ViewID uuid.UUID `json:"view_id" format:"uuid"`
	Count  int       `json:"count" example:"12"`
	More   bool      `json:"more" doc:"Whether there are more than that"`
}

const (
	// maxViews is the maximum number of shared views, and of views per agent: ViewCounts
	// counts all of them at once.
	maxViews = 50
	// countLimit is the number at which counting stops.
	countLimit = 100
)
