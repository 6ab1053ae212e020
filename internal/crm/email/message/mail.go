package message

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"path"
	"slices"
	"strings"
	"time"

	"konak/internal/kit/trtext"
)

// Address is an e-mail address with its display name.
type Address struct {
	Name  string `json:"name" example:"Elif Kaya"`
	Email string `json:"email" example:"elif@kayamobilya.example"`
}

// File is a part of a mail that is not its text.
type File struct {
	Name string
	Type string // as the sender claims
	// ContentID is the id by which the mail's HTML refers to the file, without the
	// brackets.
	ContentID string
	Inline    bool
	// Content is the content of a file to be sent. The content of a received file stays in
	// the mail.
	Content []byte
	stored  *content // nil for a file that is to be sent
}

// Reader returns a reader of the file's bytes. Those of a received file are read from the
// mail, which must still be open; if that fails, Read returns the error.
func (f *File) Reader() io.Reader {
	if f.stored != nil {
		return newDecoder(f.stored)
	}
	return bytes.NewReader(f.Content)
}

// Mail is a parsed mail.
type Mail struct {
	MessageID  string // without brackets, "" for none
	InReplyTo  []string
	References []string // the oldest first
	From       Address
	ReplyTo    []Address
	To, Cc     []Address
	// Delivered are the addresses that relays recorded: where the mail really went.
	Delivered []string
	Subject   string
	Date      time.Time // zero if it cannot be read
	// Text is the whole text, Body the new part of it.
	Text string
	Body string
	// HTML is sanitised; "" if the mail has none.
	HTML  string
	Files []File
	// Headers are the header fields in their order, shortened to a sane size.
	Headers []Field
	// Auto is the reason why the mail counts as automatic, "" for a person's mail.
	Auto string
	// Bounce is set on a report about a mail that did not arrive.
	Bounce *Bounce
	// Defects are the parser's complaints.
	Defects []string
}

// Field is a field of a mail's header.
type Field struct{ Name, Value string }

// Why a mail cannot be read.
var (
	ErrEmpty      = errors.New("the mail is empty")
	ErrNoSender   = errors.New("the mail has no sender")
	ErrUnreadable = errors.New("the mail cannot be read")
)

const (
	maxDefects = 20
	maxFiles   = 100
	maxText    = 512 << 10   // of text and of HTML that is kept
	maxRawText = 4 * maxText // of all texts of a mail before they are decoded
)

// Parse reads a mail of size bytes in time linear in its length. It holds only a
// window, the headers and bounded texts of the mail in memory; files are read
// later, see File.Reader. The envelope's sender is used if the mail names none;
// "" and <> mean none.
//
// If a mail exceeds the limits, the error is ErrTooManyParts, ErrTooDeep or
// ErrLongHeader; if it is not a mail, ErrEmpty, ErrNoSender or ErrUnreadable.
// Any other error comes from src and is not about the mail.
func Parse(src io.ReaderAt, size int64, envelopeFrom string) (*Mail, error) {
	return parse(&source{from: src, size: size, window: readWindow}, envelopeFrom)
}

// ParseBytes is Parse for a mail in memory.
func ParseBytes(raw []byte, envelopeFrom string) (*Mail, error) {
	return Parse(bytes.NewReader(raw), int64(len(raw)), envelopeFrom)
}

func parse(src *source, envelopeFrom string) (m *Mail, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("%w: %v", ErrUnreadable, p)
		}
		if src.err != nil { // what was read is incomplete
			m, err = nil, src.err
		}
	}()
	start := src.skipMbox()
	if src.isBlankToEnd(start) {
		return nil, ErrEmpty
	}
	root, err := readParts(src, start)
	if isBound(err) {
		return nil, err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if root == nil || len(root.head.Header) == 0 {
		return nil, fmt.Errorf("%w: it has no header", ErrUnreadable)
	}
	m = &Mail{}
	h := header(root.head.Header)
	m.readHeader(h)
	m.Headers = fieldsOf(src.read(start, root.at-start))
	var b body
	b.readPart(root)
	if len(nonEmpty(b.text))+len(nonEmpty(b.html))+len(b.files) == 0 {
		b.text = []string{text(readAfterHeader(src, start), "")} // the raw text is better than nothing
	}
	m.fill(&b)
	m.Bounce = readBounce(root, h, m, start)
	m.Auto = automatic(h, m, envelopeFrom)
	m.From.Email = cmp.Or(m.From.Email, bareAddress(envelopeFrom))
	if m.From.Email == "" && m.Bounce == nil {
		return nil, ErrNoSender
	}
	return m, nil
}

