// Package markup converts the Markdown of help articles into HTML and into plain
// text.
//
// HTML in the source is left out, and links cannot run scripts. The output is
// limited: a source that nests too deeply, or would become too long, is refused.
// The title of an article is the page's first heading, so headings of the source
// begin at the second level, and no level is skipped.
package markup

import (
	"errors"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of a source.
const (
	maxDepth = 12      // quotes and lists that one line may open
	maxMarks = 2000    // brackets, stars and the like that one paragraph may have
	maxCells = 20_000  // cells that the tables of a source may have
	maxHTML  = 600_000 // bytes
)

// ErrTooComplex means that a source is not shown: it nests too deeply or becomes too long.
var ErrTooComplex = errors.New("markup: too complex")

var converter = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(orderHeadings{}, 100), util.Prioritized(safeLinks{}, 200))),
)

// safeLinks removes addresses that may run scripts from links and pictures. A bare address
// of this kind becomes plain text.
type safeLinks struct{}

// Transform implements parser.ASTTransformer.
func (safeLinks) Transform(doc *ast.Document, source text.Reader, _ parser.Context) {
	var alone []*ast.AutoLink
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = safeAddress(n.Destination)
		case *ast.Image:
			n.Destination = safeAddress(n.Destination)
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkURL && safeAddress(n.URL(source.Source())) == nil {
				alone = append(alone, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range alone {
		n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(n.Label(source.Source())))
	}
}

// safeAddress returns an address unchanged, or nil if its scheme is not one that a reader
// can follow: browsers read the scheme after character references are resolved.
func safeAddress(address []byte) []byte {
	resolved := strings.ToLower(string(util.URLEscape(address, true)))
	at := strings.IndexAny(resolved, ":/?#")
	if at < 0 || resolved[at] != ':' {
		return address
	}
	switch resolved[:at] {
	case "http", "https", "mailto", "tel", "sms":
		return address
	}
	return nil
}

// orderHeadings adjusts heading levels to a page whose title is level one: the highest
// level of the source becomes the second, and each heading is at most one level below the
// previous one.
type orderHeadings struct{}

// Transform implements parser.ASTTransformer.
func (orderHeadings) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var list []*ast.Heading
	highest := 6
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			list, highest = append(list, h), min(highest, h.Level)
		}
		return ast.WalkContinue, nil
	})
	last := 1
	for _, h := range list {
		h.Level = min(h.Level-highest+2, last+1, 6)
		last = h.Level
	}
}

// HTML renders a source. It returns ErrTooComplex if the source exceeds the limits.
func HTML(source string) (string, error) {
	if !isBounded(source) {
		return "", ErrTooComplex
	}
	var out limited
	if err := converter.Convert([]byte(source), &out); err != nil {
		return "", err
	}
	return out.String(), nil
}

// LeftOut reports which parts of a source readers do not see: HTML other than comments, and
// pictures whose address names no host.
func LeftOut(source string) (html, picture bool) {
	if !isBounded(source) {
		return false, false
	}
	text := []byte(source)
	_ = ast.Walk(converter.Parser().Parse(reader(text)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := n.(type) {
		case *ast.HTMLBlock:
			html = html || !isComment(node.Lines().Value(text))
		case *ast.RawHTML:
			html = html || !isComment(node.Segments.Value(text))
		case *ast.Image:
			picture = picture || !isWhole(string(node.Destination))
		}
		return ast.WalkContinue, nil
	})
	return html, picture
}

func isComment(html []byte) bool {
	trimmed := strings.TrimSpace(string(html))
	return trimmed == "" || strings.HasPrefix(trimmed, "<!--")
}

// isWhole reports whether an address names its host.
func isWhole(address string) bool {
	lower := strings.ToLower(address)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "//")
}

func reader(source []byte) text.Reader { return text.NewReader(source) }

// limited keeps up to maxHTML bytes of what is written to it; a write beyond that fails.
type limited struct{ strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxHTML {
		return 0, ErrTooComplex
	}
	return l.Builder.Write(p)
}

// isBounded reports whether every line opens few enough blocks, every paragraph has few
// enough marks and all tables together have few enough cells: the parser's work on them can
// grow much faster than their number. Any line of a paragraph may be a table row, and each
// row gets as many cells as the widest one.
func isBounded(source string) bool {
	marks, lines, columns, cells := 0, 0, 0, 0
	for line := range strings.Lines(source + "\n\n") {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			if columns > 0 {
				cells += lines * (columns + 1)
			}
			marks, lines, columns = 0, 0, 0
			continue
		}
		lines++
		columns = max(columns, strings.Count(line, "|"))
		if marks += countAny(line, "[]*_`<~!&"); marks > maxMarks || countOpened(line) > maxDepth {
			return false
		}
	}
	return cells <= maxCells
}

func countAny(s, chars string) (n int) {
	for i := range len(s) {
		if strings.IndexByte(chars, s[i]) >= 0 {
			n++
		}
	}
	return n
}

// countOpened returns the number of quotes and lists that a line may open.
func countOpened(line string) int {
	if !strings.Contains(line, ">") && strings.Trim(line, "-*+ \t") == "" {
		return 0 // a rule between paragraphs
	}
	n := 0
	for i := range len(line) {
		switch c := line[i]; c {
		case '>', '-', '+', '*':
			n++
		case '.', ')':
			if i > 0 && line[i-1] >= '0' && line[i-1] <= '9' {
				n++
			}
		case ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return n
		}
	}
	return n
}

// Text returns a source as readers see it, without its marks, one block per line.
// A source that exceeds the limits has no text.
func Text(source string) string {
	if !isBounded(source) {
		return ""
	}
	src := []byte(source)
	var b strings.Builder
	_ = ast.Walk(converter.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(src))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(src))
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					b.Write(line.Value(src))
				}
			}
		default:
			if !entering && n.Type() == ast.TypeBlock && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
