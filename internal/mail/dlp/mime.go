package dlp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"strings"

	"konak/internal/mail/dlp/transfer"
	"konak/internal/mail/dlp/words"
	"konak/internal/mail/header"
)

// maxHeader limits the header of a mail or of a part, in bytes.
const maxHeader = 256 << 10

// mailReader reads a mail once from front to back, line by line, and tracks the boundaries
// of all open multiparts. Its cost grows with the length of the mail, not with the number
// of parts.
type mailReader struct {
	r          *bufio.Reader
	boundaries []string
	// hit is the index of the boundary that ended the previous part, -1 at the end of the
	// mail. closed is true if that boundary ended its multipart.
	hit    int
	closed bool
	line   []byte // rest of the current line
	start  bool   // the next bytes begin a line
	err    error
}

// scanMail scans a mail: its subject, its parts, and the text between them.
func (x *extractor) scanMail(where Where, raw io.Reader, depth int) {
	if depth >= x.limits.Depth {
		x.c.fail(where, ReasonTooDeep)
		return
	}
	m := &mailReader{r: bufio.NewReaderSize(&boundedReader{x: x, r: raw}, 64<<10), start: true, hit: -1}
	x.scanEntity(m, where, true, depth)
	x.failRead(where, m.err)
}

// boundedReader returns errTime once the scan's time is over.
type boundedReader struct {
	x *extractor
	r io.Reader
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.x.ctx.Err() != nil {
		return 0, errTime
	}
	return b.r.Read(p)
}

// scanEntity scans a mail or a part, from its header to the boundary that ends it.
func (x *extractor) scanEntity(m *mailReader, where Where, top bool, depth int) {
	h, whole := m.readHeader(top)
	if !whole {
		x.c.fail(where, ReasonTooLarge)
	}
	if top {
		x.scanShown(where, h)
	}
	kind, params := mediaType(h.get("Content-Type"))
	x.checkStructure(where, h, kind, params)
	if boundary := unquotePairs(params["boundary"]); strings.HasPrefix(kind, "multipart/") && boundary != "" {
		x.scanMultipart(m, where, boundary, depth)
		return
	}
	p := part{where: where, kind: kind, charset: params["charset"], flowed: strings.EqualFold(params["format"], "flowed")}
	disposition, _ := mediaType(h.get("Content-Disposition"))
	name := x.fileName(where, h.get("Content-Disposition"), h.get("Content-Type"))
	if name != "" || disposition == "attachment" || strings.HasPrefix(kind, "message/") || isNameless(kind) {
		if name == "" {
			name = "mail.eml"
			if !strings.HasPrefix(kind, "message/") {
				name = "unnamed"
			}
		}
		p.name = name
		p.where = Where{Field: FieldAttachment, Name: strings.TrimPrefix(where.Name+"/"+name, "/")}
		x.checkFileName(p.where, name)
	}
	if p.kind == "" && p.name == "" {
		p.kind = "text/plain" // even if it has bytes that do not occur in text
	}
	x.text.scanText(p.where, x.decodeWords(p.where, h.get("Content-Description")))
	body := m.body()
	if h.broken {
		content, err := x.readSpool(body)
		defer content.close()
		x.failRead(where, err)
		x.scanEncoded(where, content, depth)
		body = content.reader()
	}
	x.scanPart(p, transfer.Decode(body, transferEncoding(h.get("Content-Transfer-Encoding"))), depth+1)
	skipBody(body)
}

// isNameless reports whether a part without a name is a file because of its type.
func isNameless(kind string) bool {
	return kind != "" && !strings.HasPrefix(kind, "text/") && !strings.HasPrefix(kind, "multipart/") && opaqueKinds[kind] == ""
}

// scanMultipart scans the parts between the boundaries.
func (x *extractor) scanMultipart(m *mailReader, where Where, boundary string, depth int) {
	if !x.countPart(where) {
		skipBody(m.body())
		return
	}
	if len(m.boundaries) >= x.limits.Depth {
		x.c.fail(where, ReasonTooDeep)
		skipBody(m.body())
		return
	}
	own := len(m.boundaries)
	m.boundaries = append(m.boundaries, boundary)
	m.hit, m.closed = own, true
	for m.hit == own {
		switch {
		case x.parts > x.limits.Parts || x.ctx.Err() != nil:
			x.countPart(where)
			skipBody(m.body())
		case m.closed: // text before the first part and after the last
			x.scanLoose(where, m.body(), depth)
		default:
			x.scanEntity(m, where, false, depth)
		}
	}
	m.boundaries = m.boundaries[:own]
}

// maxField limits a header field, in bytes.
const maxField = 32 << 10

// mailHeader is a header's unfolded fields by lower-case name. For repeated fields the
// first one is used, except that all fields that people read are scanned.
type mailHeader struct {
	fields map[string]*headerField
	shown  []*headerField
	// again are repeated fields about the content.
	again []*headerField
	// broken is true if the header does not end with an empty line. Some programs skip the
	// invalid line and read on.
	broken bool
}

type headerField struct {
	name  string
	value strings.Builder
}

func (h *mailHeader) get(name string) string {
	if f := h.fields[strings.ToLower(name)]; f != nil {
		return f.value.String()
	}
	return ""
}

