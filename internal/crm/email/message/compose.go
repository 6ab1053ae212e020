package message

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"konak/internal/kit/each"
	"konak/internal/kit/markdown"
	"konak/internal/kit/trtext"
)

// Draft is a mail to be written.
type Draft struct {
	MessageID  string
	From       Address
	To         []string
	Cc         []string
	ReplyTo    string
	Subject    string
	Text       string
	Markdown   bool // how Text is written
	InReplyTo  string
	References []string
	Files      []File
	// Auto marks an automatic mail, so that machines do not answer it.
	Auto bool
	Date time.Time
}

// maxReferences limits the References header: the first id names the thread, the last ones
// the mail's place in it.
const maxReferences = 20

// Render returns the mail as it is sent. The same draft always yields the same bytes, so
// that a repeated attempt cannot be mistaken for another mail.
func (d *Draft) Render() ([]byte, error) {
	if len(d.To) == 0 {
		return nil, errors.New("message: there is no recipient")
	}
	var out bytes.Buffer
	d.head(&out)
	kind, alt, err := d.alternative()
	if err != nil {
		return nil, err
	}
	if len(d.Files) == 0 {
		fmt.Fprintf(&out, "Content-Type: %s\r\n\r\n", kind)
		out.Write(alt)
		return out.Bytes(), nil
	}
	mixed := multipart.NewWriter(&out)
	if err := mixed.SetBoundary(d.boundary("mixed")); err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, "Content-Type: multipart/mixed; boundary=%q\r\n\r\n", mixed.Boundary())
	part, err := mixed.CreatePart(textproto.MIMEHeader{"Content-Type": {kind}})
	if err != nil {
		return nil, err
	}
	if _, err := part.Write(alt); err != nil {
		return nil, err
	}
	for _, f := range d.Files {
		if err := attach(mixed, f); err != nil {
			return nil, err
		}
	}
	// Close writes the final boundary; the bytes are incomplete before that.
	err = mixed.Close()
	return out.Bytes(), err
}

func (d *Draft) head(out *bytes.Buffer) {
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "%s: %s\r\n", name, value)
		}
	}
	field("From", (&mail.Address{Name: oneLine(d.From.Name), Address: d.From.Email}).String())
	field("To", addressList(d.To))
	field("Cc", addressList(d.Cc))
	field("Reply-To", addressList(nonEmpty([]string{d.ReplyTo})))
	field("Subject", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", trtext.Cut(oneLine(d.Subject), 800)), "?= =?", "?=\r\n =?"))
	field("Date", d.Date.Format(time.RFC1123Z))
	field("Message-ID", "<"+d.MessageID+">")
	// A Message-ID with non-ASCII characters would prevent delivery to servers without
	// SMTPUTF8.
	if d.InReplyTo != "" && isASCII(d.InReplyTo) {
		field("In-Reply-To", "<"+oneLine(d.InReplyTo)+">")
	}
	refs := slices.DeleteFunc(slices.Clone(d.References), func(id string) bool { return !isASCII(id) })
	if len(refs) > maxReferences {
		refs = append([]string{refs[0]}, refs[len(refs)-maxReferences+1:]...)
	}
	if len(refs) > 0 {
		folded := each.Map(refs, func(r string) string { return "<" + oneLine(r) + ">" })
		field("References", strings.Join(folded, "\r\n "))
	}
	if d.Auto {
		field("Auto-Submitted", "auto-replied")
		field("X-Auto-Response-Suppress", "All")
		field("Precedence", "auto_reply")
	}
	field("MIME-Version", "1.0")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func addressList(list []string) string {
	out := each.Map(list, func(a string) string { return (&mail.Address{Address: oneLine(a)}).String() })
	return strings.Join(out, ",\r\n ")
}

// oneLine prevents a value from becoming two header fields.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' ' // words stay apart, as those who judged the text saw them
		}
		return r
	}, clean(s))
}

func (d *Draft) boundary(of string) string {
	sum := sha256.Sum256([]byte(of + d.MessageID))
	return "=_" + hex.EncodeToString(sum[:16])
}

func (d *Draft) alternative() (kind string, content []byte, err error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if err := w.SetBoundary(d.boundary("alternative")); err != nil {
		return "", nil, err
	}
	text, body := d.Text, linkedHTML(d.Text)
	if d.Markdown {
		text, body = markdown.Text(d.Text), markdown.HTML(d.Text)
	}
	for _, p := range [][2]string{{"text/plain", text}, {"text/html", pageHead + body + pageEnd}} {
		part, err := w.CreatePart(textproto.MIMEHeader{
			"Content-Type": {p[0] + "; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"},
		})
		if err != nil {
			return "", nil, err
		}
		q := quotedprintable.NewWriter(part)
		if _, err := q.Write([]byte(strings.ReplaceAll(p[1], "\n", "\r\n"))); err != nil {
			return "", nil, err
		}
		if err := q.Close(); err != nil {
			return "", nil, err
		}
	}
	err = w.Close()
	return fmt.Sprintf("multipart/alternative; boundary=%q", w.Boundary()), out.Bytes(), err
}

var link = regexp.MustCompile(`https?://[^\s<>"]+[^\s<>".,;:!?)\]]`)

const (
	pageHead = `<!doctype html><html><head><meta charset="utf-8"></head><body>`
	pageEnd  = "</body></html>\n"
)

// linkedHTML returns plain text as simple HTML: paragraphs, lines and links.
func linkedHTML(text string) string {
	var b strings.Builder
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		b.WriteString("<p>")
		for i, l := range strings.Split(p, "\n") {
			if i > 0 {
				b.WriteString("<br>\n")
			}
			last := 0
			for _, at := range link.FindAllStringIndex(l, -1) {
				b.WriteString(html.EscapeString(l[last:at[0]]))
				u := html.EscapeString(l[at[0]:at[1]])
				b.WriteString(`<a href="` + u + `">` + u + `</a>`)
				last = at[1]
			}
			b.WriteString(html.EscapeString(l[last:]))
		}
		b.WriteString("</p>\n")
	}
	return b.String()
}

func attach(w *multipart.Writer, f File) error {
	kind, _, err := mime.ParseMediaType(f.Type)
	if err != nil || strings.HasPrefix(kind, "multipart/") || strings.HasPrefix(kind, "message/") {
		kind = "application/octet-stream"
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Type":              {kind},
		"Content-Transfer-Encoding": {"base64"},
		"Content-Disposition":       {mime.FormatMediaType("attachment", map[string]string{"filename": fileName(f.Name)})},
	})
	if err != nil {
		return err
	}
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(f.Content)), 76) {
		if _, err := fmt.Fprintf(part, "%s\r\n", line); err != nil {
			return err
		}
	}
	return nil
}

var answerPrefix = regexp.MustCompile(`(?i)^\s*((re|ynt|yan|yanıt|aw|sv|rif|ref)\s*(\[\d+\])?\s*:\s*)+`)

// ReplySubject returns the subject of an answer to a mail, with the conversation's token
// unless it is "".
func ReplySubject(latest, token string) string {
	s := "Re: " + answerPrefix.ReplaceAllString(strings.TrimSpace(latest), "")
	if token != "" && !strings.Contains(strings.ToLower(s), "[#"+token+"]") {
		s += " [#" + token + "]"
	}
	return s
}
