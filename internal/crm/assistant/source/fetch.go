package source

import (
	"bytes"
	"context"
	"mime"
	"net/url"
	"strings"
)

// Pages fetches web pages.
type Pages interface {
	// Check checks an address from a caller's field. It returns a fault that says what is
	// wrong with it.
	Check(field, address string) (*url.URL, error)
	// Fetch fetches a page of at most the given number of bytes. It returns a *Failure if
	// that is not possible.
	Fetch(ctx context.Context, address string, most int64) (Page, error)
}

// Page is a page as fetched.
type Page struct {
	Name string // the path of its address
	Type string // declared
	Body []byte
}

// Reasons why a source has no text. Connection failures have the classes of kit/outbound.
const (
	NoText           = "no_text"
	Unreadable       = "unreadable"
	NotAText         = "not_a_text"
	TooLarge         = "too_large"
	TooManyRedirects = "too_many_redirects"
	spaceUsedUp      = "space_used_up"
)

// Failure is the reason why a source could not be read. Gone means that the page no longer
// exists, so that the text read before is not used any more.
type Failure struct {
	Code string
	Gone bool
}

// Error implements error.
func (f *Failure) Error() string { return "source: " + f.Code }

// fetch fetches and reads a page. It returns a *Failure if it has no text.
func (s *Service) fetch(ctx context.Context, address string) (document, error) {
	p, err := s.Pages.Fetch(ctx, address, maxPage)
	if err != nil {
		return document{}, err
	}
	return s.read(ctx, p.Name, p.Type, p.Body)
}

// isBinary reports whether content is neither text nor a document that can be read here,
// because it has bytes that no text has.
func isBinary(body []byte) bool {
	switch {
	case bytes.HasPrefix(body, []byte("PK")), bytes.Contains(body[:min(len(body), 1024)], []byte("%PDF-")):
		return false
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}), bytes.HasPrefix(body, []byte{0xFE, 0xFF}): // UTF-16
		return false
	}
	controls := 0
	for _, c := range body {
		if c == 0 {
			return true
		}
		if c < ' ' && !bytes.ContainsRune([]byte("\t\n\v\f\r"), rune(c)) {
			controls++
		}
	}
	return controls > len(body)/20
}

// read parses the content of a page or a file. If no type is declared, the name
// distinguishes Markdown and HTML from other texts.
func (s *Service) read(ctx context.Context, name, contentType string, body []byte) (d document, err error) {
	kind, _, _ := mime.ParseMediaType(contentType)
	ending := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	switch {
	case isBinary(body):
		return d, &Failure{Code: NotAText}
	case kind == "text/html", kind == "application/xhtml+xml", kind == "" && (ending == "html" || ending == "htm"):
		if d, err = fromHTML(bytes.NewReader(body), contentType); err != nil {
			return d, &Failure{Code: Unreadable}
		}
	default:
		if kind == "text/markdown" {
			name = "page.md"
		}
		text, reason := s.ReadDocument(ctx, name, body, maxText+1)
		switch reason {
		case "":
		case "unsupported":
			return d, &Failure{Code: NotAText}
		case "too_large", "too_many_parts", "compression_ratio":
			return d, &Failure{Code: TooLarge}
		default:
			return d, &Failure{Code: Unreadable}
		}
		d = fromText(name, text)
		d.cut = d.cut || len(text) > maxText
	}
	if len(d.sections) == 0 {
		return d, &Failure{Code: NoText}
	}
	return d, nil
}
