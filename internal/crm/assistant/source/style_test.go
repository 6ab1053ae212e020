package source

import (
	"strings"
	"testing"
)

// Content hidden by a style attribute is in no section of a page; visible content is.
func TestHiddenStyles(t *testing.T) {
	t.Parallel()
	read := func(style string) string {
		t.Helper()
		page := `<main><h1>Montaj</h1><p>Montaj ücretsizdir.</p><div style="` + style + `"><div>gizli</div> montaj</div><p>Her gün.</p></main>`
		doc, err := fromHTML(strings.NewReader(page), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, s := range doc.sections {
			all.WriteString(s.Body + "\n")
		}
		if text := all.String(); !strings.Contains(text, "ücretsizdir") || !strings.Contains(text, "Her gün.") {
			t.Errorf("%s: what is seen is missing: %q", style, text)
		}
		return all.String()
	}
	for _, style := range []string{
		"display:none", "DISPLAY : None ! important", "display:/* x */none", "display:none!important;display:block",
		"visibility:hidden", "visibility: collapse", "opacity:0", "opacity: 0.0", "opacity:.0", "opacity:0%", "color:red;font-size:0", "font-size:0px", "font:0/0 a", "font: normal 0 Arial",
		"position:absolute;left:-9999px", "left:-999px;position:fixed", "position:absolute;top:-100em", "position:absolute;right:-2000px", "position:absolute;left:-100vw",
		"position:relative;left:-9999px", "position:absolute;left:-1e4px", "text-indent:-9999px", "text-indent:-999px",
		"position:absolute;clip:rect(0,0,0,0)", "position:absolute;clip:rect(0 0 0 0)", "position:absolute; clip: rect(1px, 1px, 1px, 1px)", "position:absolute;clip:rect(0px,1px,1px,0px)",
		"clip-path:inset(50%)", "clip-path: inset(100% 100% 100% 100%)", "clip-path:circle(0)", "clip-path:circle(0px at 50% 50%)",
	} {
		if text := read(style); strings.Contains(text, "gizli") || strings.Contains(text, " montaj") {
			t.Errorf("%s is read: %q", style, text)
		}
	}
	for _, style := range []string{
		"", ";", "x", "display:block", "display:none;display:block", "visibility:visible", "opacity:0.5", "opacity:1", "font-size:10px", "font-size:0.8em", "font:400 14px/1.5 Arial", "line-height:0",
		"position:absolute;left:0", "position:absolute;left:-20px", "left:-9999px", "position:static;left:-9999px", "top:-1px;position:fixed", "text-indent:-2em", "text-indent:1em", "position:absolute;left:50%", "position:absolute;left:-100%",
		"clip:rect(0,0,0,0)", "position:absolute;clip:auto", "position:absolute;clip:rect(0,100px,50px,0)", "clip-path:inset(10%)", "clip-path:inset(0)", "clip-path:circle(40%)", "clip-path:url(#x)",
		"margin:0", "background:url(data:x;opacity:0.5)",
	} {
		if text := read(style); !strings.Contains(text, "gizli") {
			t.Errorf("%s is left out: %q", style, text)
		}
	}
}
