package mailer

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Mail is a mail to one person, written in their language by the module that sends it. The
// mailer turns it into plain text and simple HTML.
type Mail struct {
	To       string   `json:"to"`
	Language string   `json:"language"` // "tr" or "en"
	Subject  string   `json:"subject"`
	Greeting string   `json:"greeting"`
	Body     []string `json:"body"` // paragraphs before the link
	// Link is the action that the mail asks for; LinkText is its label.
	Link     string `json:"link"`
	LinkText string `json:"link_text"`
	// PNG is a picture such as a QR code, shown before the link.
	PNG   []byte   `json:"png"`
	After []string `json:"after"` // paragraphs after the link
	// Files are attached to the mail; their bytes are read when it is sent.
	Files []File `json:"files,omitempty"`
	// Notice informs people about their own account or workspace. It does not count towards
	// the workspace's quota, and never waits for it.
	Notice bool `json:"notice,omitempty"`
}

// File is a blob of the workspace for which the mail is sent.
type File struct {
	Name string    `json:"name"`
	Type string    `json:"type"`
	Blob uuid.UUID `json:"blob"`
}

// text returns the mail as plain text.
func (l *Mail) text() string {
	parts := slices.Clone(l.Body)
	if l.Greeting != "" {
		parts = append([]string{l.Greeting}, parts...)
	}
	if l.Link != "" {
		parts = append(parts, l.LinkText+":\n"+l.Link)
	}
	parts = append(parts, l.After...)
	return strings.Join(parts, "\n\n") + "\n\n-- \nKonak\n"
}

// picture is the content id of a mail's own picture, tiles that of the pattern at its top.
const (
	picture = "picture@konak"
	tiles   = "tiles@konak"
)

// tilesPNG is the star pattern of the panel, 1120 by 96 pixels.
//
//go:embed tiles.png
var tilesPNG []byte

var page = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><title>{{.Subject}}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto;background:#fff;border-radius:12px;overflow:hidden">
<img src="cid:` + tiles + `" alt="" width="560" height="48" style="display:block;width:100%;height:48px;object-fit:cover;background:#17333b">
<div style="padding:16px 32px 32px">
<p>{{.Greeting}}</p>
{{range .Body}}<p>{{.}}</p>
{{end}}{{if .PNG}}<p><img src="cid:` + picture + `" alt="" width="220" height="220"></p>
{{end}}{{if .Link}}<p><a href="{{.Link}}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#17333b;color:#fff;text-decoration:none">{{.LinkText}}</a></p>
<p style="font-size:13px;color:#71717a;word-break:break-all">{{.Link}}</p>
{{end}}{{range .After}}<p style="color:#52525b">{{.}}</p>
{{end}}</div></div>
<p style="max-width:560px;margin:16px auto;font-size:13px;color:#71717a">Konak</p>
</body></html>
`))

// render builds the message as it is sent. The same mail gets the same Message-ID, so that
// a receiver can recognise a repeated delivery.
func (m *Mailer) render(p outgoingMail, files []content, now time.Time) ([]byte, error) {
	l := &p.Mail
	var html bytes.Buffer
	if err := page.Execute(&html, l); err != nil {
		return nil, fmt.Errorf("mailer: render: %w", err)
	}
	_, domain, _ := strings.Cut(m.from.Address, "@")
	var out, text bytes.Buffer
	alt := multipart.NewWriter(&text)
	for _, h := range [][2]string{
		{"From", m.from.String()},
		{"To", (&mail.Address{Address: l.To}).String()},
		{"Subject", mime.QEncoding.Encode("utf-8", l.Subject)},
		{"Date", now.Format(time.RFC1123Z)},
		{"Message-ID", "<" + p.ID.String() + "@" + domain + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"Content-Language", l.Language},
		{"MIME-Version", "1.0"},
	} {
		fmt.Fprintf(&out, "%s: %s\r\n", h[0], h[1])
	}
	if err := writeText(alt, "text/plain", l.text()); err != nil {
		return nil, err
	}
	pictures := []inlinePicture{{tiles, tilesPNG}}
	if len(l.PNG) > 0 {
		pictures = append(pictures, inlinePicture{picture, l.PNG})
	}
	if err := writeHTML(alt, html.String(), pictures); err != nil {
		return nil, err
	}
	if err := alt.Close(); err != nil {
		return nil, err
	}
	kind := `multipart/alternative; boundary="` + alt.Boundary() + `"`
	if len(files) > 0 {
		err := writeMixed(&out, kind, text.Bytes(), files)
		return out.Bytes(), err
	}
	fmt.Fprintf(&out, "Content-Type: %s\r\n\r\n", kind)
	out.Write(text.Bytes())
	return out.Bytes(), nil
}

// content is a file with its bytes.
type content struct {
	File
	bytes []byte
}

// writeMixed appends files to the text.
func writeMixed(out *bytes.Buffer, kind string, text []byte, files []content) error {
	mixed := multipart.NewWriter(out)
	fmt.Fprintf(out, "Content-Type: multipart/mixed; boundary=\"%s\"\r\n\r\n", mixed.Boundary())
	part, err := mixed.CreatePart(textproto.MIMEHeader{"Content-Type": {kind}})
	if err != nil {
		return err
	}
	if _, err := part.Write(text); err != nil {
		return err
	}
	for _, f := range files {
		part, err := mixed.CreatePart(textproto.MIMEHeader{
			"Content-Type":              {f.Type},
			"Content-Transfer-Encoding": {"base64"},
			"Content-Disposition":       {mime.FormatMediaType("attachment", map[string]string{"filename": f.Name})},
		})
		if err != nil {
			return err
		}
		if err := writeBase64(part, f.bytes); err != nil {
			return err
		}
	}
	return mixed.Close()
}

func writeBase64(w io.Writer, b []byte) error {
	text := base64.StdEncoding.EncodeToString(b)
	for len(text) > 0 {
		n := min(76, len(text))
		if _, err := io.WriteString(w, text[:n]+"\r\n"); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

func writeText(w *multipart.Writer, kind, text string) error {
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Type":              {kind + "; charset=utf-8"},
		"Content-Transfer-Encoding": {"quoted-printable"},
	})
	if err != nil {
		return err
	}
	q := quotedprintable.NewWriter(part)
	if _, err := q.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))); err != nil {
		return err
	}
	return q.Close()
}

// inlinePicture is a PNG that the page refers to by its id.
type inlinePicture struct {
	id  string
	png []byte
}

// writeHTML writes the page together with its pictures.
func writeHTML(w *multipart.Writer, html string, pictures []inlinePicture) error {
	var body bytes.Buffer
	related := multipart.NewWriter(&body)
	if err := writeText(related, "text/html", html); err != nil {
		return err
	}
	for _, p := range pictures {
		part, err := related.CreatePart(textproto.MIMEHeader{
			"Content-Type":              {"image/png"},
			"Content-Transfer-Encoding": {"base64"},
			"Content-ID":                {"<" + p.id + ">"},
			"Content-Disposition":       {"inline"},
		})
		if err != nil {
			return err
		}
		if err := writeBase64(part, p.png); err != nil {
			return err
		}
	}
	if err := related.Close(); err != nil {
		return err
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Type": {`multipart/related; boundary="` + related.Boundary() + `"`},
	})
	if err != nil {
		return err
	}
	_, err = part.Write(body.Bytes())
	return err
}