const hidden = "x-"

func kindOf(p *part) string { return strings.ToLower(strings.TrimPrefix(p.head.ContentType, hidden)) }

// maxFields and maxField limit what is kept of a header.
const (
	maxFields = 100
	maxField  = 2000
)

// fieldsOf lists the fields of a header, not decoded.
func fieldsOf(head []byte) []Field {
	var out []Field
	for line := range bytes.Lines(head) {
		text := strings.TrimRight(clean(string(line)), "\r\n")
		if text == "" {
			break
		}
		if text[0] == ' ' || text[0] == '\t' {
			if n := len(out); n > 0 && len(out[n-1].Value) < maxField {
				out[n-1].Value = trtext.Cut(out[n-1].Value+" "+strings.TrimSpace(text), maxField)
			}
			continue
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || len(out) >= maxFields {
			continue
		}
		out = append(out, Field{trtext.Cut(strings.TrimSpace(name), 100), trtext.Cut(strings.TrimSpace(value), maxField)})
	}
	return out
}

func (m *Mail) readHeader(h header) {
	m.MessageID = firstID(h.get("Message-Id"))
	m.InReplyTo = ids(h.get("In-Reply-To"))
	m.References = ids(strings.Join(h.all("References"), " "))
	m.Subject = subject(h.get("Subject"))
	m.Date = date(h.get("Date"))
	m.To, m.Cc, m.ReplyTo = h.addresses("To"), h.addresses("Cc"), h.addresses("Reply-To")
	for _, name := range []string{"From", "Sender", "Resent-From", "Return-Path", "X-Envelope-From"} {
		if list := h.addresses(name); len(list) > 0 {
			m.From = list[0]
			break
		}
	}
	if m.From.Email == "" && len(m.ReplyTo) > 0 {
		m.From = m.ReplyTo[0]
	}
	for _, name := range []string{"Delivered-To", "X-Original-To", "Envelope-To", "X-Forwarded-To"} {
		for _, a := range h.addresses(name) {
			m.Delivered = append(m.Delivered, a.Email)
		}
	}
}

// body collects the contents of a mail's parts.
type body struct {
	text, html []string
	length     int64 // of the texts before decoding, in bytes
	files      []File
	defects    []string
}

// readPart reads a part and its child parts.
func (b *body) readPart(p *part) {
	if len(p.children) == 0 {
		b.readLeaf(p)
	}
	for _, e := range p.head.Errors {
		if len(b.defects) < maxDefects {
			b.defects = append(b.defects, clean(e.Name+": "+e.Detail))
		}
	}
	for _, child := range p.children {
		b.readPart(child)
	}
}

// readLeaf reads a part without child parts: a text or a file.
func (b *body) readLeaf(p *part) {
	kind := kindOf(p)
	attached := strings.EqualFold(p.head.Disposition, "attachment")
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		// Without a boundary, the best guess is that the content is text.
		b.text = append(b.text, b.readText(p))
	case !attached && p.head.FileName == "" && (kind == "" || kind == "text/plain" || strings.HasPrefix(kind, "text/enriched")):
		b.text = append(b.text, b.readText(p))
	case !attached && p.head.FileName == "" && (kind == "text/html" || kind == "application/xhtml+xml"):
		b.html = append(b.html, b.readText(p))
	case p.size == 0 && !attached:
	case len(b.files) >= maxFiles:
		b.defects = append(b.defects, "too many files")
	default:
		b.files = append(b.files, file(p, kind))
	}
}

