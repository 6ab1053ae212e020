// Package markdown reads the small part of Markdown that an agent's e-mail may contain:
// bold (**), italic (_), links, lists with - or numbers, and quotes (>).
//
// Everything else stays text as it was written. HTML consists only of escaped text and of
// the elements named above, and a link leads only to a web page, a mailbox or a telephone.
// Text has every word that HTML shows and the address of every link, so a check of the text
// covers the page too. Reading takes a time that grows with the length of the source.
//
// The panel reads the same language in web/src/modules/crm/inbox/markdown.ts; both are
// tested with testdata/cases.json.
package markdown

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"konak/internal/kit/each"
)

// The kinds of blocks.
const (
	Paragraph = "paragraph"
	Bullets   = "bullets"
	Numbers   = "numbers"
	Quote     = "quote"
)

// Block is a paragraph or list with its lines, or a quote with its blocks.
type Block struct {
	Kind   string   `json:"kind"`
	Start  int      `json:"start,omitempty"` // the first number of a list of Numbers
	Lines  [][]Span `json:"lines,omitempty"`
	Blocks []Block  `json:"blocks,omitempty"`
}

// Span is a piece of a line in one style.
type Span struct {
	Text   string `json:"text"`
	Bold   bool   `json:"bold,omitempty"`
	Italic bool   `json:"italic,omitempty"`
	Href   string `json:"href,omitempty"`
}

// maxDepth is how deeply quotes may be nested; a deeper one is text.
const maxDepth = 5

var (
	bullet = regexp.MustCompile(`^[-*] +(\S.*)$`)
	number = regexp.MustCompile(`^(\d{1,3})[.)] +(\S.*)$`)
	link   = regexp.MustCompile(`^\[((?:[^\[\]\\]|\\.)+)\]\(((?i:https?://|mailto:|tel:)[^\s()<>"]+)\)`)
	bare   = regexp.MustCompile(`^(?i:https?://)[^\s<>"]*[^\s<>".,;:!?)\]*_]`)
	escape = regexp.MustCompile(`\\([\\*_\[\]()>.-])`)
)

// Parse parses a source.
func Parse(source string) []Block {
	return parseBlocks(strings.Split(strings.ReplaceAll(source, "\r\n", "\n"), "\n"), 0)
}

func parseBlocks(lines []string, depth int) (out []Block) {
	for len(lines) > 0 {
		kind, start := kindOf(lines[0], depth)
		if kind == "" {
			lines = lines[1:]
			continue
		}
		n := 1
		for n < len(lines) {
			next, at := kindOf(lines[n], depth)
			if next != kind || kind == Numbers && at != start+n {
				break
			}
			n++
		}
		out = append(out, makeBlock(kind, start, lines[:n], depth))
		lines = lines[n:]
	}
	return out
}

// kindOf returns the kind of block that a line belongs to, "" for an empty line. start is
// the number of a line of Numbers.
func kindOf(line string, depth int) (kind string, start int) {
	switch {
	case strings.TrimSpace(line) == "":
		return "", 0
	case line[0] == '>' && depth < maxDepth:
		return Quote, 0
	case bullet.MatchString(line):
		return Bullets, 0
	}
	if m := number.FindStringSubmatch(line); m != nil {
		start, _ = strconv.Atoi(m[1])
		return Numbers, start
	}
	return Paragraph, 0
}

func makeBlock(kind string, start int, lines []string, depth int) Block {
	b := Block{Kind: kind, Start: start}
	if kind == Quote {
		inner := each.Map(lines, func(l string) string { return strings.TrimPrefix(l[1:], " ") })
		b.Blocks = parseBlocks(inner, depth+1)
		return b
	}
	for _, l := range lines {
		switch kind {
		case Bullets:
			l = bullet.FindStringSubmatch(l)[1]
		case Numbers:
			l = number.FindStringSubmatch(l)[2]
		}
		b.Lines = append(b.Lines, parseLine(l, Span{}))
	}
	return b
}

