package message

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
)

// Limits on a mail's structure. No real mail comes near them; they keep the cost of a mail
// proportional to its length.
const (
	maxParts       = 1000
	maxDepth       = 12
	maxHeaderBytes = 256 << 10 // of the mail and of all its parts
	maxBoundary    = 200
	maxMediaType   = 4 << 10
)

// Errors for a mail that exceeds the limits.
var (
	ErrTooManyParts = errors.New("the mail has too many parts")
	ErrTooDeep      = errors.New("the mail is nested too deeply")
	ErrLongHeader   = errors.New("the mail's headers are too long")
)

func isBound(err error) bool {
	return errors.Is(err, ErrTooManyParts) || errors.Is(err, ErrTooDeep) || errors.Is(err, ErrLongHeader)
}

// parser reads the header of one part. It never sees a boundary or a content: its own
// traversal of the parts takes quadratic time in their number, and its decoders store an
// error for each bad byte.
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

// mediaType hides text parts from the parser's own character set detection, which guesses,
// and gives up a whole mail because of a single byte. An unreadable type is treated as
// text.
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

// part is a part of a mail: its header and the location of its content.
type part struct {
	head     *enmime.Part
	src      *source
	at, size int64 // of the encoded content; the size is 0 for a part with child parts
	children []*part
}

// readParts reads the mail that begins at from as a tree of parts. Their contents are not
// read; decodePart reads one. It goes through the lines once, whatever the depth, and reads
// a part only while all limits hold.
func readParts(src *source, from int64) (*part, error) {
	s := splitter{src: src}
	p, _, err := s.read(from)
	return p, err
}

// splitter is the state of reading a mail's parts.
type splitter struct {
	src    *source
	open   [][]byte // "--" and the boundary of each multipart that has not ended, the outermost first
	parts  int
	header int64         // bytes of all headers
	line   [maxMark]byte // the beginning of a long line that markAt checks
}

// maxMark is the number of bytes of a line that decide whether it is a mark, white space
// aside: the dashes, the boundary and the dashes of the last mark.
const maxMark = 2 + maxBoundary + 2

// partEnd is a line that ends a part.
type partEnd struct {
	at, next int64 // where the line and the next one begin
	of       int   // whose boundary it is, as an index of open; -1 for the end of the mail
	last     bool  // it ends the multipart too
}

