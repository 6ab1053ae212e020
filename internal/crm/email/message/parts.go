package message

import (
	"bytes"
	"errors"
	"slices"
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

// parser reads one part that has no parts in it: its header, and its content
// decoded. It never sees a boundary: its own way through the parts of a mail
// takes a time that grows with the square of their number, and much faster with
// their depth.
var parser = enmime.NewParser(
	enmime.SkipMalformedParts(true),
	enmime.MultipartWOBoundaryAsSinglePart(true),
	enmime.SetReadPartErrorPolicy(enmime.AllowCorruptTextPartErrorPolicy),
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
	kind, params, bad, err := mediatype.ParseWithOptions(v, mediatype.ParseOptions{StripMediaTypeInvalidCharacters: true})
	if err != nil || kind == "" {
		return hidden + "text/plain", map[string]string{}, bad, nil
	}
	if strings.HasPrefix(kind, "text/") {
		kind = hidden + kind
	}
	return kind, params, bad, nil
}

// readParts reads a mail with its parts as a tree. It counts before it reads:
// each level looks once for its boundary, and a part is only read when all
// bounds hold for it.
func readParts(raw []byte) (*enmime.Part, error) {
	var c counter
	return c.read(raw, 1)
}

// counter is how much of a mail's structure was met.
type counter struct{ parts, header int }

// read reads the part that raw consists of, at a depth that begins with 1.
func (c *counter) read(raw []byte, depth int) (*enmime.Part, error) {
	end := headerEnd(raw)
	if c.header += end; c.header > maxHeaderBytes {
		return nil, ErrLongHeader
	}
	boundary, err := boundaryOf(raw[:end])
	if err != nil {
		return nil, err
	}
	if boundary == "" {
		return readLeaf(raw)
	}
	children, err := c.split(raw[end:], boundary)
	switch {
	case err != nil:
		return nil, err
	case len(children) == 0:
		return readLeaf(raw) // its content is text for all that anybody knows
	case depth > maxDepth:
		return nil, ErrTooDeep
	}
	p, err := readLeaf(raw[:end])
	if err != nil {
		return nil, err
	}
	next := &p.FirstChild
	for _, child := range children {
		part, err := c.read(child, depth+1)
		if isBound(err) {
			return nil, err
		}
		if err != nil {
			continue // the others can be read all the same
		}
		part.Parent, *next = p, part
		next = &part.NextSibling
	}
	return p, nil
}

func readLeaf(raw []byte) (*enmime.Part, error) {
	if headerEnd(raw) <= 2 {
		raw = slices.Concat([]byte("Content-Type: text/plain\r\n"), raw)
	}
	return parser.ReadParts(bytes.NewReader(raw))
}

// headerEnd is where the content of a part begins.
func headerEnd(raw []byte) int {
	for at := 0; at < len(raw); {
		n := bytes.IndexByte(raw[at:], '\n') + 1
		if n == 0 {
			break
		}
		if line := raw[at : at+n]; len(line) == 1 || len(line) == 2 && line[0] == '\r' {
			return at + n
		}
		at += n
	}
	return len(raw)
}

// boundaryOf is what stands between the parts of a part, "" where it has none.
func boundaryOf(header []byte) (string, error) {
	p, err := readLeaf(header)
	if err != nil {
		return "", err
	}
	kind, params, _, err := mediaType(p.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || len(params["boundary"]) > maxBoundary {
		return "", nil //nolint:nilerr // what is no multipart for us is read as it stands
	}
	return params["boundary"], nil
}

// split cuts a content at its boundary. What comes before the first and after
// the last is dropped; without a last one the end is the end.
func (c *counter) split(content []byte, boundary string) (out [][]byte, err error) {
	mark := []byte("\n--" + boundary)
	from := -1 // where the part under way begins
	for at := 0; at < len(content); {
		line, next := content[at:], len(content)
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line, next = line[:n], at+n+1
		}
		rest, ok := bytes.CutPrefix(line, mark[1:])
		last := ok && bytes.HasPrefix(rest, []byte("--"))
		if !ok || !last && len(bytes.TrimLeft(rest, " \t\r")) > 0 {
			at = nextMark(content, at, mark)
			continue
		}
		if from >= 0 {
			out = append(out, withoutLineEnd(content[from:at]))
		}
		if last {
			return out, nil
		}
		if c.parts++; c.parts > maxParts {
			return nil, ErrTooManyParts
		}
		at, from = next, next
	}
	if from >= 0 {
		out = append(out, content[from:])
	}
	return out, nil
}

// nextMark is where the next line behind at begins with mark, which stands
// behind a line end.
func nextMark(content []byte, at int, mark []byte) int {
	n := bytes.Index(content[at:], mark)
	if n < 0 {
		return len(content)
	}
	return at + n + 1
}

// withoutLineEnd takes off the line end that belongs to the boundary.
func withoutLineEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}