// parseLine reads the spans of a line, all with a style in addition to their own.
func parseLine(s string, style Span) (out []Span) {
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			span := style
			span.Text = plain.String()
			out = append(out, span)
			plain.Reset()
		}
	}
	// If a style has no end in the rest of the line, a later beginning has none either.
	bold, italic := !style.Bold, !style.Italic
	for i := 0; i < len(s); {
		rest := s[i:]
		if len(rest) > 1 && escape.MatchString(rest[:2]) {
			plain.WriteByte(rest[1])
			i += 2
			continue
		}
		if rest[0] == '[' {
			if m := link.FindStringSubmatch(rest); m != nil {
				flush()
				span := style
				span.Text, span.Href = escape.ReplaceAllString(m[1], "$1"), m[2]
				out = append(out, span)
				i += len(m[0])
				continue
			}
		}
		if (rest[0] == 'h' || rest[0] == 'H') && !endsWord(s[:i]) {
			if address := bare.FindString(rest); address != "" {
				flush()
				span := style
				span.Text, span.Href = address, address
				out = append(out, span)
				i += len(address)
				continue
			}
		}
		inner, mark := style, ""
		switch {
		case bold && strings.HasPrefix(rest, "**"):
			inner.Bold, mark = true, "**"
		case italic && rest[0] == '_' && !endsWord(s[:i]):
			inner.Italic, mark = true, "_"
		}
		if mark != "" {
			body, found, none := styled(rest[len(mark):], mark)
			if found {
				flush()
				out = append(out, parseLine(body, inner)...)
				i += len(body) + 2*len(mark)
				continue
			}
			bold, italic = bold && (mark != "**" || !none), italic && (mark != "_" || !none)
		}
		_, size := utf8.DecodeRuneInString(rest)
		plain.WriteString(rest[:size])
		i += size
	}
	flush()
	return out
}

// styled returns the text before the end of a style. none means that the rest of the line
// has no end at all.
func styled(s, mark string) (body string, found, none bool) {
	if s == "" || s[0] == ' ' {
		return "", false, false
	}
	for i := 1; i < len(s); i++ {
		if !strings.HasPrefix(s[i:], mark) || s[i-1] == ' ' || s[i-1] == '\\' {
			continue
		}
		if mark == "_" && beginsWord(s[i+1:]) {
			continue
		}
		return s[:i], true, false
	}
	return "", false, true
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func endsWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && isWord(r)
}

func beginsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && isWord(r)
}

// Text returns a source without its marks, as it reads where nothing is formatted. The
// address of a link follows its words.
func Text(source string) string { return strings.Join(textLines(Parse(source)), "\n") }

func textLines(blocks []Block) (out []string) {
	for i, b := range blocks {
		if i > 0 {
			out = append(out, "")
		}
		for _, l := range textLines(b.Blocks) {
			out = append(out, strings.TrimRight("> "+l, " "))
		}
		for n, line := range b.Lines {
			switch b.Kind {
			case Bullets:
				out = append(out, "- "+lineText(line))
			case Numbers:
				out = append(out, fmt.Sprintf("%d. %s", b.Start+n, lineText(line)))
			default:
				out = append(out, lineText(line))
			}
		}
	}
	return out
}

func lineText(line []Span) string {
	var b strings.Builder
	for _, s := range line {
		b.WriteString(s.Text)
		address := s.Href
		for _, scheme := range []string{"mailto:", "tel:"} {
			address = strings.TrimPrefix(address, scheme)
		}
		if address != "" && address != s.Text {
			b.WriteString(" (" + address + ")")
		}
	}
	return b.String()
}

// HTML returns a source as a fragment of a page.
func HTML(source string) string {
	var b strings.Builder
	writeBlocks(&b, Parse(source))
	return b.String()
}

func writeBlocks(b *strings.Builder, blocks []Block) {
	for _, block := range blocks {
		switch block.Kind {
		case Quote:
			b.WriteString("<blockquote>\n")
			writeBlocks(b, block.Blocks)
			b.WriteString("</blockquote>\n")
		case Bullets:
			writeLines(b, block.Lines, "<ul>\n<li>", "</li>\n<li>", "</li>\n</ul>\n")
		case Numbers:
			writeLines(b, block.Lines, fmt.Sprintf("<ol start=\"%d\">\n<li>", block.Start), "</li>\n<li>", "</li>\n</ol>\n")
		default:
			writeLines(b, block.Lines, "<p>", "<br>\n", "</p>\n")
		}
	}
}

func writeLines(b *strings.Builder, lines [][]Span, before, between, after string) {
	for i, line := range lines {
		if i == 0 {
			b.WriteString(before)
		} else {
			b.WriteString(between)
		}
		for _, s := range line {
			writeSpan(b, s)
		}
	}
	b.WriteString(after)
}

func writeSpan(b *strings.Builder, s Span) {
	text := html.EscapeString(s.Text)
	if s.Italic {
		text = "<em>" + text + "</em>"
	}
	if s.Bold {
		text = "<strong>" + text + "</strong>"
	}
	if s.Href != "" {
		text = `<a href="` + html.EscapeString(s.Href) + `">` + text + "</a>"
	}
	b.WriteString(text)
}
