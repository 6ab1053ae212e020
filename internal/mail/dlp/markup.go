package dlp

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// markup says how tags become text.
type markup int

const (
	markupNone markup = iota
	markupHTML
	markupXML
	markupOffice // parts of office documents
	markupSVG    // pictures made of XML
)

// maxToken bounds one tag or one text between two tags.
const maxToken = 16 << 20

// inlineTags of HTML do not break a word.
var inlineTags = map[string]bool{
	"a": true, "abbr": true, "acronym": true, "b": true, "bdi": true, "bdo": true, "big": true, "cite": true, "code": true,
	"data": true, "del": true, "dfn": true, "em": true, "font": true, "i": true, "ins": true, "kbd": true, "label": true,
	"mark": true, "o:p": true, "q": true, "s": true, "samp": true, "small": true, "span": true, "strike": true, "strong": true,
	"sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// inlineSVG are the tags of SVG that do not break a word.
var inlineSVG = map[string]bool{"tspan": true, "textpath": true, "a": true, "tref": true, "animate": true, "set": true}

// breakTags of office documents end a paragraph or a cell. The cells of a sheet are
// numbers of their own: nothing goes on behind a form feed.
var breakTags = map[string]string{
	"p": "\n", "h": "\n", "br": "\n", "cr": "\n", "tr": "\n", "tc": "\n", "row": "\f", "c": "\f", "si": "\f",
	"line-break": "\n", "table-cell": "\n", "tab": "\t", "s": " ",
}

// shownAttributes hold text that readers see or follow.
var shownAttributes = map[string]bool{
	"alt": true, "title": true, "href": true, "value": true, "content": true, "placeholder": true, "descr": true, "target": true,
	"tooltip": true, "aria-label": true,
}

func isXML(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte{0xEF, 0xBB, 0xBF}), " \t\r\n"), []byte("<?xml"))
}

// scanMarkup scans the text of HTML or XML, and beside it comments, scripts and
// attributes. It takes any input for markup and never refuses.
func (x *extractor) scanMarkup(where Where, r io.Reader, m markup, depth int) {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	z.AllowCDATA(m != markupHTML)
	x.text.begin(where)
	x.hidden.begin(where)
	w := markupWriter{x: x, kind: m, where: where, depth: depth}
	for {
		if x.ctx.Err() != nil {
			x.c.fail(where, ReasonTime)
			break
		}
		token := z.Next()
		if token == html.ErrorToken {
			if err := z.Err(); errors.Is(err, html.ErrBufferExceeded) {
				x.c.fail(where, ReasonTooLarge)
			} else if !errors.Is(err, io.EOF) {
				x.failRead(where, err)
			}
			break
		}
		w.add(z, token)
	}
	w.flush()
	x.text.end()
	x.hidden.end()
}

// markupWriter turns tokens into text. It gathers small pieces so that the
// scanner gets long ones.
type markupWriter struct {
	x      *extractor
	kind   markup
	where  Where
	depth  int
	out    strings.Builder
	hidden string // the element whose text is not shown
	value  bool   // in a cell's value
	cell   string // the number of a cell that was not shown so far
}

func (w *markupWriter) add(z *html.Tokenizer, token html.TokenType) {
	switch token {
	case html.TextToken:
		text := strings.ToValidUTF8(string(z.Text()), " ")
		if w.hidden != "" {
			w.writeHidden(w.takeData(text))
			return
		}
		if w.kind == markupHTML {
			text = newlineToSpace.Replace(text)
		}
		if w.value {
			text = plainNumber(text)
		}
		if strings.TrimSpace(text) == w.cell {
			w.cell = "" // the cell shows it
		}
		w.out.WriteString(text)
	case html.CommentToken, html.DoctypeToken:
		w.writeHidden(strings.ToValidUTF8(string(z.Text()), " "))
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		w.addTag(z, token)
	}
	if w.out.Len() >= 32<<10 {
		w.flush()
	}
}

var newlineToSpace = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

func (w *markupWriter) addTag(z *html.Tokenizer, token html.TokenType) {
	raw, more := z.TagName()
	name := string(raw)
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		text := w.takeData(strings.ToValidUTF8(string(value), " "))
		if w.kind == markupOffice && string(key) == "office:value" {
			w.cell = plainNumber(text)
		}
		if w.kind == markupXML || w.kind == markupSVG || shownAttributes[string(key)] {
			w.writeHidden(text)
		}
	}
	if w.kind == markupHTML {
		switch {
		case name == "script" || name == "style":
			w.hidden = ""
			if token == html.StartTagToken {
				w.hidden = name
			}
		case name == "td" || name == "th":
			w.out.WriteByte('\t')
		case !inlineTags[name]:
			w.out.WriteByte('\n')
		}
		return
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if w.kind == markupSVG && inlineSVG[name] {
		return
	}
	if w.kind == markupXML || w.kind == markupSVG {
		w.out.WriteByte('\n')
		return
	}
	switch {
	case name == "encryption-data":
		w.x.c.fail(w.where, ReasonEncrypted)
	case name == "table-cell" && token != html.StartTagToken && w.cell != "":
		w.out.WriteString("\f" + w.cell + "\f")
		w.cell = ""
	}
	w.value = name == "v" && token == html.StartTagToken
	if text, ok := breakTags[name]; ok && (token != html.StartTagToken || name != "s") {
		w.out.WriteString(text)
	}
}

func (w *markupWriter) writeHidden(text string) {
	if text != "" {
		w.x.hidden.write(text + "\n")
	}
}

func (w *markupWriter) flush() {
	w.x.text.write(w.out.String())
	w.out.Reset()
}

// plainNumber writes a number of a sheet without an exponent: sheets keep long
// ones as 1.2345678901E10.
func plainNumber(text string) string {
	if len(text) > 40 || !strings.ContainsAny(text, "eE") {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f > 1e20 || f < -1e20 {
		return text
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// scanRTF scans the text of a rich text file: control words go, escaped
// characters are read as Windows-1254 or Unicode.
func (x *extractor) scanRTF(where Where, r io.Reader) {
	x.text.begin(where)
	raw, err := io.ReadAll(io.LimitReader(r, maxToken+1))
	x.failRead(where, err)
	if len(raw) > maxToken {
		raw = raw[:maxToken]
		x.c.fail(where, ReasonTooLarge)
	}
	x.text.write(rtfText(raw))
	x.text.end()
}
