package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/markdown"
)

// The format of an item's text is in its detail under DetailFormat, unless it is plain.
const (
	DetailFormat   = "format"
	FormatPlain    = "plain"
	FormatMarkdown = "markdown"
)

// DetailRedacted marks an item in which a data-loss-prevention rule has masked words.
const DetailRedacted = "redacted"

// HasMarkdown reports whether an item's text is written in Markdown.
func (i *Item) HasMarkdown() bool { return i.Detail[DetailFormat] == FormatMarkdown }

// PlainBody returns an item's text without markup.
func (i *Item) PlainBody() string {
	if i.HasMarkdown() {
		return markdown.Text(i.Body)
	}
	return i.Body
}

// Reaction is a reaction to an item with one sign.
type Reaction struct {
	Emoji      string     `json:"emoji" example:"👍"`
	AuthorKind string     `json:"author_kind" enum:"agent,contact,bot,system,api_key" example:"agent"`
	AuthorID   uuid.UUID  `json:"author_id" format:"uuid"`
	At         clock.Time `json:"at"`
}

// AISource is a source that an answer of the assistant relied on.
type AISource struct {
	Kind    string `json:"kind" example:"article" doc:"Kind of source: article, canned_reply, website, file, provision"`
	Title   string `json:"title" example:"İade koşulları"`
	URL     string `json:"url" example:"https://yardim.kayamobilya.example/iade" doc:"Empty if it has no address"`
	Excerpt string `json:"excerpt" example:"Ürünü 14 gün içinde iade edebilirsiniz." doc:"The relevant passage"`
}

// Header is one header line of an e-mail.
type Header struct {
	Name  string `json:"name" example:"Received"`
	Value string `json:"value" example:"from mx.example.com"`
}

// Email is the e-mail that an item came in or went out as. The e-mail channel builds it:
// HTML must be sanitised before it gets here, RawBlobID is the whole message as it was
// transferred.
type Email struct {
	MessageID string      `json:"message_id" example:"CAF00BA7@mail.example.com" doc:"Without angle brackets"`
	From      string      `json:"from" example:"Elif Kaya <elif@kayamobilya.example>"`
	To        []string    `json:"to" nullable:"false" example:"[\"destek@demo.example\"]"`
	Cc        []string    `json:"cc" nullable:"false" example:"[]"`
	ReplyTo   string      `json:"reply_to" example:"elif@kayamobilya.example"`
	Subject   string      `json:"subject" example:"Teslimat tarihi"`
	Date      *clock.Time `json:"date" nullable:"true" doc:"Date given by the sender"`
	Headers   []Header    `json:"headers" nullable:"false"`
	Text      string      `json:"text" doc:"The full text, including quoted text"`
	HTML      string      `json:"html" doc:"Sanitised; empty if the message had none"`
	RawSize   int64       `json:"raw_size" example:"5120" doc:"0 if the original was not kept"`

	RawBlobID *uuid.UUID `json:"-"`
}
