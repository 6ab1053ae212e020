package message

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
)

// Bounds of a mail's structure. Nobody writes mails that come near them; they
// keep what a mail costs in proportion to its length.
const (
	maxParts       = 1000
	maxDepth       = 12
	maxHeaderBytes = 256 << 10 // of the mail and of all its parts
	maxBoundary    = 200
	maxMediaType   = 4 << 10
)

// A mail over the bounds.
var (
	ErrTooManyParts = errors.New("the mail has too many parts")
	ErrTooDeep      = errors.New("the mail is nested too deeply")
	ErrLongHeader   = errors.New("the mail's headers are too long")
)

func isBound(err error) bool {
	return errors.Is(err, ErrTooManyParts) || errors.Is(err, ErrTooDeep) || errors.Is(err, ErrLongHeader)
}

// parser reads the header of one part. It never sees a boundary or a content:
// its own way through the parts of a mail takes a time that grows with the
// square of their number, and its decoders keep an error for each bad byte.
var parser = enmime.NewParser(
	enmime.SkipMalformedParts(true),
	enmime.MultipartWOBoundaryAsSinglePart(true),
	enmime.SetCustomParseMediaType(func(v string) (string, map[string]string, []string, error) {
		kind, params, bad, err := mediaType(v)
		delete(params, "boundary")
		return kind, params, bad, err
	}),
	enmime.DisableTextConversion(true),
	enmime.MaxStoredPartErrors(maxDefects),
)

// mediaType hides texts from the parser's own reading of character sets, which
// guesses, and gives a mail up over a single byte. What cannot be read as a
// type at all is text.
func mediaType(v string) (string, map[string]string, []string, error) {
	v = v[:min(len(v), maxMediaType)] // reading a longer one takes too long
	kind, params, bad, err := mediatype.ParseWithOptions(v, mediatype.ParseOptions{StripMediaTypeInvalidCharacters: true})
	if err != nil || kind == "" {
		return hidden + "text/plain", map[string]string{}, bad, nil
	}
	if strings.HasPrefix(kind, "text/") {
		kind = hidden + kind
	}
	return kind, params, bad, nil
}

// readParts reads a mail with its parts as a tree, whose contents are pieces of
// the mail as they came; decodePart decodes one. It goes through the lines
// once, whatever the depth, and a part is only read when all bounds hold for it.
func readParts(raw []byte) (*enmime.Part, error) {
	s := splitter{raw: raw}
	p, _, err := s.read(0)
	return p, err
}

// splitter is how far the parts of a mail were read.
type splitter struct {
	raw           []byte
	open          [][]byte // "--" and the boundary of each multipart that has not ended, the outermost first
	parts, header int
}

// partEnd is a line that ends a part.
type partEnd struct {
	at, next int  // where the line and the one behind it begin
	of       int  // whose boundary it is, as an index of open; -1 for the end of the mail
	last     bool // it ends the multipart too
}

// read reads the part that begins at from. It returns the part and the mark
// that ends it, also where the part cannot be read.
func (s *splitter) read(from int) (*enmime.Part, partEnd, error) {
	body, end, ended := s.endOfHeader(from)
	if s.header += body - from; s.header > maxHeaderBytes {
		return nil, end, ErrLongHeader
	}
	p, failed := readHeader(s.raw[from:body])
	depth := len(s.open)
	if boundary := boundaryOf(p); boundary != "" && !ended {
		s.open = append(s.open, []byte("--"+boundary))
	}
	if !ended {
		end = s.nextMark(body)
	}
	if end.of == depth && end.last { // it ends before a part came
		s.open = s.open[:depth]
		end = s.nextMark(end.next)
	}
	if end.of < depth { // it has no parts: its content is text for all that anybody knows
		s.open = s.open[:depth]
		if failed == nil {
			p.Content = s.content(body, end)
		}
		return p, end, failed
	}
	if depth >= maxDepth {
		return nil, end, ErrTooDeep
	}
	end, err := s.readChildren(p, depth, end)
	s.open = s.open[:depth]
	if err == nil && end.of == depth { // what follows the last part is dropped
		end = s.nextMark(end.next)
	}
	return p, end, err
}

