package source

import (
	"path"
	"strings"
	"unicode"

	"konak/internal/crm/assistant/engine"
	"konak/internal/kit/trtext"
)

// Sizes of the texts for the engine. A text has the size of a help article: the engine
// counts words that occur elsewhere in the same text, and in a book every word occurs
// somewhere.
const (
	sectionBytes = 1200
	textBytes    = 4000
)

// cleanLine returns a line of plain text: without control and invisible characters, with
// single spaces between words.
func cleanLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	return strings.Join(strings.Fields(s), " ")
}

// builder collects lines into sections.
type builder struct {
	sections []section
	heading  string
	lines    []string
	bytes    int // of the section's lines
	total    int
	cut      bool
}

// add adds a line. Text beyond maxText is cut, and nothing is added after that.
func (b *builder) add(line string) {
	if line = cleanLine(line); line == "" || b.cut {
		return
	}
	if left := maxText - b.total; len(line) > left {
		b.cut = true
		line = trtext.Cut(line, max(left, 0))
		if i := strings.LastIndexByte(line, ' '); i > len(line)/2 {
			line = line[:i]
		}
	}
	if b.bytes > 0 && b.bytes+len(line) > sectionBytes {
		b.flush()
	}
	b.total += len(line)
	for len(line) > sectionBytes { // a very long line, such as a page in one paragraph
		part := trtext.Cut(line, sectionBytes)
		if i := strings.LastIndexAny(part, ".!? "); i > sectionBytes/2 {
			part = part[:i+1]
		}
		b.lines = append(b.lines, strings.TrimSpace(part))
		b.flush()
		line = strings.TrimSpace(line[len(part):])
	}
	if line != "" {
		b.lines, b.bytes = append(b.lines, line), b.bytes+len(line)+1
	}
}

// begin starts a section with a heading.
func (b *builder) begin(heading string) {
	b.flush()
	b.heading = trtext.Cut(cleanLine(heading), maxTitle)
	b.total += len(b.heading)
}

func (b *builder) flush() {
	if len(b.lines) > 0 {
		b.sections = append(b.sections, section{b.heading, strings.Join(b.lines, "\n")})
	}
	b.lines, b.bytes = nil, 0
}

// fromText converts plain text into sections; Markdown headings start new ones.
func fromText(name, text string) document {
	var b builder
	markdown := strings.HasSuffix(strings.ToLower(path.Ext(name)), "md") || strings.EqualFold(path.Ext(name), ".markdown")
	title := ""
	for line := range strings.SplitSeq(text, "\n") {
		heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !markdown || !ok || !strings.HasPrefix(line, "#") {
			b.add(line)
			continue
		}
		if title == "" {
			title = cleanLine(heading)
		}
		b.begin(heading)
	}
	b.flush()
	return document{title: title, sections: b.sections, cut: b.cut}
}

// engineTexts splits a source's sections into texts the size of an article.
func engineTexts(s Source, sections []section) (out []engine.Text) {
	kind := engine.Website
	if s.Kind == File {
		kind = engine.File
	}
	size := textBytes
	for _, part := range sections {
		if size+len(part.Body) > textBytes {
			out = append(out, engine.Text{Kind: kind, Title: s.Title, URL: s.Address, Language: s.language})
			size = 0
		}
		last := &out[len(out)-1]
		last.Sections = append(last.Sections, engine.Section{Heading: part.Heading, Body: part.Body})
		size += len(part.Body)
	}
	return out
}

// wholeText returns all sections as one readable text.
func wholeText(sections []section) string {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if s.Heading != "" && (i == 0 || sections[i-1].Heading != s.Heading) {
			b.WriteString(s.Heading + "\n")
		}
		b.WriteString(s.Body)
	}
	return b.String()
}
