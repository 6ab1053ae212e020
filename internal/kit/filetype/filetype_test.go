package filetype_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"konak/internal/kit/filetype"
)

func TestSniffLooksAtContent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\x89PNG\r\n\x1a\n":                         "image/png",
		"\xff\xd8\xff\xe0\x00\x10JFIF":              "image/jpeg",
		"%PDF-1.7\n":                                "application/pdf",
		"Merhaba, dünya":                            "text/plain",
		"<!doctype html><script>alert()":            "text/html",
		`<svg xmlns="http://www.w3.org/2000/svg"/>`: "image/svg+xml",
		"MZ\x90\x00\x03":                            "application/vnd.microsoft.portable-executable",
		"#!/bin/sh\nrm -rf /":                       "text/x-shellscript",
		"\x00\x01\x02\x03":                          filetype.Unknown,
	} {
		if got := filetype.Sniff([]byte(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		kind, name     string
		allowed, shown bool
	}{
		{"image/png", "foto.png", true, true},
		{"text/html", "sayfa.html", true, false},
		{"image/svg+xml", "logo.svg", true, false},
		{"application/pdf", "fatura.pdf", true, false},
		{"text/plain", "fatura.pdf.EXE", false, true},
		{"text/plain", "fatura.exe. ", false, true},
		{"text/plain", "betik.JS", false, true},
		{"application/vnd.microsoft.portable-executable", "foto.png", false, false},
		{"text/x-shellscript", "notlar.txt", false, false},
		{"application/zip", "belgeler.zip", true, false},
	} {
		if got := filetype.Allowed(f.kind, f.name); got != f.allowed {
			t.Errorf("Allowed(%s, %s) is %v", f.kind, f.name, got)
		}
		if got := filetype.Shown(f.kind); got != f.shown {
			t.Errorf("Shown(%s) is %v", f.kind, got)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"fatura.pdf": "fatura.pdf", "../../etc/passwd": "passwd", `C:\Users\elif\ödeme.xlsx`: "ödeme.xlsx",
		"": "file", "...": "file", "a\r\nb.txt": "ab.txt", "gnp.\u202eexe": "gnp.exe", "\u061ca\u2066b\u2069.txt": "ab.txt", `a"b<c>.txt`: "a_b_c_.txt",
		strings.Repeat("ş", 300) + ".pdf": strings.Repeat("ş", 98) + ".pdf",
	} {
		if got := filetype.Name(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		in := rapid.String().Draw(rt, "name")
		got := filetype.Name(in)
		if got == "" || len(got) > 200 || !utf8.ValidString(got) || strings.ContainsAny(got, "/\\\r\n\x00\"") || filetype.Name(got) != got {
			rt.Fatalf("%q becomes %q", in, got)
		}
	})
}
