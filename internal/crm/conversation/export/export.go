package export

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Formats of an export.
const (
	JSON = "json"
	HTML = "html"
	EML  = "eml"  // the whole conversation as one e-mail
	Mbox = "mbox" // one e-mail per message
)

// Types are the content types of the formats.
var Types = map[string]string{
	JSON: "application/json", HTML: "text/html; charset=utf-8", EML: "message/rfc822", Mbox: "application/mbox",
}

// Exported is an item in an export.
type Exported struct {
	conversation.Item
	AuthorName string `json:"author_name"`
	// TypedByName is the name of the agent who entered the item in the customer's name, ""
	// for none.
	TypedByName string `json:"typed_by_name,omitempty"`
}

// archive is a conversation to be exported. Items and files are read while it is written.
type archive struct {
	Conversation conversation.Conversation
	Language     string
	At           time.Time
	customer     mail.Address
	each         func(func(*Exported) error) error
	open         func(file.Attachment) (io.ReadSeekCloser, error)
	raw          func(item uuid.UUID) (io.ReadSeekCloser, error) // nil if there is no original
}

func (a *archive) write(w io.Writer, format string) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var err error
	switch format {
	case HTML:
		err = a.writeHTML(out)
	case EML:
		err = a.writeEML(out)
	case Mbox:
		err = a.writeMbox(out)
	default:
		err = a.writeJSON(out)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func (a *archive) writeJSON(w io.Writer) error {
	head, err := json.Marshal(a.Conversation)
	if err != nil {
		return err
	}
	at, err := json.Marshal(clock.At(a.At))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "{\"exported_at\":%s,\n\"conversation\":%s,\n\"items\":[", at, head); err != nil {
		return err
	}
	separator := "\n"
	err = a.each(func(i *Exported) error {
		b, err := json.Marshal(i)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s", separator, b)
		}
		separator = ",\n"
		return err
	})
	if err == nil {
		_, err = io.WriteString(w, "\n]}\n")
	}
	return err
}

