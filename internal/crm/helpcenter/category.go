package helpcenter

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// CategoryText is a category in one language.
type CategoryText struct {
	Language    string `json:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" example:"tr"`
	Name        string `json:"name" minLength:"1" maxLength:"100" example:"Kargo ve teslimat"`
	Description string `json:"description,omitempty" maxLength:"300" example:"Siparişiniz size nasıl ulaşır"`
}

// Category is a part of the help center.
type Category struct {
	ID        uuid.UUID      `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Slug      string         `json:"slug" example:"kargo" doc:"Name of the category in addresses"`
	Position  int            `json:"position" example:"1" doc:"Sort position of the category"`
	Texts     []CategoryText `json:"texts" nullable:"false"`
	CreatedAt clock.Time     `json:"created_at"`
	UpdatedAt clock.Time     `json:"updated_at"`
}

// Name returns the category's text in a language, else in the fallback language, else in
// any.
func (c *Category) Name(language, fallback string) CategoryText {
	var found CategoryText
	for i, t := range c.Texts {
		if t.Language == language {
			return t
		}
		if i == 0 || t.Language == fallback {
			found = t
		}
	}
	return found
}

// CategoryInput is the caller's input for a category.
type CategoryInput struct {
	Slug     string         `json:"slug,omitempty" maxLength:"80" example:"kargo" doc:"Name of the category in addresses; by default derived from the first name"`
	Position int            `json:"position,omitempty" minimum:"0" maximum:"10000" example:"1"`
	Texts    []CategoryText `json:"texts" minItems:"1" maxItems:"10" nullable:"false"`
}

// applyTo checks the input and copies it into a category.
func (in CategoryInput) applyTo(c *Category) error {
	f := fault.New(fault.ValidationFailed)
	seen := map[string]bool{}
	texts := make([]CategoryText, len(in.Texts))
	for i, t := range in.Texts {
		t.Name, t.Description = strings.TrimSpace(t.Name), strings.TrimSpace(t.Description)
		switch {
		case !IsLanguage(t.Language):
			f.Field("texts", "unknown_language")
		case t.Name == "":
			f.Field("texts", "required")
		case seen[t.Language]:
			f.Field("texts", "repeated")
		}
		seen[t.Language], texts[i] = true, t
	}
	slug := in.Slug
	if slug == "" && len(texts) > 0 {
		slug = makeSlug(texts[0].Name)
	}
	if slug == "" || makeSlug(slug) != slug {
		f.Field("slug", "invalid_format")
	}
	if len(f.Fields) > 0 {
		return f
	}
	c.Slug, c.Position, c.Texts = slug, in.Position, texts
	return nil
}
