package dlptest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
)

// Zip returns a zip file; files alternates names and contents.
func Zip(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Gzip returns content in gzip.
func Gzip(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

// Docx returns a Word file with this text, which may contain markup.
func Docx(t testing.TB, body string) []byte {
	return Zip(t, "[Content_Types].xml", `<?xml version="1.0"?><Types/>`,
		"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document><w:body><w:p><w:r><w:t>`+body+`</w:t></w:r></w:p></w:body></w:document>`)
}

// PDF returns a PDF file with one content stream. If hidden is true, the codes of its font
// are not characters.
func PDF(content string, packed, hidden bool) []byte {
	if hidden {
		var codes strings.Builder
		for _, r := range content {
			fmt.Fprintf(&codes, "%04X", r+0x100)
		}
		content = "BT /F1 12 Tf 72 712 Td <" + codes.String() + "> Tj ET"
	} else {
		content = "BT /F1 12 Tf 72 712 Td " + content + " ET"
	}
	filter := ""
	if packed {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = io.WriteString(z, content)
		_ = z.Close()
		content, filter = b.String(), "/Filter /FlateDecode"
	}
	cmap := "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0100> <01FF> <0000> endbfrange endcmap"
	font := "4 0 obj << /Type /Font /Subtype /Type0 /ToUnicode 6 0 R >> endobj\n"
	if !hidden {
		font = "4 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n"
	}
	return []byte("%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n" +
		"3 0 obj << /Type /Page /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >> endobj\n" + font +
		fmt.Sprintf("5 0 obj << /Length %d %s >> stream\n%s\nendstream endobj\n", len(content), filter, content) +
		fmt.Sprintf("6 0 obj << /Length %d >> stream\n%s\nendstream endobj\n", len(cmap), cmap) +
		"7 0 obj << /Title (Rapor) /Author (cok gizli) >> endobj\ntrailer << /Root 1 0 R /Info 7 0 R >>\n%%EOF")
}

// UTF16 returns a text in little-endian UTF-16.
func UTF16(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

// Mail returns a mail with these header lines and this body.
func Mail(header, body string) string {
	return "From: a@kaya.example\r\nTo: b@kaya.example\r\nMIME-Version: 1.0\r\n" + header + "\r\n" + body
}

// Multipart returns parts between boundaries.
func Multipart(boundary string, parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("--" + boundary + "\r\n" + p + "\r\n")
	}
	return b.String() + "--" + boundary + "--\r\n"
}

// Base64 returns bytes in lines of base64.
func Base64(b []byte) string {
	s := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(s) > 76 {
		out.WriteString(s[:76] + "\r\n")
		s = s[76:]
	}
	return out.String() + s
}

// EncryptedZip returns a zip file whose member is marked as encrypted.
func EncryptedZip(t testing.TB) []byte {
	b := Zip(t, "b.txt", "PRJ-1234")
	b[6] |= 1
	b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	return b
}
