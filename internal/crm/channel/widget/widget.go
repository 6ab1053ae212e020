package widget

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Name is the kind of widget accounts.
const Name = "widget"

// Text holds the widget's texts in one language.
type Text struct {
	Title    string `json:"title" maxLength:"80" example:"Size nasıl yardımcı olabiliriz?"`
	Greeting string `json:"greeting" maxLength:"500" example:"Merhaba! Sorunuzu yazın, hemen yanıtlayalım."`
	Away     string `json:"away" maxLength:"500" example:"Şu anda kapalıyız. Yazın, açılınca yanıtlayalım."`
}

// Prechat says what is asked before the first message.
type Prechat struct {
	Enabled       bool `json:"enabled"`
	NameRequired  bool `json:"name_required"`
	EmailRequired bool `json:"email_required"`
	Phone         bool `json:"phone" doc:"Whether a phone number is asked for"`
}

// Look is how the widget appears and what it asks.
type Look struct {
	Color    string   `json:"color" pattern:"^#[0-9a-fA-F]{6}$" example:"#0b6e4f"`
	Position string   `json:"position" enum:"left,right" example:"right"`
	Language string   `json:"language" enum:"auto,tr,en" example:"auto" doc:"auto follows the visitor's browser"`
	TR       Text     `json:"tr"`
	EN       Text     `json:"en"`
	Prechat  Prechat  `json:"prechat"`
	Origins  []string `json:"origins" minItems:"0" maxItems:"50" nullable:"false" example:"[\"https://www.example.com\"]" doc:"Origins whose pages can use the widget; empty means no page can"`
}

// Settings are those of a widget.
type Settings struct {
	Key string `json:"key" example:"chk_…" doc:"Public key, included in the page; not a secret"`
	Look
}

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// normalise fills in defaults and normalises origins.
func (l *Look) normalise() error {
	l.Color, l.Position, l.Language = cmp.Or(l.Color, "#0b6e4f"), cmp.Or(l.Position, "right"), cmp.Or(l.Language, "auto")
	or := func(s *string, text string) { *s = cmp.Or(strings.TrimSpace(*s), text) }
	or(&l.TR.Title, "Size nasıl yardımcı olabiliriz?")
	or(&l.TR.Greeting, "Merhaba! Sorunuzu yazın, hemen yanıtlayalım.")
	or(&l.TR.Away, "Şu anda kapalıyız. Yazın, açılınca yanıtlayalım.")
	or(&l.EN.Title, "How can we help?")
	or(&l.EN.Greeting, "Hello! Write your question and we will answer right away.")
	or(&l.EN.Away, "We are closed right now. Write to us and we will answer when we are back.")
	f := fault.New(fault.ValidationFailed)
	if !hexColor.MatchString(l.Color) {
		f.Field("color", "invalid_color")
	}
	origins := []string{}
	for _, raw := range l.Origins {
		o, ok := origin(raw)
		if !ok {
			f.Field("origins", "invalid_origin")
			break
		}
		if !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
	}
	l.Origins = origins
	return f.OrNil()
}

// origin normalises scheme://host:port to the form that browsers send.
func origin(raw string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(u.Host, "*,; ") {
		return "", false
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && !(u.Scheme == "https" && port == "443") && !(u.Scheme == "http" && port == "80") {
		host += ":" + port
	}
	return u.Scheme + "://" + host, true
}

// Visitor is somebody who opened the widget.
type Visitor struct {
	ID             uuid.UUID
	Name           string
	Email          string
	Phone          string
	Language       string
	Origin         string
	Page           string
	Browser        string
	ConversationID *uuid.UUID
	FirstSeenAt    clock.Time
	SeenAt         clock.Time
}

// PublicConfig is what a page needs to show the widget.
type PublicConfig struct {
	Name    string      `json:"name" example:"Web sitesi"`
	Open    bool        `json:"open" doc:"Whether the chat is within business hours now"`
	OpensAt *clock.Time `json:"opens_at" nullable:"true"`
	Look    PublicLook  `json:"look"`
	// Articles is set if the widget shows a search box.
	Articles bool `json:"articles" doc:"Whether there are help articles to search"`
}

// PublicLook is Look without the list of origins.
type PublicLook struct {
	Color    string  `json:"color" example:"#0b6e4f"`
	Position string  `json:"position" enum:"left,right"`
	Language string  `json:"language" enum:"auto,tr,en"`
	TR       Text    `json:"tr"`
	EN       Text    `json:"en"`
	Prechat  Prechat `json:"prechat"`
}

// Session is the state of a visitor's session.
type Session struct {
	Token          *string             `json:"token" nullable:"true" example:"vis_…" doc:"Token of a new visitor; shown only in this response"`
	ConversationID *uuid.UUID          `json:"conversation_id" nullable:"true" format:"uuid"`
	State          *conversation.State `json:"state" nullable:"true" enum:"open,snoozed,closed"`
	AskRating      bool                `json:"ask_rating" doc:"Whether the conversation is closed and waits for a rating"`
	Known          bool                `json:"known" doc:"Whether the visitor gave a name, e-mail or phone, or has a conversation"`
}

// Message is one line of the chat as its visitor sees it.
type Message struct {
	ID        uuid.UUID  `json:"id" format:"uuid"`
	From      string     `json:"from" enum:"visitor,agent,bot" example:"agent"`
	Name      string     `json:"name" example:"Defne" doc:"The agent's first name"`
	Body      string     `json:"body" example:"Siparişiniz yolda."`
	Files     []File     `json:"files" nullable:"false"`
	CanVote   bool       `json:"can_vote" doc:"Whether the visitor can vote on it: true for answers of the assistant, not for its greetings and hand-overs"`
	Vote      *string    `json:"vote" nullable:"true" enum:"up,down" example:"up" doc:"The visitor's vote on an answer of the assistant; null if they did not vote"`
	CreatedAt clock.Time `json:"created_at"`
}

// File is a file of a message.
type File struct {
	ID   uuid.UUID `json:"id" format:"uuid"`
	Name string    `json:"name" example:"fatura.pdf"`
	Size int64     `json:"size" example:"48213"`
}

// Opened is a widget with the snippet that a page includes.
type Opened struct {
	channel.Account
	Snippet string `json:"snippet" example:"<script src=…></script>" doc:"Paste before the end of the page's body"`
}
