package customer

import (
	"cmp"
	"slices"

	"konak/internal/sandbox/whatsapp"
)

// Review lets the visitor review a workspace's templates in place of the provider.
type Review struct {
	box      *whatsapp.Server
	business string
}

// ReviewOf returns the review of a business account's templates.
func ReviewOf(s *whatsapp.Server, business string) *Review { return &Review{s, business} }

// Template is a template that waits for the provider's decision, or has it.
type Template struct{ Name, Language, Status string }

// Waits reports whether the template has no decision yet.
func (t Template) Waits() bool { return t.Status == "PENDING" }

// Templates lists the templates, those without a decision first.
func (r *Review) Templates() (out []Template) {
	for _, t := range r.box.Templates(r.business) {
		out = append(out, Template{Name: t.Name, Language: t.Language, Status: t.Status})
	}
	rank := func(t Template) int {
		if t.Waits() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b Template) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// ByHand reports whether templates wait for the visitor's decision.
func (r *Review) ByHand() bool { return r.box.ReviewedByHand(r.business) }

func (r *Review) decide(name, language string, approve bool) {
	status, reason := "REJECTED", "INVALID_FORMAT"
	if approve {
		status, reason = "APPROVED", "NONE"
	}
	r.box.Decide(r.business, name, language, status, map[string]any{"reason": reason})
}
