package dlp

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"konak/internal/mail/dlp/entities"
	"konak/internal/mail/dlp/packing"
	"konak/internal/mail/dlp/rtf"
)

// markup is the kind of markup, which decides how tags become text.
type markup int

const (
	markupNone markup = iota
	markupHTML
	markupXML
	markupOffice // parts of office documents
	markupSVG    // pictures made of XML
)

// maxToken limits the size of a tag, and of a text between two tags.
const maxToken = 16 << 20

// inlineTags are the HTML tags that do not break a word.
var inlineTags = map[string]bool{
	"a": true, "abbr": true, "acronym": true, "b": true, "bdi": true, "bdo": true, "big": true, "cite": true, "code": true,
	"data": true, "del": true, "dfn": true, "em": true, "font": true, "i": true, "ins": true, "kbd": true, "label": true,
	"mark": true, "o:p": true, "q": true, "s": true, "samp": true, "small": true, "span": true, "strike": true, "strong": true,
	"sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// inlineSVG are the SVG tags that do not break a word.
var inlineSVG = map[string]bool{"tspan": true, "textpath": true, "a": true, "tref": true, "animate": true, "set": true}

// breakTags are the tags of office documents that end a paragraph or a cell. The cells of a
// sheet are separate numbers: no match continues past a form feed.
var breakTags = map[string]string{
	"p": "\n", "h": "\n", "br": "\n", "cr": "\n", "tr": "\n", "tc": "\n", "row": "\f", "c": "\f", "si": "\f",
	"li": "\n", "td": "\n", "th": "\n", "line-break": "\n", "table-cell": "\n", "tab": "\t", "s": " ", "cell": "\f", "data": "\f",
}

// sentenceTags are the tags of office documents that contain the text of sentences, which
// may continue in the next tag. The text of any other tag is a separate value, such as a
// word count or the position of a picture.
var sentenceTags = map[string]bool{
	"t": true, "deltext": true, "instrtext": true, "delinstrtext": true, "p": true, "h": true, "r": true, "text": true, "div": true, "ruby-base": true,
	"li": true, "td": true, "th": true,
}

// shownAttributes are attributes with text that readers see or follow.
var shownAttributes = map[string]bool{
	"alt": true, "title": true, "href": true, "value": true, "content": true, "placeholder": true, "descr": true, "target": true,
	"tooltip": true, "aria-label": true, "label": true, "summary": true,
}

// officeAttributes are attributes of office documents that contain text: in caches, sheets,
// drawings and lists.
var officeAttributes = map[string]bool{
	"name": true, "v": true, "string": true, "string-value": true, "displaytext": true, "instr": true, "prompt": true, "prompttitle": true,
	"error": true, "errortitle": true, "display": true, "unicodestring": true, "caption": true, "description": true, "text": true, "author": true,
}

// minAttribute is the minimum length of any other attribute of an office document that is
// scanned as text.
const minAttribute = 8

// isShown reports whether an attribute is scanned as text.
func (m markup) isShown(key, value string) bool {
	switch m {
	case markupXML, markupSVG:
		return true
	case markupOffice:
		if strings.HasPrefix(key, "xmlns") {
			return false
		}
		if i := strings.LastIndexByte(key, ':'); i >= 0 {
			key = key[i+1:]
		}
		if officeAttributes[key] || len(value) >= minAttribute && value[0] != '{' {
			return true
		}
	}
	return shownAttributes[key]
}

// xmlKind returns how to read XML, judging by its beginning: as a web page, as an office
// document in a single file, or as other XML.
func xmlKind(head []byte) markup {
	text := strings.ToLower(string(head[:min(len(head), 2048)]))
	switch {
	case strings.Contains(text, "<html"):
		return markupHTML
	case strings.Contains(text, "<office:document"), strings.Contains(text, "urn:schemas-microsoft-com:office"), strings.Contains(text, "worddocument"),
		strings.Contains(text, "schemas.microsoft.com/office"):
		return markupOffice
	}
	return markupXML
}

func isXML(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte{0xEF, 0xBB, 0xBF}), " \t\r\n"), []byte("<?xml"))
}

// scanMarkup scans the text of HTML or XML, and separately its comments, scripts and
// attributes. It accepts any input as markup and never fails on it.
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

// markupWriter turns tokens into text. It collects small pieces so that the scanner gets
// long ones.
type markupWriter struct {
	x      *extractor
	kind   markup
	where  Where
	depth  int
	out    strings.Builder
	hidden string // the element whose text is not shown
	raw    bool   // in an element whose markup only some programs show
	value  bool   // in a cell's value
	cell   string // the value of a cell whose text has not shown it yet
	apart  bool   // in an element of an office document that is not part of a sentence
	names  entities.Table
}

// expand replaces the entities that the document has defined by their texts.
func (w *markupWriter) expand(text string) string {
	text, whole := w.names.Expand(text)
	if !whole {
		w.x.c.fail(w.where, ReasonTooLarge)
	}
	return text
}

