package markup

import (
	"errors"
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"# Kargo\n\nİki *iş* günü.":         "<h2>Kargo</h2>\n<p>İki <em>iş</em> günü.</p>\n",
		"###### Küçük":                      "<h2>Küçük</h2>\n",
		"## A\n\n##### B\n\n> ## C":         "<h2>A</h2>\n<h3>B</h3>\n<blockquote>\n<h2>C</h2>\n</blockquote>\n",
		"[x](javascript:alert(1))":          "<p><a href=\"\">x</a></p>\n",
		"[x](&#106;avascript:alert(1))":     "<p><a href=\"\">x</a></p>\n",
		"[x](jAvascript&colon;alert(1))":    "<p><a href=\"\">x</a></p>\n",
		"[x](data:text/html;base64,PHM+)":   "<p><a href=\"\">x</a></p>\n",
		"![x](&#x6a;avascript:alert(1))":    "<p><img src=\"\" alt=\"x\"></p>\n",
		"<javascript:alert(1)>":             "<p>javascript:alert(1)</p>\n",
		"<vbscript:a&b>":                    "<p>vbscript:a&amp;b</p>\n",
		"[x](/a:b) [y](tel:+90) <a@b.co>":   "<p><a href=\"/a:b\">x</a> <a href=\"tel:+90\">y</a> <a href=\"mailto:a@b.co\">a@b.co</a></p>\n",
		"[x](https://example.com/?a=1&b=2)": "<p><a href=\"https://example.com/?a=1&amp;b=2\">x</a></p>\n",
		"<script>alert(1)</script>":         "<!-- raw HTML omitted -->\n",
		"a <b onclick=x>c</b>":              "<p>a <!-- raw HTML omitted -->c<!-- raw HTML omitted --></p>\n",
		"-----------------------":           "<hr>\n",
		"1. Bir\n2. İki":                    "<ol>\n<li>Bir</li>\n<li>İki</li>\n</ol>\n",
	} {
		if got, err := HTML(source); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", source, got, err, want)
		}
	}
}

// A source that would cost far more than its length, or become much longer, is refused.
func TestHostileSources(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"quotes":     strings.Repeat(">", 13) + " x",
		"lists":      strings.Repeat("- ", 13) + "x",
		"numbers":    strings.Repeat("1. ", 13) + "x",
		"brackets":   strings.Repeat("[", 2001),
		"spread":     strings.Repeat("*a\n", 2001),
		"wide table": "a" + strings.Repeat("|a", 100) + "\n-" + strings.Repeat("|-", 100) + strings.Repeat("\nx", 200),
		"tables":     strings.Repeat("a|b\n-|-\nx\n\n", 4000),
		"references": strings.Repeat("[a]\n\n", 1000) + "[a]: https://example.com/" + strings.Repeat("x", 1000),
	} {
		if _, err := HTML(source); !errors.Is(err, ErrTooComplex) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if Text(strings.Repeat(">", 13)+" x") != "" {
		t.Error("a source out of bounds has text")
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	source := "# Kargo\n\nİki **iş**\ngünü. [Takip](https://example.com)\n\n- a\n- b\n\n```\nkod 1\n```\n\n<b>gizli</b> | x"
	const want = "Kargo\nİki iş günü. Takip\na\nb\nkod 1\ngizli | x"
	if got := Text(source); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("# a\n\n> b\n\n- [c](d) `e` <f>")
	f.Fuzz(func(t *testing.T, source string) {
		out, err := HTML(source)
		if err != nil {
			return
		}
		if lower := strings.ToLower(out); strings.Contains(lower, "<script") || strings.Contains(lower, "href=\"javascript:") {
			t.Errorf("%q became %q", source, out)
		}
	})
}
