package dlp

import (
	"io"
	"mime"
	"net/url"
	"regexp"
	"strings"

	"konak/internal/mail/dlp/transfer"
)

// dataURI matches a file embedded in markup: its type, including whether it is in base64,
// and its data.
var dataURI = regexp.MustCompile(`(?i)data:([a-z0-9!#$&^_.+*/-]*(?:;[a-z0-9_.=+"'/-]*)*),([^"'<>()\s\\]*)`)

// takeData scans the files that a text of markup contains as data: URIs, and returns the
// text without them.
func (w *markupWriter) takeData(text string) string {
	if w.x.reading || !containsFold(withoutBreaks.Replace(text), "data:") {
		return text
	}
	// Programs ignore tabs and line ends in a URI.
	if whole := strings.TrimSpace(withoutBreaks.Replace(text)); len(whole) > 5 && strings.EqualFold(whole[:5], "data:") {
		if head, data, ok := strings.Cut(whole[5:], ","); ok {
			w.x.scanData(w.where, head, data, w.depth)
			return ""
		}
	}
	return dataURI.ReplaceAllStringFunc(text, func(uri string) string {
		m := dataURI.FindStringSubmatch(uri)
		w.x.scanData(w.where, m[1], m[2], w.depth)
		return " "
	})
}

var withoutBreaks = strings.NewReplacer("\t", "", "\r", "", "\n", "")

func containsFold(text, lower string) bool {
	return strings.Contains(text, lower) || strings.Contains(strings.ToLower(text), lower)
}

// scanData scans the content of a data: URI while another text is being scanned.
func (x *extractor) scanData(where Where, head, data string, depth int) {
	kind, params, _ := mime.ParseMediaType(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(head), "base64"), ";"))
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	var r io.Reader = strings.NewReader(data)
	if strings.HasSuffix(strings.ToLower(head), "base64") {
		r = transfer.Base64(r)
	}
	x.scanInner(where, part{name: "data", kind: kind, charset: params["charset"]}, r, depth)
}

// scanInner scans a file embedded in a text while that text is being scanned.
func (x *extractor) scanInner(where Where, p part, r io.Reader, depth int) {
	p.where = inside(where, p.name)
	p.where.Name = strings.TrimPrefix(p.where.Name, "/")
	if depth >= x.limits.Depth {
		x.c.fail(p.where, ReasonTooDeep)
		return
	}
	text, hidden := x.text, x.hidden
	x.text, x.hidden = x.takeSpare(), x.takeSpare()
	x.scanPart(p, r, depth+1)
	x.spare = append(x.spare, x.text, x.hidden)
	x.text, x.hidden = text, hidden
}

func (x *extractor) takeSpare() *textScanner {
	n := len(x.spare)
	if n == 0 {
		return newTextScanner(x.c)
	}
	t := x.spare[n-1]
	x.spare = x.spare[:n-1]
	return t
}

// beginsLines reports whether a text is a calendar or a contact card.
func beginsLines(head []byte) bool {
	text := strings.ToUpper(strings.TrimLeft(strings.TrimPrefix(string(head[:min(len(head), 64)]), "\uFEFF"), " \t\r\n"))
	return strings.HasPrefix(text, "BEGIN:VCALENDAR") || strings.HasPrefix(text, "BEGIN:VCARD")
}

// foldedLine matches where a line of a calendar continues on the next.
var foldedLine = regexp.MustCompile(`\r?\n[ \t]`)

// softBreak matches where a line in quoted-printable continues.
var softBreak = regexp.MustCompile(`=\r?\n`)

var lineEscapes = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)

// scanLines scans a calendar (ics) or contacts (vcf): it joins folded lines, undoes escapes
// and scans embedded files.
func (x *extractor) scanLines(p part, content *spool, depth int) {
	enc, known, _ := chooseEncoding(p.charset, content.head(64<<10))
	if !known {
		x.c.fail(p.where, ReasonUnsupported)
	}
	var r io.Reader = content.reader()
	if enc != nil {
		r = enc.NewDecoder().Reader(r)
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxToken+1))
	x.failRead(p.where, err)
	if len(raw) > maxToken {
		raw = raw[:maxToken]
		x.c.fail(p.where, ReasonTooLarge)
	}
	text := foldedLine.ReplaceAllString(strings.ToValidUTF8(string(raw), " "), "")
	if containsFold(text, "quoted-printable") {
		text = softBreak.ReplaceAllString(text, "")
	}
	w := markupWriter{x: x, where: p.where, depth: depth}
	x.text.begin(p.where)
	for line := range strings.Lines(text) {
		if x.ctx.Err() != nil {
			x.c.fail(p.where, ReasonTime)
			break
		}
		x.text.write(x.readContentLine(&w, line))
	}
	x.text.end()
}

// readContentLine returns the text of a line NAME;PARAMETERS:VALUE.
func (x *extractor) readContentLine(w *markupWriter, line string) string {
	head, value, _ := strings.Cut(line, ":")
	switch head := strings.ToUpper(head) + ";"; {
	case strings.Contains(head, "ENCODING=QUOTED-PRINTABLE;"), strings.Contains(head, ";QUOTED-PRINTABLE;"):
		decoded, _ := io.ReadAll(transfer.QuotedPrintable(strings.NewReader(value)))
		return strings.ToValidUTF8(string(decoded), " ") + "\n"
	case strings.Contains(head, "ENCODING=BASE64;"), strings.Contains(head, "ENCODING=B;"), strings.Contains(head, ";BASE64;"):
		x.scanInner(w.where, part{name: "data"}, transfer.Base64(strings.NewReader(value)), w.depth)
		return "\n"
	}
	return lineEscapes.Replace(w.takeData(line))
}
