package helpcenter

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/helpcenter/markup"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// Languages are the languages that an article can have.
var Languages = []string{"tr", "en", "de", "fr", "es", "it", "nl", "ar", "ru", "az"}

// IsLanguage reports whether articles can be written in a language.
func IsLanguage(code string) bool { return slices.Contains(Languages, code) }

// Limits of a workspace.
const (
	maxArticles   = 1000
	maxCategories = 100
	maxBody       = 100_000 // bytes of Markdown in one text
	maxVersions   = 50      // of one text, besides the published one
)

// States of a text.
const (
	Draft     = "draft"     // not public
	Published = "published" // the newest version is public
	Changed   = "changed"   // an earlier version is public
)

// TextState is the state of an article in one language.
type TextState struct {
	Language         string      `json:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" example:"tr"`
	Title            string      `json:"title" example:"Siparişim ne zaman gelir?" doc:"Title of the newest version"`
	State            string      `json:"state" enum:"draft,published,changed" example:"published" doc:"changed: the public version is older than the newest"`
	Version          int         `json:"version" example:"3" doc:"Newest version, the draft"`
	PublishedVersion *int        `json:"published_version" nullable:"true" example:"3"`
	PublishedAt      *clock.Time `json:"published_at" nullable:"true"`
	URL              *string     `json:"url" nullable:"true" example:"https://ada.help.example.com/tr/a/0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c-kargo" doc:"Public address; null if the text is not published or the site does not have the language"`
	Helpful          int         `json:"helpful" example:"42" doc:"Number of readers who found it helpful"`
	Unhelpful        int         `json:"unhelpful" example:"3" doc:"Number of readers who did not find it helpful"`
	SavedAt          clock.Time  `json:"saved_at"`
}

// setState sets the state that follows from the versions.
func (t *TextState) setState() {
	switch {
	case t.PublishedVersion == nil:
		t.State = Draft
	case *t.PublishedVersion == t.Version:
		t.State = Published
	default:
		t.State = Changed
	}
}

// Listed is an article in a list.
type Listed struct {
	ID         uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	CategoryID uuid.UUID   `json:"category_id" format:"uuid"`
	Texts      []TextState `json:"texts" nullable:"false"`
	CreatedAt  clock.Time  `json:"created_at"`
	UpdatedAt  clock.Time  `json:"updated_at"`
}

// Text is an article in one language with its newest version.
type Text struct {
	TextState
	Summary string `json:"summary" example:"Kargo süreleri ve takip." doc:"One or two sentences for lists and search engines"`
	Body    string `json:"body" example:"Siparişiniz **iki iş günü** içinde kargoya verilir." doc:"Markdown"`
	// Warnings are derived from the body and the site's languages.
	Warnings []string `json:"warnings" nullable:"false" enum:"html_left_out,picture_not_shown,language_not_shown" doc:"Parts that readers will not see as written. html_left_out: the body has HTML, which is left out; picture_not_shown: a picture has no full address (https://…); language_not_shown: the site does not have the language"`
}

// Article is an article with all its texts.
type Article struct {
	ID         uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	CategoryID uuid.UUID  `json:"category_id" format:"uuid"`
	Texts      []Text     `json:"texts" nullable:"false"`
	CreatedAt  clock.Time `json:"created_at"`
	UpdatedAt  clock.Time `json:"updated_at"`
}

// find returns the article's text in a language; nil if there is none.
func (a *Article) find(language string) *Text {
	for i := range a.Texts {
		if a.Texts[i].Language == language {
			return &a.Texts[i]
		}
	}
	return nil
}

// Version is a saved state of a text. It never changes.
type Version struct {
	Number    int        `json:"number" example:"3"`
	Title     string     `json:"title" example:"Siparişim ne zaman gelir?"`
	Summary   string     `json:"summary" example:"Kargo süreleri ve takip."`
	Body      string     `json:"body" example:"Siparişiniz **iki iş günü** içinde kargoya verilir."`
	Published bool       `json:"published" doc:"Whether this version is public"`
	SavedBy   *uuid.UUID `json:"saved_by" nullable:"true" format:"uuid" doc:"Agent who saved it"`
	SavedAt   clock.Time `json:"saved_at"`
}

// Words are the contents of an article.
type Words struct {
	Title   string `json:"title" minLength:"1" maxLength:"200" example:"Siparişim ne zaman gelir?"`
	Summary string `json:"summary,omitempty" maxLength:"300" example:"Kargo süreleri ve takip." doc:"One or two sentences for lists and search engines"`
	Body    string `json:"body" maxLength:"100000" example:"Siparişiniz **iki iş günü** içinde kargoya verilir." doc:"Markdown; HTML in it is left out"`
}

// check trims the words. It returns validation_failed for an empty title or a
// body that is too long or cannot be shown.
func (w *Words) check() error {
	w.Title, w.Summary = strings.TrimSpace(w.Title), strings.TrimSpace(w.Summary)
	w.Body = strings.TrimSpace(strings.ReplaceAll(w.Body, "\r\n", "\n"))
	f := fault.New(fault.ValidationFailed)
	if w.Title == "" {
		f.Field("title", "required")
	} else if utf8.RuneCountInString(w.Title) > 200 {
		f.Field("title", "too_long")
	}
	if utf8.RuneCountInString(w.Summary) > 300 {
		f.Field("summary", "too_long")
	}
	if len(w.Body) > maxBody {
		f.Field("body", "too_long")
	} else if _, err := markup.HTML(w.Body); err != nil {
		f.Field("body", "too_complex")
	}
	return f.OrNil()
}

// makeSlug returns the words for an address, derived from a title: ASCII letters, digits
// and dashes. It returns "" if the title has none that can be written so.
func makeSlug(title string) string {
	var b strings.Builder
	for _, r := range trtext.Fold(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 80 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// articlePath returns the path of an article on its site.
func articlePath(language string, id uuid.UUID, title string) string {
	path := "/" + language + "/a/" + id.String()
	if slug := makeSlug(title); slug != "" {
		path += "-" + slug
	}
	return path
}