// readChildren reads the parts of p, whose boundary is the one at depth, and
// returns the mark behind the last.
func (s *splitter) readChildren(p *enmime.Part, depth int, at partEnd) (partEnd, error) {
	next := &p.FirstChild
	for at.of == depth && !at.last {
		if s.parts++; s.parts > maxParts {
			return at, ErrTooManyParts
		}
		part, end, err := s.read(at.next)
		if isBound(err) {
			return end, err
		}
		at = end
		if err != nil {
			continue // the others can be read all the same
		}
		part.Parent, *next = p, part
		next = &part.NextSibling
	}
	return at, nil
}

// endOfHeader returns where the content of the part at from begins. Where a
// mark comes first, ended says so.
func (s *splitter) endOfHeader(from int) (body int, end partEnd, ended bool) {
	for at := from; at < len(s.raw) && at-from <= maxHeaderBytes; {
		line, next := s.line(at)
		if end, ended = s.markAt(at, line, next); ended {
			return at, end, true
		}
		if len(line) == 0 || len(line) == 1 && line[0] == '\r' {
			return next, end, false
		}
		at = next
	}
	return len(s.raw), s.endOfMail(), true
}

// nextMark returns the first mark at or behind from, where a line begins.
func (s *splitter) nextMark(from int) partEnd {
	for at := from; at < len(s.raw) && len(s.open) > 0; {
		if bytes.HasPrefix(s.raw[at:], dashes[1:]) {
			line, next := s.line(at)
			if m, ok := s.markAt(at, line, next); ok {
				return m
			}
		}
		n := bytes.Index(s.raw[at:], dashes)
		if n < 0 {
			break
		}
		at += n + 1
	}
	return s.endOfMail()
}

var dashes = []byte("\n--")

// markAt says whether a line is a mark. Where boundaries are alike, that of the
// outermost multipart counts.
func (s *splitter) markAt(at int, line []byte, next int) (partEnd, bool) {
	if !bytes.HasPrefix(line, dashes[1:]) {
		return partEnd{}, false
	}
	for i, boundary := range s.open {
		rest, ok := bytes.CutPrefix(line, boundary)
		if !ok || len(rest) > 0 && bytes.IndexByte([]byte("- \t\r"), rest[0]) < 0 {
			continue
		}
		last := bytes.HasPrefix(rest, dashes[1:])
		if last || len(bytes.TrimLeft(rest, " \t\r")) == 0 {
			return partEnd{at, next, i, last}, true
		}
	}
	return partEnd{}, false
}

func (s *splitter) endOfMail() partEnd { return partEnd{at: len(s.raw), next: len(s.raw), of: -1} }

// line returns the line at a position without its line feed, and where the
// next one begins.
func (s *splitter) line(at int) (line []byte, next int) {
	if n := bytes.IndexByte(s.raw[at:], '\n'); n >= 0 {
		return s.raw[at : at+n], at + n + 1
	}
	return s.raw[at:], len(s.raw)
}

// content returns what stands between the header of a part and its end, as it
// came.
func (s *splitter) content(body int, end partEnd) []byte {
	raw := s.raw[body:max(body, end.at)]
	if end.of >= 0 {
		raw = withoutLineEnd(raw)
	}
	return raw
}

// decodePart returns the first bytes of a part's content, at most limit. What
// cannot be decoded is noted with the part's errors.
func decodePart(p *enmime.Part, limit int) []byte {
	out, bad := decodeUpTo(p.Content, encodingOf(p), limit)
	if bad > 0 {
		p.Errors = append(p.Errors, &enmime.Error{Name: enmime.ErrorContentEncoding, Detail: strconv.Itoa(bad) + " bytes cannot be decoded"})
	}
	return out
}

func encodingOf(p *enmime.Part) string { return p.Header.Get("Content-Transfer-Encoding") }

func readHeader(header []byte) (*enmime.Part, error) {
	if len(bytes.TrimRight(header, "\r\n")) == 0 {
		header = []byte("Content-Type: text/plain\r\n\r\n")
	}
	return parser.ReadParts(bytes.NewReader(header))
}

// boundaryOf is what stands between the parts of a part, "" where it has none.
func boundaryOf(p *enmime.Part) string {
	if p == nil {
		return ""
	}
	kind, params, _, err := mediaType(p.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || len(params["boundary"]) > maxBoundary {
		return "" // what is no multipart for us is read as it stands
	}
	return params["boundary"]
}

// withoutLineEnd takes off the line end that belongs to the boundary.
func withoutLineEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}