// The page is self-contained and runs no code.
var pages = template.Must(template.New("head").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Conversation.Subject}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#18181b}
article{border:1px solid #e4e4e7;border-radius:.75rem;padding:.75rem 1rem;margin:.75rem 0}
article.agent,article.bot,article.api_key{background:#f4f4f5}article.note{background:#fef9c3}article.event{border:0;padding:0 1rem;color:#71717a;font-size:.9rem}
header{color:#52525b;font-size:.9rem}p{white-space:pre-wrap;margin:.25rem 0;overflow-wrap:anywhere}</style></head>
<body><h1>{{.Conversation.Subject}}</h1><p>{{.Conversation.ContactName}} · {{.Conversation.Channel}} · {{.Conversation.CreatedAt.Format "2006-01-02 15:04 UTC"}}</p>
{{define "item"}}<article class="{{if eq .Kind "message"}}{{.AuthorKind}}{{else}}{{.Kind}}{{end}}"><header>{{.AuthorName}}{{if .TypedByName}} (✎ {{.TypedByName}}){{end}} · <time datetime="{{.CreatedAt.Format "2006-01-02T15:04:05Z07:00"}}">{{.CreatedAt.Format "2006-01-02 15:04 UTC"}}</time>{{if .Event}} · {{.Event}}{{end}}</header>
{{if .Body}}<p>{{.PlainBody}}</p>{{end}}{{range .Attachments}}<p>📎 {{.Name}} ({{.Size}})</p>{{end}}{{range .Reactions}}<span>{{.Emoji}}</span> {{end}}</article>
{{end}}`))

func (a *archive) writeHTML(w io.Writer) error {
	if err := pages.ExecuteTemplate(w, "head", a); err != nil {
		return err
	}
	if err := a.each(func(i *Exported) error { return pages.ExecuteTemplate(w, "item", i) }); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</body></html>\n")
	return err
}

// writeEML puts the page and every file into one e-mail.
func (a *archive) writeEML(w io.Writer) error {
	parts := multipart.NewWriter(w)
	err := a.writeHead(w, a.customer, a.Conversation.Subject, a.At, a.Conversation.ID, nil, "multipart/mixed; boundary="+parts.Boundary())
	if err != nil {
		return err
	}
	part, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"}})
	if err != nil {
		return err
	}
	text := quotedprintable.NewWriter(part)
	if err := a.writeHTML(text); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	if err := a.each(func(i *Exported) error { return a.writeFiles(parts, i) }); err != nil {
		return err
	}
	return parts.Close()
}

func (a *archive) writeHead(w io.Writer, from mail.Address, subject string, at time.Time, id uuid.UUID, answers *uuid.UUID, kind string) error {
	host := "@" + a.Conversation.ID.String() + ".konak.invalid>"
	head := [][2]string{
		{"From", from.String()},
		{"To", a.customer.String()},
		{"Subject", mime.QEncoding.Encode("utf-8", subject)},
		{"Date", at.UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + id.String() + host},
		{"MIME-Version", "1.0"},
		{"Content-Type", kind},
	}
	if answers != nil {
		head = append(head, [2]string{"In-Reply-To", "<" + answers.String() + host}, [2]string{"References", "<" + answers.String() + host})
	}
	for _, h := range head {
		if _, err := fmt.Fprintf(w, "%s: %s\r\n", h[0], h[1]); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\r\n")
	return err
}

// writeFiles adds the files of an item as parts.
func (a *archive) writeFiles(parts *multipart.Writer, i *Exported) error {
	for _, f := range i.Attachments {
		if f.Blocked != nil {
			continue
		}
		content, err := a.open(f)
		if lost, ok := fault.As(err); ok && (lost.Code == fault.FileMissing || lost.Code == fault.FileDamaged) {
			// A lost file is replaced by a message: the rest can still be exported.
			text := lost.Message(a.Language)
			f.Name, f.Type = f.Name+".txt", "text/plain; charset=utf-8"
			if err := writeFile(parts, f, strings.NewReader(text)); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		err = writeFile(parts, f, content)
		if cerr := content.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeFile(parts *multipart.Writer, f file.Attachment, content io.Reader) error {
	part, err := parts.CreatePart(textproto.MIMEHeader{
		"Content-Type":              {f.Type},
		"Content-Transfer-Encoding": {"base64"},
		"Content-Disposition":       {mime.FormatMediaType("attachment", map[string]string{"filename": f.Name})},
	})
	if err != nil {
		return err
	}
	lines := &lineWriter{w: part}
	encoder := base64.NewEncoder(base64.StdEncoding, lines)
	if _, err := io.Copy(encoder, content); err != nil {
		return err
	}
	return encoder.Close()
}

// lineWriter breaks base64 into lines of a length that mail allows.
type lineWriter struct {
	w  io.Writer
	at int
}

func (l *lineWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		m := min(76-l.at, len(p))
		if _, err := l.w.Write(p[:m]); err != nil {
			return n, err
		}
		n, p, l.at = n+m, p[m:], l.at+m
		if l.at == 76 {
			if _, err := io.WriteString(l.w, "\r\n"); err != nil {
				return n, err
			}
			l.at = 0
		}
	}
	return n, nil
}

// writeMbox writes one e-mail per message and note; if the original e-mail was kept, it
// writes that.
func (a *archive) writeMbox(w io.Writer) error {
	var first *uuid.UUID
	return a.each(func(i *Exported) error {
		if i.Kind == conversation.Event {
			return nil
		}
		if _, err := fmt.Fprintf(w, "From konak %s\r\n", i.CreatedAt.UTC().Format(time.ANSIC)); err != nil {
			return err
		}
		quoted := &fromQuoter{w: w, start: true}
		if err := a.writeMessage(quoted, i, first); err != nil {
			return err
		}
		if _, err := w.Write(quoted.line); err != nil {
			return err
		}
		if first == nil {
			id := i.ID
			first = &id
		}
		_, err := io.WriteString(w, "\r\n\r\n")
		return err
	})
}

func (a *archive) writeMessage(w io.Writer, i *Exported, first *uuid.UUID) error {
	if i.HasEmail {
		original, err := a.raw(i.ID)
		if err != nil {
			return err
		}
		if original != nil {
			_, err := io.Copy(w, original)
			if cerr := original.Close(); err == nil {
				err = cerr
			}
			return err
		}
	}
	from := a.customer
	if i.AuthorKind != conversation.ByContact {
		from = mail.Address{Name: i.AuthorName, Address: i.AuthorKind + "@konak.invalid"}
	}
	subject := a.Conversation.Subject
	if i.Kind == conversation.Note {
		subject = "[" + map[string]string{"tr": "İç not", "en": "Internal note"}[a.Language] + "] " + subject
	}
	parts := multipart.NewWriter(w)
	if err := a.writeHead(w, from, subject, i.CreatedAt.Time, i.ID, first, "multipart/mixed; boundary="+parts.Boundary()); err != nil {
		return err
	}
	part, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"}})
	if err != nil {
		return err
	}
	text := quotedprintable.NewWriter(part)
	if _, err := io.WriteString(text, i.PlainBody()); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	if err := a.writeFiles(parts, i); err != nil {
		return err
	}
	return parts.Close()
}

// fromQuoter keeps lines of a message from looking like the beginning of the next: it puts
// ">" before From and before lines already quoted so (mboxrd).
type fromQuoter struct {
	w     io.Writer
	line  []byte // the beginning of a line, as far as it may still be a From
	start bool
}

var fromLine = regexp.MustCompile(`^>*From `)

// Write implements io.Writer.
func (q *fromQuoter) Write(p []byte) (int, error) {
	for _, b := range p {
		if q.start {
			q.line = append(q.line, b)
			text := string(q.line)
			if strings.HasPrefix("From ", strings.TrimLeft(text, ">")) && !fromLine.MatchString(text) {
				continue // it may still become one
			}
			if fromLine.MatchString(text) {
				text = ">" + text
			}
			q.line, q.start = q.line[:0], b == '\n'
			if _, err := io.WriteString(q.w, text); err != nil {
				return 0, err
			}
			continue
		}
		q.start = b == '\n'
		if _, err := q.w.Write([]byte{b}); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
