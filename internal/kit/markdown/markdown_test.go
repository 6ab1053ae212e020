package markdown_test

import (
	"encoding/json"
	"html"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"konak/internal/kit/markdown"
)

func TestCases(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Source, Text, HTML string
		Blocks                   []markdown.Block
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if got := markdown.Parse(c.Source); !reflect.DeepEqual(got, c.Blocks) {
			t.Errorf("%s: got %+v", c.Name, got)
		}
		if got := markdown.Text(c.Source); got != c.Text {
			t.Errorf("%s: the text is %q", c.Name, got)
		}
		if got := markdown.HTML(c.Source); got != c.HTML {
			t.Errorf("%s: the page is %q", c.Name, got)
		}
	}
}

// A quote nested more deeply than anybody writes is text, and so is read without exhausting
// the stack.
func TestDeepQuote(t *testing.T) {
	t.Parallel()
	source := strings.Repeat(">", 100_000) + "a"
	if got := strings.Count(markdown.HTML(source), "<blockquote>"); got != 5 {
		t.Errorf("%d quotes", got)
	}
}

var (
	element = regexp.MustCompile(`<[^>]*>`)
	known   = regexp.MustCompile(`^</?(p|ul|li|ol|em|strong|blockquote)>$|^<br>$|^</a>$|^<ol start="\d+">$|^<a href="(?i:https?://|mailto:|tel:)[^"<>]*">$`)
)

// FuzzHTML checks that a page has no element but the known ones, and shows no letter that
// Text does not have.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"**a** _b_", "[a](https://b.example)", "> - 1. x", `\**_[`, "https://a.example/<b>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		page := markdown.HTML(source)
		for _, e := range element.FindAllString(page, -1) {
			if !known.MatchString(e) {
				t.Errorf("%q in %q", e, page)
			}
		}
		text := markdown.Text(source)
		for _, piece := range element.Split(page, -1) {
			if piece = strings.TrimSpace(html.UnescapeString(piece)); !strings.Contains(text, piece) {
				t.Errorf("%q is not in %q", piece, text)
			}
		}
	})
}