// read reads the part that begins at from. It returns the part and the mark that ends it,
// even if the part cannot be read.
func (s *splitter) read(from int64) (*part, partEnd, error) {
	body, end, ended := s.endOfHeader(from)
	if s.header += body - from; s.header > maxHeaderBytes {
		return nil, end, ErrLongHeader
	}
	head, failed := readHeader(s.src.read(from, body-from))
	var p *part
	if head != nil {
		p = &part{head: head, src: s.src, at: body}
	}
	depth := len(s.open)
	if boundary := boundaryOf(head); boundary != "" && !ended {
		s.open = append(s.open, []byte("--"+boundary))
	}
	if !ended {
		end = s.nextMark(body)
	}
	if end.of == depth && end.last { // it ends before its first part
		s.open = s.open[:depth]
		end = s.nextMark(end.next)
	}
	if end.of < depth { // it has no parts: the best guess is that its content is text
		s.open = s.open[:depth]
		if failed == nil {
			p.size = s.contentSize(body, end)
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

// readChildren reads the parts of p, whose boundary is the one at depth, and returns the
// mark after the last one.
func (s *splitter) readChildren(p *part, depth int, at partEnd) (partEnd, error) {
	for at.of == depth && !at.last {
		if s.parts++; s.parts > maxParts {
			return at, ErrTooManyParts
		}
		child, end, err := s.read(at.next)
		if isBound(err) {
			return end, err
		}
		at = end
		if err != nil {
			continue // the other parts can still be read
		}
		p.children = append(p.children, child)
	}
	return at, nil
}

// endOfHeader returns where the content of the part at from begins. If a mark comes first,
// it returns that mark and ended is true.
func (s *splitter) endOfHeader(from int64) (body int64, end partEnd, ended bool) {
	for at := from; at < s.src.size && at-from <= maxHeaderBytes; {
		if end, ended = s.markAt(at); ended {
			return at, end, true
		}
		empty := s.src.isEmptyLine(at)
		if at = s.src.nextLine(at); empty {
			return at, end, false
		}
	}
	return s.src.size, s.endOfMail(), true
}

// nextMark returns the first mark at or after from, which must be the start of a line.
func (s *splitter) nextMark(from int64) partEnd {
	for at := from; at < s.src.size && len(s.open) > 0; {
		if m, ok := s.markAt(at); ok {
			return m
		}
		n := s.src.find("\n--", at)
		if n < 0 {
			break
		}
		at = n + 1
	}
	return s.endOfMail()
}

// markAt reports whether the line at a position is a mark, and returns it. If several
// boundaries match, the outermost multipart's is used.
func (s *splitter) markAt(at int64) (partEnd, bool) {
	if len(s.open) == 0 {
		return partEnd{}, false
	}
	line := s.src.peek(at, maxMark)
	if !bytes.HasPrefix(line, dashes) {
		return partEnd{}, false
	}
	line, _, whole := bytes.Cut(line[:min(len(line), maxMark)], []byte("\n"))
	behind := at + int64(len(line))
	blank := whole
	if !whole {
		line = append(s.line[:0], line...) // the window may move on
		blank = s.src.isBlankToLineEnd(behind)
	}
	for i, boundary := range s.open {
		rest, ok := bytes.CutPrefix(line, boundary)
		if !ok || len(rest) > 0 && bytes.IndexByte([]byte("- \t\r"), rest[0]) < 0 {
			continue
		}
		last := bytes.HasPrefix(rest, dashes)
		if last || blank && len(bytes.TrimLeft(rest, " \t\r")) == 0 {
			return partEnd{at, s.src.nextLine(behind), i, last}, true
		}
	}
	return partEnd{}, false
}

var dashes = []byte("--")

func (s *splitter) endOfMail() partEnd { return partEnd{at: s.src.size, next: s.src.size, of: -1} }

// contentSize returns the number of bytes between the header of a part and its end, without
// the line end that belongs to the boundary.
func (s *splitter) contentSize(body int64, end partEnd) int64 {
	size := max(0, end.at-body)
	if end.of < 0 {
		return size
	}
	n := min(size, 2)
	tail := s.src.read(body+size-n, n)
	return size - n + int64(len(withoutLineEnd(tail)))
}

// decodePart returns at most limit decoded bytes from the start of a part's content.
// Decoding errors are added to the part's errors.
func decodePart(p *part, limit int64) []byte {
	if p.src.err != nil {
		return nil
	}
	out, bad, err := decodeUpTo(p.content(), limit)
	p.src.err = err
	if bad > 0 {
		p.head.Errors = append(p.head.Errors, &enmime.Error{Name: enmime.ErrorContentEncoding, Detail: strconv.Itoa(bad) + " bytes cannot be decoded"})
	}
	return out
}

// content returns the location of a part's content.
func (p *part) content() *content {
	return &content{p.src.from, p.at, p.size, strings.ToLower(strings.TrimSpace(p.head.Header.Get("Content-Transfer-Encoding")))}
}

func readHeader(header []byte) (*enmime.Part, error) {
	if len(bytes.TrimRight(header, "\r\n")) == 0 {
		header = []byte("Content-Type: text/plain\r\n\r\n")
	}
	return parser.ReadParts(bytes.NewReader(header))
}

// boundaryOf returns the boundary between the child parts of a part, "" if it has none.
func boundaryOf(p *enmime.Part) string {
	if p == nil {
		return ""
	}
	kind, params, _, err := mediaType(p.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || len(params["boundary"]) > maxBoundary {
		return "" // a part that is not a valid multipart is read as one part
	}
	return params["boundary"]
}

// withoutLineEnd removes the line end that belongs to the boundary.
func withoutLineEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}
