package source

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Kinds of sources.
const (
	Website = "website"
	File    = "file"
)

// States of a source.
const (
	Pending = "pending" // not read yet
	Ready   = "ready"
	Failed  = "failed" // the last attempt to read it failed
)

// Limits of a workspace's sources.
const (
	maxSources   = 100
	maxText      = 200_000   // bytes of one source's text
	maxTextInAll = 1_000_000 // bytes of all texts
	maxFile      = 10 << 20  // bytes of an uploaded file
	maxPage      = 2 << 20   // bytes of a page
	maxTitle     = 200       // characters
)

// When pages are fetched again, and for how long the text of an unreachable page stays in
// use.
const (
	refreshAfter = 24 * time.Hour
	retryAfter   = 6 * time.Hour
	keepText     = 7 * 24 * time.Hour
)

// Source is something that the assistant answers from.
type Source struct {
	ID        uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Kind      string      `json:"kind" enum:"website,file" example:"website"`
	Title     string      `json:"title" example:"Teslimat koşulları" doc:"Title that answers cite; the page's own if none was given"`
	Address   string      `json:"address" example:"https://www.kayamobilya.example/teslimat" doc:"Address of the page; empty for a file"`
	Filename  string      `json:"filename" example:"" doc:"Name of the file; empty for a page"`
	State     string      `json:"state" enum:"pending,ready,failed" example:"ready" doc:"failed: the last attempt to read it failed. The text read before stays in use for a week, unless the page is gone"`
	Failure   *string     `json:"failure" nullable:"true" example:"status_404" doc:"Why it failed: no_text, unreadable, not_a_text, too_large, too_many_redirects, space_used_up, status_… or a connection failure (dns, connect, tls, timeout, refused_address, body)"`
	Bytes     int         `json:"bytes" example:"4120" doc:"Size of the text the assistant reads; 0 if there is none"`
	Cut       bool        `json:"cut" doc:"Whether the text was too long and was cut"`
	ReadAt    *clock.Time `json:"read_at" nullable:"true" doc:"When the text was read"`
	TriedAt   *clock.Time `json:"tried_at" nullable:"true" doc:"When reading it was last tried"`
	CreatedAt clock.Time  `json:"created_at"`
	UpdatedAt clock.Time  `json:"updated_at"`

	titleGiven bool  // the title was given and is not the page's own
	revision   int64 // changes with the text, the title and the address
	language   string
}

// Text is a source with its text.
type Text struct {
	Source
	Text string `json:"text" doc:"Text the assistant reads" example:"Teslimat iki ila dört iş günü sürer."`
}

// section is a part of a text under a heading.
type section struct {
	Heading string `json:"h,omitempty"`
	Body    string `json:"b"`
}

// document is the parsed content of a page or a file.
type document struct {
	title    string
	language string
	sections []section
	cut      bool
}

func (d *document) size() (n int) {
	for _, s := range d.sections {
		n += len(s.Heading) + len(s.Body)
	}
	return n
}

// newPage is the caller's input for a page.
type newPage struct {
	Address string `json:"address" minLength:"1" maxLength:"2000" example:"https://www.kayamobilya.example/teslimat" doc:"An https address reachable from the internet"`
	Title   string `json:"title,omitempty" maxLength:"200" example:"Teslimat koşulları" doc:"Defaults to the page's own title"`
}

// change holds the values that may be changed; nil leaves a value unchanged.
type change struct {
	Title   *string `json:"title,omitempty" maxLength:"200" example:"Teslimat koşulları" doc:"Empty for the page's own title"`
	Address *string `json:"address,omitempty" minLength:"1" maxLength:"2000" example:"https://www.kayamobilya.example/teslimat" doc:"Address of another page; the old page's text is no longer used"`
}
