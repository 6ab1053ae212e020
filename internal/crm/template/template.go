package template

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Statuses. All but Draft are the provider's own words; unknown ones are stored unchanged.
const (
	Draft           = "DRAFT"
	Pending         = "PENDING"
	Approved        = "APPROVED"
	Rejected        = "REJECTED"
	Paused          = "PAUSED"
	Disabled        = "DISABLED"
	Flagged         = "FLAGGED"
	InAppeal        = "IN_APPEAL"
	LimitExceeded   = "LIMIT_EXCEEDED"
	Locked          = "LOCKED"
	Archived        = "ARCHIVED"
	PendingDeletion = "PENDING_DELETION"
	Deleted         = "DELETED"
)

// Events of the provider that name a change instead of a status: after them the template
// can be sent again.
var backToApproved = []string{"REINSTATED", "UNARCHIVED"}

// Categories.
const (
	Marketing      = "MARKETING"
	Utility        = "UTILITY"
	Authentication = "AUTHENTICATION"
)

// How variables are written.
const (
	Positional = "POSITIONAL"
	Named      = "NAMED"
)

// Template is a message that the provider approves before it may be sent.
type Template struct {
	ID              uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	AccountID       uuid.UUID   `json:"channel_account_id" format:"uuid"`
	ProviderID      *string     `json:"provider_id" nullable:"true" example:"1689556908129832" doc:"The provider's id; null for a draft"`
	Name            string      `json:"name" example:"kargo_bilgisi"`
	Language        string      `json:"language" example:"tr"`
	Category        string      `json:"category" example:"UTILITY" doc:"MARKETING, UTILITY or AUTHENTICATION; the provider may change it"`
	Status          string      `json:"status" example:"APPROVED" doc:"Status at the provider: PENDING, APPROVED, REJECTED, PAUSED, DISABLED, FLAGGED, IN_APPEAL, LIMIT_EXCEEDED, LOCKED, ARCHIVED, PENDING_DELETION; or DRAFT, which exists only in Konak"`
	Reason          *string     `json:"rejection_reason" nullable:"true" example:"INVALID_FORMAT" doc:"Why the template was rejected, as given by the provider"`
	Detail          *string     `json:"status_detail" nullable:"true" doc:"The provider's explanation of the status"`
	Quality         string      `json:"quality" enum:"GREEN,YELLOW,RED,UNKNOWN" example:"GREEN" doc:"Quality rating from customer feedback"`
	ParameterFormat string      `json:"parameter_format" enum:"POSITIONAL,NAMED" example:"POSITIONAL"`
	Components      []Component `json:"components" nullable:"false"`
	Variables       Variables   `json:"variables" doc:"Values needed to send the template"`
	Sendable        bool        `json:"sendable" doc:"Whether it can be sent now"`
	Editable        bool        `json:"editable" doc:"Whether it can be changed now"`
	EditableAt      *clock.Time `json:"editable_at" nullable:"true" doc:"When the provider's edit limit allows the next change; null if no limit applies"`
	CreatedAt       clock.Time  `json:"created_at"`
	UpdatedAt       clock.Time  `json:"updated_at"`

	edits []clock.Time // of the last thirty days, oldest first
}

// The provider's limits for edits of an approved template.
const (
	editsPerMonth = 10
	month         = 30 * 24 * time.Hour
	betweenEdits  = 24 * time.Hour
	// barred is how long the name of a deleted template cannot be used.
	barred = 28 * 24 * time.Hour
)

// sendable reports whether a template can be sent. A flagged one still can.
func (t *Template) sendable() bool {
	return (t.Status == Approved || t.Status == Flagged) && t.supported()
}

// editable reports whether a template can be changed now, and from when if only the edit
// limits forbid it.
func (t *Template) editable(now time.Time) (bool, *clock.Time) {
	switch t.Status {
	case Draft, Rejected, Paused:
		return true, nil
	case Approved:
	default:
		return false, nil
	}
	edits := recent(t.edits, now)
	var from time.Time
	if n := len(edits); n > 0 {
		from = edits[n-1].Add(betweenEdits)
		if n >= editsPerMonth {
			from = laterOf(from, edits[n-editsPerMonth].Add(month))
		}
	}
	if from.After(now) {
		return false, clock.Ptr(from)
	}
	return true, nil
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// show sets the fields that follow from the record and the time.
func (t *Template) show(now time.Time) {
	t.Variables = t.variables()
	t.Sendable = t.sendable()
	t.Editable, t.EditableAt = t.editable(now)
	t.Components = db.OrEmpty(t.Components)
}

// Given is the provider's report on a template.
type Given struct {
	ProviderID string
	Name       string
	Language   string
	Status     string
	Category   string
	Quality    string
	Reason     string
	Detail     string
	// The remaining fields come only with a list of templates, not with an event.
	ParameterFormat string
	Components      []Component
}

// take applies the provider's report to the record and reports whether anything visible to
// people changed.
func (t *Template) take(g Given) (changed bool) {
	if slices.Contains(backToApproved, g.Status) {
		g.Status = Approved
	}
	set := func(to *string, from string) {
		if from != "" && *to != from {
			*to, changed = from, true
		}
	}
	if g.Status != "" && g.Status != t.Status && t.Reason != nil && reason(g) == "" {
		t.Reason = nil
	}
	if g.Status != "" && g.Status != t.Status && g.Detail == "" {
		t.Detail = nil
	}
	set(&t.Status, g.Status)
	set(&t.Category, g.Category)
	set(&t.Quality, g.Quality)
	set(&t.ParameterFormat, g.ParameterFormat)
	for to, from := range map[**string]string{&t.ProviderID: g.ProviderID, &t.Reason: reason(g), &t.Detail: g.Detail} {
		if from != "" && (*to == nil || **to != from) {
			*to, changed = &from, true
		}
	}
	if g.Components != nil && !sameComponents(t.Components, g.Components) {
		t.Components, changed = g.Components, true
	}
	return changed
}

// reason returns the provider's reason, "" if it is the provider's word for none.
func reason(g Given) string {
	if g.Reason == "NONE" {
		return ""
	}
	return g.Reason
}
