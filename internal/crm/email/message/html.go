package message

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// policy allows what is needed to read a mail and nothing active: no scripts, no forms, no
// frames, no style that loads from outside.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "div", "span", "br", "hr", "b", "strong", "i", "em", "u", "s", "strike", "sub", "sup", "small", "big",
		"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code", "center",
		"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "font")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("align", "valign").Matching(regexp.MustCompile(`^[a-zA-Z]+$`)).OnElements("p", "div", "td", "th", "tr", "table", "img")
	p.AllowAttrs("width", "height").Matching(bluemonday.NumberOrPercent).OnElements("img", "table", "td", "th")
	p.AllowAttrs("color").Matching(regexp.MustCompile(`^(#[0-9a-fA-F]{3,6}|[a-zA-Z]+)$`)).OnElements("font")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^[a-zA-Z-]{2,20}$`)).Globally()
	p.AllowStyles("color", "background-color").Matching(
		regexp.MustCompile(`(?i)^(#[0-9a-f]{3,8}|rgb\([0-9, ]+\)|[a-z]+)$`)).Globally()
	p.AllowStyles("font-weight", "font-style", "text-align", "text-decoration", "vertical-align", "white-space").Matching(
		regexp.MustCompile(`^[a-zA-Z0-9 -]+$`)).Globally()
	p.AllowStyles("font-size").Matching(regexp.MustCompile(`^[0-9.]{1,6}(px|pt|em|rem|%)$`)).Globally()
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("alt", "title").OnElements("img", "a")
	p.AllowAttrs("src").OnElements("img")
	p.AllowURLSchemes("http", "https", "mailto", "tel", "cid")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	p.SkipElementsContent("script", "style", "title", "head", "noscript", "template", "svg", "math", "iframe", "object")
	return p
}()

// Sanitize makes HTML harmless. An external picture does not load: its address moves to
// data-remote-src, so that a reader can ask for it. A picture inside the mail keeps its
// cid: address; Pictures resolves it.
func Sanitize(page string) string {
	return Pictures(policy.Sanitize(page), func(src string) (string, bool) {
		return src, strings.HasPrefix(strings.ToLower(src), "cid:")
	})
}

// Pictures rewrites the addresses of pictures in sanitised HTML. If at returns false, the
// address moves to data-remote-src and nothing loads.
func Pictures(page string, at func(src string) (string, bool)) string {
	if !strings.Contains(page, "<img") {
		return page
	}
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.String()
		}
		raw := string(z.Raw())
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			out.WriteString(raw)
			continue
		}
		t := z.Token()
		if t.DataAtom != atom.Img {
			out.WriteString(raw)
			continue
		}
		for i := range t.Attr {
			a := &t.Attr[i]
			if a.Key != "src" {
				continue
			}
			var loads bool
			if a.Val, loads = at(a.Val); !loads {
				a.Key = "data-remote-src"
			}
		}
		out.WriteString(t.String())
	}
}

// HTMLText returns the text of a page: quotes keep their marks, lines stay lines.
func HTMLText(page string) string {
	w := textWriter{}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				w.line()
			}
			return strings.TrimSpace(w.done())
		case html.TextToken:
			if w.hidden == 0 {
				w.text(html.UnescapeString(string(z.Raw())))
			}
		case html.StartTagToken:
			t := z.Token()
			w.open(&t)
		case html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Br || t.DataAtom == atom.Hr {
				w.open(&t)
			}
		case html.EndTagToken:
			t := z.Token()
			w.close(&t)
		}
	}
}

type textWriter struct {
	out    strings.Builder
	now    strings.Builder // the line being written
	hidden int
	quotes int
	pre    int
	blank  bool // the last line was empty
}

func (w *textWriter) text(s string) {
	if w.pre > 0 {
		for i, l := range strings.Split(s, "\n") {
			if i > 0 {
				w.line()
			}
			w.now.WriteString(l)
		}
		return
	}
	for i, word := range strings.Fields(s) {
		if (i > 0 || startsWithSpace(s)) && w.now.Len() > 0 {
			w.space()
		}
		w.now.WriteString(word)
	}
	if endsWithSpace(s) && w.now.Len() > 0 {
		w.space()
	}
}

func (w *textWriter) space() {
	if s := w.now.String(); s != "" && s[len(s)-1] != ' ' {
		w.now.WriteByte(' ')
	}
}

func startsWithSpace(s string) bool { return s != "" && strings.ContainsRune(" \t\r\n", rune(s[0])) }

func endsWithSpace(s string) bool {
	return s != "" && strings.ContainsRune(" \t\r\n", rune(s[len(s)-1]))
}

// line ends the line; consecutive empty lines are merged into one.
func (w *textWriter) line() {
	s := strings.TrimRight(w.now.String(), " ")
	w.now.Reset()
	if s == "" {
		if w.blank || w.out.Len() == 0 {
			return
		}
		w.blank = true
	} else {
		w.blank = false
	}
	if w.quotes > 0 {
		w.out.WriteString(strings.Repeat(">", min(w.quotes, 20)) + " ")
	}
	w.out.WriteString(s)
	w.out.WriteByte('\n')
}

// flush ends the current line if it is not empty.
func (w *textWriter) flush() {
	if w.now.Len() > 0 {
		w.line()
	}
}

func (w *textWriter) done() string { w.flush(); return w.out.String() }

func (w *textWriter) open(t *html.Token) {
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Noscript, atom.Template, atom.Svg:
		w.hidden++
	case atom.Br:
		w.line()
	case atom.Hr:
		w.flush()
		w.line()
	case atom.Blockquote:
		w.flush()
		w.quotes++
	case atom.Pre:
		w.flush()
		w.pre++
	case atom.Li:
		w.flush()
		w.now.WriteString("- ")
	case atom.Td, atom.Th:
		w.space()
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Table, atom.Ul, atom.Ol:
		w.flush()
		w.line()
	case atom.Div, atom.Tr, atom.Dt, atom.Dd, atom.Section, atom.Article:
		w.flush()
	}
}

func (w *textWriter) close(t *html.Token) {
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Noscript, atom.Template, atom.Svg:
		w.hidden = max(w.hidden-1, 0)
	case atom.Blockquote:
		w.flush()
		w.quotes = max(w.quotes-1, 0)
	case atom.Pre:
		w.flush()
		w.pre = max(w.pre-1, 0)
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush()
		w.line()
	case atom.Div, atom.Tr, atom.Li, atom.Table, atom.Ul, atom.Ol, atom.Dt, atom.Dd:
		w.flush()
	}
}
