package dlp_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"konak/internal/mail/dlp"
	"konak/internal/mail/dlp/dlptest"
)

// noise returns bytes like those of compressed pixels, the same in every run.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{20})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func png(chunks ...[]byte) []byte {
	all := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", make([]byte, 13))...)
	return append(append(all, bytes.Join(chunks, nil)...), chunk("IEND", nil)...)
}

func segment(kind byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xFF, kind}, uint16(len(data)+2)), data...)
}

// jpeg returns a picture with pixels between two comments.
func jpeg(before string, pixels []byte, after string) []byte {
	pixels = bytes.ReplaceAll(pixels, []byte{0xFF}, []byte{0xFF, 0})
	return slices.Concat([]byte{0xFF, 0xD8}, segment(0xE1, []byte("Exif\x00\x00"+before)), segment(0xDA, make([]byte, 10)), pixels, segment(0xFE, []byte(after)), []byte{0xFF, 0xD9})
}

func packed(text string) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// A file is read according to its real type: pixels contain no words, the metadata of a
// picture does, and content disguised by its name is detected.
func TestFiles(t *testing.T) {
	t.Parallel()
	turkish, err := charmap.Windows1254.NewEncoder().String("çok gizli")
	if err != nil {
		t.Fatal(err)
	}
	// Short words occur in pixels by chance.
	chance := slices.Concat(noise(1000), []byte("\x00abc\x01\x00 1234 \x00"), noise(1000))
	gif := append([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x08\x00abc\x01 12\x08\x01234\x00abc\x00"), "!\xFE\x05ihale\x00;"...)
	webp := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8 \x0A\x00\x00\x00\x00abc\x00 1234"), "EXIF\x06\x00\x00\x00ihale\x00"...)
	film := append([]byte("\x00\x00\x00\x10ftypheic\x00\x00\x00\x00\x00\x00\x00\x14mdat\x00abc\x00 1234\x00\x00"), "\x00\x00\x00\x0Emeta\x00ihale"...)
	fold := "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:çok g\r\n izli\r\nDESCRIPTION:Dosya\\, PRJ-\r\n 1234\\nson\r\n"
	base := func(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
	keyword := []string{"keyword"}
	for _, c := range []struct {
		name, file string
		content    []byte
		want       []string
	}{
		{"pixels of a JPEG", "a.jpg", jpeg("", chance, ""), nil},
		{"pixels of a PNG", "a.png", png(chunk("IDAT", chance)), nil},
		{"pixels of a GIF, and its comment", "a.gif", gif, keyword},
		{"pixels of a WebP, and its EXIF", "a.webp", webp, keyword},
		{"pixels of a HEIC, and its data", "a.heic", film, keyword},
		{"word about a JPEG", "a.jpg", jpeg("çok gizli", chance, ""), keyword},
		{"word about a JPEG in Windows-1254", "a.jpg", jpeg(turkish, chance, ""), keyword},
		{"word about a JPEG in UTF-16", "a.jpg", jpeg(string(dlptest.UTF16("çok gizli")), chance, ""), keyword},
		{"word behind the pixels", "a.jpg", jpeg("", chance, "çok gizli"), keyword},
		{"word behind a JPEG", "a.jpg", append(jpeg("", chance, ""), "ihale"...), keyword},
		{"two JPEGs in one", "a.jpg", append(jpeg("", chance, ""), jpeg("", chance, "")...), nil},
		{"a sentence in pixels", "a.png", png(chunk("IDAT", append(noise(100), "\x00Bu belge: ihale, PRJ-1234, lütfen\x00"...))), []string{"keyword", "regex"}},
		{"word about a PNG", "a.png", png(chunk("tEXt", []byte("Title\x00ihale")), chunk("IDAT", chance)), keyword},
		{"packed word about a PNG", "a.png", png(chunk("zTXt", append([]byte("Title\x00\x00"), packed("çok gizli")...))), keyword},
		{"packed international word", "a.png", png(chunk("iTXt", append([]byte("Title\x00\x01\x00tr\x00Ad\x00"), packed("çok gizli")...))), keyword},
		{"word behind a PNG", "a.png", append(png(chunk("IDAT", chance)), "ihale"...), keyword},
		{"Turkish word in an unknown file", "a.bin", []byte("\x00\x01\x02çok gizli\x00\x01"), keyword},
		{"one word is counted once", "a.bin", []byte("\x00\x01\x02\x03\xFEihale \xFE\x00\x01"), keyword},
		{"program called a text", "a.txt", append([]byte("MZ\x90\x00\x03"), make([]byte, 200)...), []string{"type"}},
		{"zip called a picture", "a.jpg", dlptest.Zip(t, "b.txt", "x"), []string{"type"}},
		{"zip called a document", "a.docx", dlptest.Zip(t, "b.txt", "x"), []string{"type"}},
		{"document", "a.docx", dlptest.Docx(t, "x"), nil},
		{"document by another order", "a.odt", dlptest.Zip(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", "<?xml version='1.0'?><a/>"), nil},
		{"library is no program", "a.dll", append([]byte("MZ\x90\x00\x03"), make([]byte, 200)...), nil},
		{"text in a src", "a.html", []byte(`<img src="data:text/plain;base64,` + base([]byte("çok gizli")) + `">`), keyword},
		{"document in a link", "a.html", []byte("<a href=\"da\nta:application/octet-stream;base64," + base(dlptest.Docx(t, "PRJ-</w:t></w:r><w:r><w:t>1234")) + `">x</a>`), []string{"regex"}},
		{"text with escapes", "a.html", []byte(`<iframe src="DATA:text/html,<p>%69hal<b>e</b>"></iframe>`), keyword},
		{"text in a style", "a.html", []byte(`<div style="background:url('data:image/svg+xml,` + url.PathEscape("<svg><text>PRJ<tspan>-1234</tspan></text></svg>") + `')"></div>`), []string{"regex"}},
		{"text in a style sheet", "a.html", []byte(`<style>a{background:url(data:text/plain;base64,` + base([]byte("ihale")) + `)}</style>`), keyword},
		{"program in a link", "a.html", []byte(`<a href="data:application/pdf;base64,` + base(append([]byte("MZ\x90\x00\x03"), make([]byte, 200)...)) + `">x</a>`), []string{"type"}},
		{"picture in a src", "a.html", []byte(`<p>Merhaba</p><img src="data:image/jpeg;base64,` + base(jpeg("", chance, "")) + `">`), nil},
		{"text around is read on", "a.html", []byte(`PRJ-<img src="data:text/plain,x"> <b>iha</b>le`), keyword},
		{"SVG", "a.svg", []byte(`<svg><text>PRJ<tspan>-12</tspan><tspan>34</tspan></text><desc>&#231;ok gizli</desc></svg>`), []string{"keyword", "regex"}},
		{"SVG with a declaration", "a.bin", []byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>PRJ<tspan>-1234</tspan></text></svg>`), []string{"regex"}},
		{"SVG in an SVG", "a.svg", []byte(`<svg><image href="data:image/svg+xml;base64,` + base([]byte(`<svg><text>ih<tspan>ale</tspan></text></svg>`)) + `"/></svg>`), keyword},
		{"calendar", "a.ics", []byte(fold), []string{"keyword", "regex"}},
		{"calendar called otherwise", "a.bin", []byte(fold), []string{"keyword", "regex"}},
		{"file in a calendar", "a.ics", []byte("BEGIN:VCALENDAR\r\nATTACH;ENCODING=BASE64;VALUE=BINARY:" + base([]byte("çok"))[:3] + "\r\n " + base([]byte("çok"))[3:] + base([]byte(" gizli !")) + "\r\n"), keyword},
		{"contacts", "a.vcf", []byte("BEGIN:VCARD\r\nNOTE;ENCODING=QUOTED-PRINTABLE:=C3=A7ok =\r\ngizli\r\n"), keyword},
	} {
		s := compile(t, []dlp.Rule{
			{ID: "keyword", Type: dlp.Keyword, Pattern: "çok gizli\nİHALE\nabc"},
			{ID: "regex", Type: dlp.Regex, Pattern: `PRJ-\d{4}|\b1234\b`},
			{ID: "type", Type: dlp.AttachmentType, Pattern: "exe, zip"},
			{ID: "many", Type: dlp.Keyword, Pattern: "ihale", MinCount: 2},
		})
		report := s.ScanMessage(t.Context(), dlp.Message{Files: []dlp.File{fileOf(c.file, c.content)}}, dlp.DefaultLimits())
		var got []string
		for _, m := range report.Matches {
			if !slices.Contains(got, m.RuleID) {
				got = append(got, m.RuleID)
			}
		}
		if !slices.Equal(got, c.want) || len(report.Unscanned) > 0 {
			t.Errorf("%s: got %v, want %v; %v", c.name, found(report), c.want, report.Unscanned)
		}
	}
}

// Nested files stop at the limits, and pictures of many pieces are scanned in time.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	s := compile(t, rules())
	nested := "ihale"
	for range 20 {
		nested = `<img src="data:text/html;base64,` + base64.StdEncoding.EncodeToString([]byte(nested)) + `">`
	}
	l := dlp.DefaultLimits()
	l.Bytes = 1 << 30
	if r := s.ScanMessage(t.Context(), dlp.Message{HTML: nested}, l); len(r.Unscanned) == 0 || r.Unscanned[0].Reason != dlp.ReasonTooDeep {
		t.Errorf("20 levels: %v", found(r))
	}
	l.Parts = 10
	if r := s.ScanMessage(t.Context(), dlp.Message{HTML: strings.Repeat(`<img src="data:,x">`, 20)}, l); len(r.Unscanned) == 0 || r.Unscanned[0].Reason != dlp.ReasonTooMany {
		t.Errorf("20 files: %v", found(r))
	}
	pieces := append([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00!\xFE"), bytes.Repeat([]byte{1, 'x'}, 1<<20)...)
	many := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat(chunk("aaaa", nil), 200_000)...)
	for name, content := range map[string][]byte{"a.gif": pieces, "a.png": append(many, "\x00ihale"...)} {
		r := s.ScanMessage(t.Context(), dlp.Message{Files: []dlp.File{fileOf(name, content)}}, dlp.DefaultLimits())
		if len(r.Unscanned) > 0 || (name == "a.png") != slices.ContainsFunc(r.Matches, func(m dlp.Match) bool { return m.RuleID == "keyword" }) {
			t.Errorf("%s: %v", name, found(r))
		}
	}
}