func (w *markupWriter) add(z *html.Tokenizer, token html.TokenType) {
	switch token {
	case html.TextToken:
		text := w.expand(strings.ToValidUTF8(string(z.Text()), " "))
		if w.hidden != "" {
			w.writeHidden(w.takeData(cssText(text)))
			return
		}
		if w.raw && strings.Contains(text, "<") {
			w.raw = false
			w.scanPage(text)
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
		if w.apart && strings.TrimSpace(text) != "" {
			text = "\f" + text + "\f"
		}
		w.out.WriteString(text)
	case html.CommentToken, html.DoctypeToken:
		text := strings.ToValidUTF8(string(z.Text()), " ")
		if w.kind == markupHTML && strings.Contains(text, "<![endif]") {
			w.scanPage(text) // shown by some programs only
			return
		}
		if !w.names.Define(text) {
			w.x.c.fail(w.where, ReasonTooMany)
		}
		w.writeHidden(text)
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
		text := w.takeData(w.expand(strings.ToValidUTF8(string(value), " ")))
		switch {
		case w.kind == markupOffice && string(key) == "office:value":
			w.cell = plainNumber(text)
		case w.kind == markupHTML && string(key) == "srcdoc":
			w.scanPage(text)
		case w.kind == markupHTML && (string(key) == "href" || string(key) == "action"):
			if plain, err := url.PathUnescape(text); err == nil {
				text = strings.ToValidUTF8(plain, " ")
			}
			w.writeHidden(text)
		case w.kind == markupOffice && name == "w:sym" && string(key) == "w:char":
			w.writeSymbol(text)
		case w.kind.isShown(string(key), text):
			w.writeHidden(plainNumber(text))
		}
	}
	if w.kind == markupHTML {
		w.raw = token == html.StartTagToken && (name == "noscript" || name == "noframes" || name == "noembed" || name == "iframe")
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
	w.apart = token == html.StartTagToken && !sentenceTags[name] && !inlineTags[name]
	switch {
	case name == "encryption-data":
		w.x.c.fail(w.where, ReasonEncrypted)
	case name == "table-cell" && token != html.StartTagToken && w.cell != "":
		w.out.WriteString("\f" + w.cell + "\f")
		w.cell = ""
	}
	w.value = (name == "v" || name == "data") && token == html.StartTagToken
	if text, ok := breakTags[name]; ok && (token != html.StartTagToken || name != "s") {
		w.out.WriteString(text)
	}
}

func (w *markupWriter) writeHidden(text string) {
	if text != "" {
		w.x.hidden.write(text + "\f\n") // numbers do not continue in the next text
	}
}

// scanPage scans markup embedded in a page.
func (w *markupWriter) scanPage(text string) {
	if !w.x.reading {
		w.x.scanInner(w.where, part{name: "page", kind: "text/html"}, strings.NewReader(text), w.depth)
	}
}

// writeSymbol writes a character that an attribute gives as a hexadecimal number.
func (w *markupWriter) writeSymbol(text string) {
	if v, err := strconv.ParseUint(text, 16, 16); err == nil {
		if v >= 0xF000 && v < 0xF100 { // of a symbol font
			v -= 0xF000
		}
		w.out.WriteRune(rune(v))
	}
}

// cssEscape matches a character of a style sheet written as a hexadecimal number.
var cssEscape = regexp.MustCompile(`\\([0-9a-fA-F]{1,6})[ \t\r\n]?`)

// cssText undoes the escapes of a style sheet.
func cssText(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return cssEscape.ReplaceAllStringFunc(text, func(escape string) string {
		v, _ := strconv.ParseUint(strings.TrimSpace(escape[1:]), 16, 32)
		return string(rune(v))
	})
}

func (w *markupWriter) flush() {
	w.x.text.write(w.out.String())
	w.out.Reset()
}

// plainNumber returns a number of a sheet without an exponent: sheets store long ones as
// 1.2345678901E10.
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

// scanRTF scans the text of a rich text file: control words are dropped, escaped characters
// are read as Windows-1254 or Unicode.
func (x *extractor) scanRTF(where Where, r io.Reader, depth int) {
	x.text.begin(where)
	raw, err := io.ReadAll(io.LimitReader(r, maxToken+1))
	x.failRead(where, err)
	if len(raw) > maxToken {
		raw = raw[:maxToken]
		x.c.fail(where, ReasonTooLarge)
	}
	text, objects := rtf.Read(raw)
	x.text.write(text)
	x.text.end()
	for _, object := range objects {
		if i := bytes.Index(object[:min(len(object), 1024)], []byte(packing.CompoundHead)); i >= 0 {
			object = object[i:] // skip its own header
		}
		if depth >= x.limits.Depth {
			x.c.fail(where, ReasonTooDeep)
			return
		}
		if x.scanPart(part{where: inside(where, "object")}, bytes.NewReader(object), depth+1); x.parts > x.limits.Parts {
			return
		}
	}
}