// add starts a field and returns it, or nil if the field is not read.
func (h *mailHeader) add(name, value string) *headerField {
	if !isShown(name) && !strings.HasPrefix(name, "content-") {
		return nil
	}
	f := &headerField{name: name}
	f.value.WriteString(value)
	if h.fields[name] != nil && !isShown(name) {
		if len(h.again) >= maxAgain {
			return nil
		}
		h.again = append(h.again, f)
		return f
	}
	if h.fields[name] == nil {
		h.fields[name] = f
	}
	if isShown(name) {
		h.shown = append(h.shown, f)
	}
	return f
}

// readHeader reads up to the empty line. It returns false if the header, or a field that is
// read, is too long; the rest of a header is then read as the body.
func (m *mailReader) readHeader(top bool) (h *mailHeader, whole bool) {
	h, whole = &mailHeader{fields: map[string]*headerField{}}, true
	var last *headerField
	size, fields := 0, 0
	for first := true; ; first = false {
		line, ok := m.readLine()
		if !ok {
			return h, whole
		}
		size += len(line)
		trimmed := strings.TrimRight(string(line), "\r\n")
		switch {
		case trimmed == "":
			return h, whole
		case size > maxHeader:
			return h, false
		case first && top && strings.HasPrefix(trimmed, "From "):
		case (trimmed[0] == ' ' || trimmed[0] == '\t') && fields > 0:
			if last != nil {
				last.value.WriteByte(' ')
				last.value.WriteString(strings.TrimLeft(trimmed, " \t"))
			}
		default:
			name, value, found := strings.Cut(trimmed, ":")
			if !found {
				m.line = append([]byte(nil), line...) // the body begins without an empty line
				h.broken = true
				return h, whole
			}
			fields++
			last = h.add(strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value))
		}
		if last != nil && last.value.Len() > maxField {
			last, whole = nil, false
		}
	}
}

// readLine returns a line, or a piece of a long one. At a boundary and at the end of the
// mail it returns false and sets hit and closed.
func (m *mailReader) readLine() ([]byte, bool) {
	if len(m.line) > 0 {
		line := m.line
		m.line = nil
		return line, true
	}
	if m.err != nil {
		m.hit = -1
		return nil, false
	}
	atStart := m.start
	line, err := m.r.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		if !errors.Is(err, io.EOF) {
			m.err = err
		}
		if len(line) == 0 {
			m.hit = -1
			return nil, false
		}
	}
	m.start = len(line) > 0 && line[len(line)-1] == '\n'
	if atStart && len(line) > 2 && line[0] == '-' && line[1] == '-' && m.isBoundary(line[2:]) {
		return nil, false
	}
	return line, true
}

// isBoundary reports whether a line is a boundary of an open multipart, and sets hit and
// closed. The innermost multipart wins.
func (m *mailReader) isBoundary(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	for i := len(m.boundaries) - 1; i >= 0; i-- {
		rest, ok := bytes.CutPrefix(line, []byte(m.boundaries[i]))
		if ok && (len(rest) == 0 || string(rest) == "--") {
			m.hit, m.closed = i, len(rest) > 0
			return true
		}
	}
	return false
}

// body returns a reader up to the next boundary.
func (m *mailReader) body() io.Reader { return &bodyReader{m: m} }

type bodyReader struct {
	m    *mailReader
	left []byte
	done bool
}

func (b *bodyReader) Read(p []byte) (int, error) {
	for len(b.left) == 0 {
		if b.done {
			return 0, io.EOF
		}
		line, ok := b.m.readLine()
		if !ok {
			b.done = true
			b.m.line = nil
			if b.m.err != nil {
				return 0, b.m.err
			}
			return 0, io.EOF
		}
		b.left = line
	}
	n := copy(p, b.left)
	if b.left = b.left[n:]; len(b.left) > 0 {
		b.left = append([]byte(nil), b.left...) // the line is valid until the next read
	}
	return n, nil
}

// skipBody discards the rest up to the next boundary.
func skipBody(body io.Reader) { _, _ = io.Copy(io.Discard, body) }

// mediaType parses a header such as Content-Type leniently.
func mediaType(value string) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(value)
	if err != nil && strings.Contains(value, "(") {
		value = header.WithoutComments(value)
		kind, params, err = mime.ParseMediaType(value)
	}
	if err == nil || kind != "" && params != nil {
		return strings.ToLower(kind), params
	}
	// Mail programs use what they can of a damaged header.
	kind, rest, _ := strings.Cut(value, ";")
	params = map[string]string{}
	for _, p := range strings.Split(rest, ";") {
		name, v, ok := strings.Cut(p, "=")
		if ok {
			params[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return strings.ToLower(strings.TrimSpace(kind)), params
}

// decodeWords decodes encoded words, =?utf-8?q?…?=, and records if any cannot be decoded.
func (x *extractor) decodeWords(where Where, s string) string {
	text, whole := words.Decode(s)
	if !whole {
		x.c.fail(where, ReasonUnsupported)
	}
	return text
}

// fileName returns the name of a part. If the name is given in another charset as well, the
// decoded form is used.
func (x *extractor) fileName(where Where, values ...string) (name string) {
	for _, value := range values {
		_, params := mediaType(value)
		plain := params["filename"]
		if plain == "" {
			plain = params["name"]
		}
		plain = x.decodeWords(where, plain)
		extended, whole := words.FileName(value)
		if !whole {
			x.c.fail(where, ReasonUnsupported)
		}
		for _, n := range []string{extended, plain} {
			if name == "" {
				name = n
			} else if n != name {
				x.text.scanText(where, n) // some programs show this one
			}
		}
	}
	return name
}