// readText returns a text part in UTF-8, as much of it as can be kept.
func (b *body) readText(p *part) string {
	content := decodePart(p, maxRawText-b.length)
	b.length += int64(len(content))
	return text(content, p.head.Charset)
}

func file(p *part, kind string) File {
	kind = cmp.Or(clean(kind), "application/octet-stream")
	return File{
		Type: kind, ContentID: clean(strings.Trim(p.head.ContentID, "<> ")), stored: p.content(),
		Inline: strings.EqualFold(p.head.Disposition, "inline"), Name: cmp.Or(fileName(p.head.FileName), "file"+extension(kind)),
	}
}

// fileName returns the last element of a name, since the sender's folders do not matter. It
// drops control characters and marks that change the direction of writing: with them
// "fdp.exe" reads as "exe.pdf".
func fileName(s string) string {
	s = clean(s)
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || trtext.IsDirectionMark(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, `\`, "/"))
	if s = path.Base(s); s == "." || s == ".." || s == "/" {
		return ""
	}
	return trtext.Cut(s, 200)
}

// extensions holds one file extension per type, for files without a name. The machine's own
// table differs from machine to machine.
var extensions = map[string]string{
	"message/rfc822": ".eml", "message/delivery-status": ".txt", "text/calendar": ".ics", "text/html": ".html", "text/plain": ".txt",
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf",
	"application/ms-tnef": ".dat", "application/pkcs7-signature": ".p7s", "application/pkcs7-mime": ".p7m",
}

func extension(kind string) string { return cmp.Or(extensions[kind], ".bin") }

func (m *Mail) fill(b *body) {
	m.Defects, m.Files = b.defects, b.files
	m.Text = trtext.Cut(strings.TrimSpace(strings.Join(nonEmpty(b.text), "\n\n")), maxText)
	page := trtext.Cut(strings.Join(nonEmpty(b.html), "\n<hr>\n"), maxText)
	if page != "" {
		m.HTML = Sanitize(page)
		if m.Text == "" {
			m.Text = HTMLText(page)
		}
	}
	m.Body = Fresh(m.Text)
}

// readAfterHeader returns what follows the first empty line, as much as can be kept.
func readAfterHeader(src *source, start int64) []byte {
	for _, gap := range []string{"\r\n\r\n", "\n\n"} {
		if at := src.find(gap, start); at >= 0 {
			return src.read(at+int64(len(gap)), maxRawText)
		}
	}
	return nil
}

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// Fingerprint returns a hash that distinguishes mails. A mail that arrives by two routes
// has one fingerprint; two different mails with the same Message-ID, as careless senders
// create them, have two. It returns an error if a file cannot be read.
func (m *Mail) Fingerprint() (string, error) {
	h := sha256.New()
	for _, s := range []string{m.MessageID, strings.ToLower(m.From.Email), m.Subject, m.Date.UTC().Format(time.RFC3339), m.Text} {
		_, _ = fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	for _, f := range m.Files {
		sum := sha256.New()
		if _, err := io.Copy(sum, f.Reader()); err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(h, "%s %x\n", f.Name, sum.Sum(nil))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// AnsweredIDs returns the ids of the mails that this one answers, most likely first.
func (m *Mail) AnsweredIDs() []string {
	out := make([]string, 0, len(m.InReplyTo)+len(m.References))
	newest := slices.Clone(m.References)
	slices.Reverse(newest)
	for _, id := range slices.Concat(m.InReplyTo, newest) {
		if id != m.MessageID && len(out) < maxIDs && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// Recipients returns all recipient addresses in the header.
func (m *Mail) Recipients() []string {
	var out []string
	for _, a := range slices.Concat(m.To, m.Cc) {
		out = append(out, a.Email)
	}
	return append(out, m.Delivered...)
}

var wordDecoder = &mime.WordDecoder{CharsetReader: charsetReader}
