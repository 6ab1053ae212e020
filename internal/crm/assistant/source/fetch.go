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
	// Check checks an address that a caller gave in a field. It returns the fault that says
	// what is wrong with it.
	Check(field, address string) (*url.URL, error)
	// Fetch gets a page of at most so many bytes. It returns a *Failure where there is none.
	Fetch(ctx context.Context, address string, most int64) (Page, error)
}

// Page is a page as it came.
type Page struct {
	Name string // the path of its address
	Type string // declared
	Body []byte
}

// Why a source has no text. Failures of a connection have the classes of kit/outbound.
const (
	NoText           = "no_text"
	Unreadable       = "unreadable"
	NotAText         = "not_a_text"
	TooLarge         = "too_large"
	TooManyRedirects = "too_many_redirects"
	spaceUsedUp      = "space_used_up"
)

// Failure says why a source could not be read. Gone says that there is nothing to read any
// more, so that what was read before no longer counts.
type Failure struct {
	Code string
	Gone bool
}

// Error implements error.
func (f *Failure) Error() string { return "source: " + f.Code }

// fetch reads a page. It returns a *Failure where it has no text.
func (s *Service) fetch(ctx context.Context, address string) (document, error) {
	p, err := s.Pages.Fetch(ctx, address, maxPage)
	if err != nil {
		return document{}, err
	}
	return s.read(ctx, p.Name, p.Type, p.Body)
}

// isBinary says whether content is no text and no document that is read here: it has bytes
// that no text has.
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

// read makes a document of the content of a page or a file. The name tells Markdown and
// HTML apart from other texts where no type was declared.
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
