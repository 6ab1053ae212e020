package helpcenter

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"konak/internal/kit/fault"
)

// Name is the kind of the help center's account.
const Name = "help_center"

// Colours are the colours of the site.
type Colours struct {
	Accent string `json:"accent" pattern:"^#[0-9a-fA-F]{6}$" example:"#0b6e4f" doc:"Colour of links and buttons; must be readable on white"`
	Header string `json:"header" pattern:"^#[0-9a-fA-F]{6}$" example:"#0b3d2e" doc:"Colour behind the title; text on it is black or white, whichever is more readable"`
}

// Settings are the settings stored with the help center's account.
type Settings struct {
	Title           string   `json:"title"`
	Languages       []string `json:"languages"`
	DefaultLanguage string   `json:"default_language"`
	Colours         Colours  `json:"colours"`
	ContactForm     bool     `json:"contact_form"`
	WidgetSearch    bool     `json:"widget_search"`
}

func defaultSettings() Settings {
	return Settings{
		Languages: []string{"tr"}, DefaultLanguage: "tr", Colours: Colours{Accent: "#0b6e4f", Header: "#0b3d2e"},
		ContactForm: true, WidgetSearch: true,
	}
}

// ArticleCounts are the numbers of texts.
type ArticleCounts struct {
	Published int `json:"published" example:"24" doc:"Public texts; each language counts"`
	Draft     int `json:"draft" example:"3" doc:"Texts whose newest version is not public"`
}

// Summary is the help center as its drawer shows it.
type Summary struct {
	Enabled         bool          `json:"enabled" doc:"Whether the site is public"`
	Title           string        `json:"title" example:"Ada Yardım"`
	URL             *string       `json:"url" nullable:"true" example:"https://ada.help.example.com" doc:"Address of the site; null until it is set up"`
	CustomDomain    *string       `json:"custom_domain" nullable:"true" doc:"Custom host that the operator gave the site; null if none"`
	Languages       []string      `json:"languages" nullable:"false" example:"[\"tr\",\"en\"]"`
	DefaultLanguage string        `json:"default_language" example:"tr"`
	LogoURL         *string       `json:"logo_url" nullable:"true" example:"https://ada.help.example.com/logo"`
	Colours         Colours       `json:"colours"`
	ContactForm     bool          `json:"contact_form" doc:"Whether visitors can write to the team; each message starts a conversation on the channel help_center"`
	WidgetSearch    bool          `json:"widget_search" doc:"Whether visitors can search articles in the live chat"`
	Articles        ArticleCounts `json:"articles"`
}

// ColoursChange is a change of the colours; nil leaves a value unchanged.
type ColoursChange struct {
	Accent *string `json:"accent,omitempty" pattern:"^#[0-9a-fA-F]{6}$" example:"#0b6e4f" doc:"Colour of links and buttons; must be readable on white"`
	Header *string `json:"header,omitempty" pattern:"^#[0-9a-fA-F]{6}$" example:"#0b3d2e" doc:"Colour behind the title"`
}

// SettingsChange is a change of the help center; nil leaves a value unchanged.
type SettingsChange struct {
	Enabled         *bool          `json:"enabled,omitempty"`
	Title           *string        `json:"title,omitempty" minLength:"1" maxLength:"100" example:"Ada Yardım"`
	Languages       *[]string      `json:"languages,omitempty" minItems:"1" maxItems:"10" example:"[\"tr\",\"en\"]"`
	DefaultLanguage *string        `json:"default_language,omitempty" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" example:"tr"`
	Colours         *ColoursChange `json:"colours,omitempty"`
	ContactForm     *bool          `json:"contact_form,omitempty"`
	WidgetSearch    *bool          `json:"widget_search,omitempty"`
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// applyTo applies a change to the settings and checks the result.
func (ch SettingsChange) applyTo(s *Settings) error {
	set(&s.Title, ch.Title)
	set(&s.Languages, ch.Languages)
	set(&s.DefaultLanguage, ch.DefaultLanguage)
	if ch.Colours != nil {
		set(&s.Colours.Accent, ch.Colours.Accent)
		set(&s.Colours.Header, ch.Colours.Header)
	}
	set(&s.ContactForm, ch.ContactForm)
	set(&s.WidgetSearch, ch.WidgetSearch)
	f := fault.New(fault.ValidationFailed)
	if s.Title = strings.TrimSpace(s.Title); s.Title == "" {
		f.Field("title", "required")
	}
	for i, l := range s.Languages {
		if !IsLanguage(l) {
			f.Field("languages", "unknown_language")
		} else if slices.Contains(s.Languages[:i], l) {
			f.Field("languages", "repeated")
		}
	}
	if !slices.Contains(s.Languages, s.DefaultLanguage) {
		f.Field("default_language", "not_listed")
	}
	for field, colour := range map[string]string{"colours.accent": s.Colours.Accent, "colours.header": s.Colours.Header} {
		if !hexColour.MatchString(colour) {
			f.Field(field, "invalid_color")
		}
	}
	if len(f.Fields) == 0 && contrast(s.Colours.Accent, "#ffffff") < readable {
		f.Field("colours.accent", "low_contrast")
	}
	return f.OrNil()
}

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// readable is the minimum contrast for text (WCAG 2.2, level AA).
const readable = 4.5

// contrast returns the contrast ratio of two colours as WCAG defines it, from 1 to 21.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(colour string) float64 {
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, _ := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8) // it matched hexColour
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// textOn returns black or white, whichever is more readable on a colour.
func textOn(colour string) string {
	if contrast(colour, "#ffffff") >= contrast(colour, "#000000") {
		return "#ffffff"
	}
	return "#000000"
}
