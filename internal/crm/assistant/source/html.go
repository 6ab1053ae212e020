package source

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"konak/internal/kit/trtext"
)

// maxToken is the maximum size of one tag or of one text between two tags.
const maxToken = 1 << 20

// skippedTags contain nothing that answers a question: scripts, menus, forms.
var skippedTags = map[string]bool{
	"script": true, "style": true, "noscript": true, "template": true, "svg": true, "math": true, "iframe": true, "object": true,
	"nav": true, "footer": true, "aside": true, "form": true, "button": true, "select": true, "textarea": true, "dialog": true,
}

// inlineTags do not end a line.
var inlineTags = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true, "dfn": true,
	"em": true, "font": true, "i": true, "img": true, "ins": true, "kbd": true, "label": true, "mark": true, "q": true, "s": true, "samp": true,
	"small": true, "span": true, "strong": true, "sub": true, "sup": true, "time": true, "u": true, "var": true, "wbr": true,
}

// voidTags have no end tag and no content.
var voidTags = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true, "meta": true,
	"source": true, "track": true, "wbr": true,
}

// fromHTML converts a page into sections, in the encoding that its header or the page
// itself names. If the page marks its main part, only that is used. It returns an error if
// the page cannot be read.
func fromHTML(body io.Reader, contentType string) (document, error) {
	decoded, err := charset.NewReader(body, contentType)
	if err != nil {
		return document{}, err
	}
	z := html.NewTokenizer(decoded)
	z.SetMaxBuf(maxToken)
	p := page{}
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return document{}, err
			}
			return p.document(), nil
		case html.TextToken:
			p.text(string(z.Text()))
		case html.StartTagToken:
			p.open(z)
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			p.breakLine(string(name))
		case html.EndTagToken:
			name, _ := z.TagName()
			p.close(string(name))
		}
	}
}

// page turns the tokens of a page into sections.
type page struct {
	all, main  builder
	line       strings.Builder
	title      strings.Builder
	language   string
	inTitle    bool
	inMain     int
	heading    string // the tag of the heading that is being read
	skipped    string // the open tag that hides its content
	skippedFor int    // number of open tags with that name
}

func (p *page) text(s string) {
	switch {
	case p.inTitle:
		p.title.WriteString(s)
	case p.skipped == "":
		p.line.WriteString(s)
	}
}

func (p *page) open(z *html.Tokenizer) {
	raw, more := z.TagName()
	name := string(raw)
	hidden := skippedTags[name]
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "hidden":
			hidden = hidden || !strings.EqualFold(string(value), "until-found")
		case "aria-hidden":
			hidden = hidden || string(value) == "true"
		case "style":
			hidden = hidden || hiddenStyle(string(value))
		case "lang":
			if name == "html" {
				p.language, _, _ = strings.Cut(strings.ToLower(string(value)), "-")
			}
		}
	}
	if p.heading != "" && p.skipped == "" && !inlineTags[name] && name != "br" {
		p.beginSection() // a heading that was not closed
	}
	switch {
	case p.skipped != "":
		if name == p.skipped {
			p.skippedFor++
		}
		return
	case hidden && !voidTags[name]:
		p.endLine()
		p.skipped, p.skippedFor = name, 1
		return
	case name == "title":
		p.inTitle = p.title.Len() == 0
	case name == "main" || name == "article":
		p.endLine()
		p.inMain++
	case isHeading(name):
		p.endLine()
		p.heading = name
	case (name == "td" || name == "th") && strings.TrimSpace(p.line.String()) != "":
		p.line.WriteString(" · ")
		return
	}
	p.breakLine(name)
}

func (p *page) close(name string) {
	switch {
	case p.skipped != "":
		if name == p.skipped {
			if p.skippedFor--; p.skippedFor == 0 {
				p.skipped = ""
			}
		}
		return
	case name == "title":
		p.inTitle = false
	case name == p.heading:
		p.beginSection()
	case name == "main" || name == "article":
		p.endLine()
		p.inMain = max(0, p.inMain-1)
	}
	if name != "td" && name != "th" {
		p.breakLine(name)
	}
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}

// breakLine ends the line if the tag does that.
func (p *page) breakLine(name string) {
	if p.skipped == "" && p.heading == "" && !inlineTags[name] && name != "td" && name != "th" {
		p.endLine()
	}
}

// endLine adds the line to the sections.
func (p *page) endLine() {
	line := strings.Trim(p.line.String(), " ·\t\r\n")
	p.line.Reset()
	p.all.add(line)
	if p.inMain > 0 {
		p.main.add(line)
	}
}

func (p *page) beginSection() {
	p.all.begin(p.line.String())
	if p.inMain > 0 {
		p.main.begin(p.line.String())
	}
	p.line.Reset()
	p.heading = ""
}

func (p *page) document() document {
	p.endLine()
	p.all.flush()
	p.main.flush()
	chosen := &p.all
	if p.main.total > 0 {
		chosen = &p.main
	}
	return document{title: trtext.Cut(cleanLine(p.title.String()), maxTitle), language: p.language, sections: chosen.sections, cut: chosen.cut}
}
