package dlp_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp/dlptest"
)

// The character tables of a PDF are limited together, and a table that covers all codes
// does not use memory for each.
func TestFontsAreBounded(t *testing.T) {
	t.Parallel()
	tables := func(n int, codes string) []byte {
		var b strings.Builder
		b.WriteString("%PDF-1.4\n")
		for i := range n {
			fmt.Fprintf(&b, "%d 0 obj<<>>stream\nbegincmap 1 beginbfrange %s<0000> endbfrange\nendstream endobj\n", i, codes)
		}
		return []byte(b.String())
	}
	if got := scanFile(t, "a.pdf", tables(2000, "<0000><00F0>")); !slices.Equal(got, []string{"!too_large attachment:a.pdf"}) {
		t.Errorf("2,000 tables: %q", got)
	}
	if got := scanFile(t, "a.pdf", tables(2000, "<0000><FFFF>")); got != nil {
		t.Errorf("2,000 tables of all codes: %q", got)
	}
}

// pngRows encodes a text in rows of eight bytes, each as its difference from the row above.
func pngRows(text string) string {
	text += strings.Repeat(" ", (8-len(text)%8)%8)
	var out []byte
	before := make([]byte, 8)
	for ; len(text) > 0; text = text[8:] {
		out = append(out, 2)
		for i := range 8 {
			out = append(out, text[i]-before[i])
		}
		before = []byte(text[:8])
	}
	return string(out)
}

// lzw encodes a text in nine-bit codes, without dictionary codes.
func lzw(text string) string {
	var bits strings.Builder
	bits.WriteString(fmt.Sprintf("%09b", 256))
	for _, c := range []byte(text) {
		bits.WriteString(fmt.Sprintf("%09b", c))
	}
	bits.WriteString(fmt.Sprintf("%09b0000000", 257))
	var out []byte
	for b := bits.String(); len(b) >= 8; b = b[8:] {
		var v byte
		for _, c := range b[:8] {
			v = v<<1 | byte(c-'0')
		}
		out = append(out, v)
	}
	return string(out)
}

const (
	pdfPage = "BT /F1 12 Tf 72 700 Td (PRJ-1234) Tj ET"
	pdfCard = "4111111111111111"
)

// pdfOf returns a one-page file with the content of stream 5, and more objects.
func pdfOf(dict, content string, more ...string) []byte {
	font := "4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
	if len(more) > 0 && strings.HasPrefix(more[0], "4 0 obj") {
		font = ""
	}
	return []byte("%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n3 0 obj<</Type/Page/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>endobj\n" + font +
		fmt.Sprintf("5 0 obj<<%s>>stream\n%s\nendstream endobj\n", dict, content) + strings.Join(more, "\n") + "\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
}

// each writes the characters of a text one by one.
func each(text, format string) string {
	var b strings.Builder
	for i, c := range text {
		fmt.Fprintf(&b, format, 72+7*i, c)
	}
	return b.String()
}

// The text of a PDF is read however its streams are compressed, wherever it is stored, and
// however it is placed.
func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	object := "9 0 <</FT/Tx/V(PRJ-1234)>>"
	flate := func(s string) string { return string(packed(s)) }
	stream := func(number int, dict, content string) string {
		return fmt.Sprintf("%d 0 obj<<%s>>stream\n%s\nendstream endobj\n", number, dict, content)
	}
	body := "BT /F1 12 Tf (endstream endobj) Tj (PRJ-1234) Tj ET"
	differences := "4 0 obj<</Type/Font/Subtype/Type1/Encoding<</Differences[1/P/R/J/hyphen/one/two/three/uni0034]>>>>endobj"
	codes := "BT /F1 12 Tf <0102030405060708> Tj ET"
	table := "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 8 beginbfchar <01> <0050> <02> <0052> <03> <004A> <04> <002D> <05> <0031> <06> <0032> <07> <0033> <08> <0034> endbfchar endcmap"
	for name, content := range map[string][]byte{
		"PNG predictor":                 pdfOf("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 8>>", flate(pngRows(pdfPage))),
		"PNG predictor, in a list":      pdfOf("/Filter[/ASCIIHexDecode/FlateDecode]/DecodeParms[null <</Predictor 15/Columns 8>>]", fmt.Sprintf("%X>", flate(pngRows(pdfPage)))),
		"PNG predictor, elsewhere":      pdfOf("/Filter/FlateDecode/DecodeParms 9 0 R", flate(pngRows(pdfPage)), "9 0 obj<</Columns 8/Predictor 12>>endobj"),
		"predictor of packed objects":   pdfOf("", "", stream(8, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 8>>", flate(pngRows(object)))),
		"LZW":                           pdfOf("/Filter/LZWDecode", lzw(pdfPage)),
		"run length":                    pdfOf("/Filter/RunLengthDecode", string(rune(len(pdfPage)-1))+pdfPage+"\x80"),
		"page called a picture":         pdfOf("/Subtype/Image/Filter/FlateDecode", flate("%\x00\x01\n"+pdfPage)),
		"form called a picture":         pdfOf("", "", stream(9, "/Subtype/Image/Filter/FlateDecode", flate(pdfPage))),
		"metadata":                      pdfOf("", "", stream(9, "/Type/Metadata/Subtype/XML", "<?xpacket begin=''?><dc:title>PRJ-&#49;234</dc:title>")),
		"packed metadata":               pdfOf("", "", stream(9, "/Type/Metadata/Subtype/XML/Filter/FlateDecode", flate("<?xpacket begin=''?><dc:title>PRJ-1234</dc:title>"))),
		"form of XML":                   pdfOf("", "", stream(9, "/Filter/FlateDecode", flate("<xfa:datasets><a>PRJ-1234</a></xfa:datasets>"))),
		"value in a stream":             pdfOf("", "", stream(9, "/Filter/FlateDecode", flate("PRJ-1234")), "10 0 obj<</FT/Tx/V 9 0 R>>endobj"),
		"value of two lines":            pdfOf("", "", `10 0 obj<</FT/Tx/V(PRJ-1234\nson)>>endobj`),
		"script in a stream":            pdfOf("", "", stream(9, "/Filter/FlateDecode", flate("alert('PRJ-1234')")), "10 0 obj<</JS 9 0 R>>endobj"),
		"behind a picture in the page":  pdfOf("/Filter/FlateDecode", flate("BI /W 4 /H 1 ID (<%( EI\n"+pdfPage)),
		"objects with a referred start": pdfOf("", "", stream(8, "/Type/ObjStm/N 1/First 20 0 R/Filter/FlateDecode", flate(object)), "20 0 obj 4 endobj"),
		"objects with a name alike":     pdfOf("", "", stream(8, "/FirstChar 3/Type/ObjStm/N 1/First 4/Filter/FlateDecode", flate(object))),
		"referred length":               pdfOf("/Length 9 0 R", body, fmt.Sprintf("9 0 obj %d endobj", len(body))),
		"text for reading aloud":        pdfOf("", "/Span<</ActualText(PRJ-1234)>>BDC BT (x) Tj ET EMC"),
		"letters by matrices":           pdfOf("", "BT /F1 12 Tf "+each("PRJ-1234", "1 0 0 1 %d 700 Tm (%c) Tj ")+"ET"),
		"letters by themselves":         pdfOf("", each("PRJ-1234", "BT /F1 12 Tf 1 0 0 1 %d 700 Tm (%c) Tj ET ")),
		"letters by shifts":             pdfOf("", each("PRJ-1234", "q 1 0 0 1 %d 700 cm BT /F1 12 Tf (%c) Tj ET Q ")),
		"letters by steps":              pdfOf("", "BT /F1 12 Tf "+each("PRJ-1234", "7 0 Td (%[2]c) Tj ")+"ET"),
		"names of glyphs":               pdfOf("", codes, differences),
		"names of glyphs, elsewhere":    pdfOf("", codes, "4 0 obj<</Type/Font/Encoding 9 0 R>>endobj", "9 0 obj<</Differences [ 1/P/R/J/hyphen/one/two/three/four.x ]>>endobj"),
		"codes of one byte":             pdfOf("", codes, "4 0 obj<</Type/Font/Subtype/TrueType/ToUnicode 6 0 R>>endobj", stream(6, "", table)),
		"trailer":                       bytes.Replace(pdfOf("", ""), []byte("/Root 1 0 R"), []byte("/Info<</Title(PRJ-1234)>>"), 1),
		"behind the end":                append(pdfOf("", ""), "\nPRJ-1234\n"...),
	} {
		if got := scanFile(t, "a.pdf", content); !slices.Equal(got, []string{"regex attachment:a.pdf 1"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	zip := string(dlptest.Zip(t, "a.txt", "PRJ-1234"))
	for name, content := range map[string][]byte{
		"attached file":     pdfOf("", "", stream(10, "/Filter/FlateDecode", flate("PRJ-1234")), "9 0 obj<</F(x.txt)/EF<</F 10 0 R>>>>endobj"),
		"attached document": pdfOf("", "", stream(10, "/Filter/FlateDecode", flate(zip))),
	} {
		if got := scanFile(t, "a.pdf", content); len(got) != 1 || !strings.HasPrefix(got[0], "regex attachment:a.pdf/file10") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// If many pages use the same name for their own fonts, each page is read with its own.
func TestFontsOfPages(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	for i := range 20 {
		// The codes of the secret begin at a different position in each font.
		var codes strings.Builder
		for _, c := range "PRJ-1234" {
			fmt.Fprintf(&codes, "%02X", int(c)+i)
		}
		n := 10 * (i + 1)
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Contents %d 0 R/Resources %d 0 R>>endobj\n%d 0 obj<</Font %d 0 R>>endobj\n%d 0 obj<</F1 %d 0 R>>endobj\n", n, n+1, n+2, n+2, n+3, n+3, n+4)
		fmt.Fprintf(&b, "%d 0 obj<</Type/Font/ToUnicode %d 0 R>>endobj\n%d 0 obj<<>>stream\nbegincmap beginbfrange <%02X><%02X><0020> endbfrange\nendstream endobj\n", n+4, n+5, n+5, 0x20+i, 0x7E+i)
		fmt.Fprintf(&b, "%d 0 obj<<>>stream\nBT /F1 9 Tf <%s> Tj ET\nendstream endobj\n", n+1, codes.String())
	}
	if got := scanFile(t, "a.pdf", []byte(b.String())); !slices.Equal(got, []string{"regex attachment:a.pdf 20"}) {
		t.Errorf("%q", got)
	}
}

// A font whose codes have no known characters is reported; a few symbols are not, and the
// cells of a table are not a number.
func TestUnreadableFonts(t *testing.T) {
	t.Parallel()
	composite := "4 0 obj<</Type/Font/Subtype/Type0/Encoding/Identity-H>>endobj"
	for _, c := range []struct {
		name    string
		content []byte
		want    []string
	}{
		{"two bytes", pdfOf("", "BT /F1 12 Tf <"+strings.Repeat("0013001400150016", 4)+"> Tj ET", composite), []string{"!unsupported attachment:a.pdf"}},
		{"one byte", pdfOf("", "BT /F1 12 Tf <"+strings.Repeat("01020304", 4)+"> Tj ET"), []string{"!unsupported attachment:a.pdf"}},
		{"bullets", pdfOf("", "BT /F1 12 Tf <"+strings.Repeat("01", 40)+"> Tj ET"), nil},
		{"text with signs", pdfOf("", "BT /F1 12 Tf ("+strings.Repeat("Merhaba ", 40)+") Tj <"+strings.Repeat("01020304", 4)+"> Tj ET"), nil},
		{"unknown predictor", pdfOf("/Filter/FlateDecode/DecodeParms<</Predictor 9 0 R>>", string(packed(pdfPage))), []string{"regex attachment:a.pdf 1", "!unsupported attachment:a.pdf"}},
		{"picture", pdfOf("", "", "9 0 obj<</Subtype/Image/Filter/FlateDecode>>stream\n"+string(packed(string(noise(5000))+pdfPage))+"\nendstream endobj"), nil},
		{"cells by gaps", pdfOf("", "BT /F1 12 Tf [(4111)-1200(1111)-1200(1111)-1200(1111)-1200(250)-1200(1234)]TJ ET"), nil},
		{"cells by steps", pdfOf("", "BT /F1 12 Tf (4111) Tj 90 0 Td (1111) Tj 90 0 Td (1111) Tj 90 0 Td (1111) Tj 90 0 Td (250) Tj 90 0 Td (1234) Tj ET"), nil},
		{"card by steps", pdfOf("", "BT /F1 12 Tf "+each(pdfCard, "7 0 Td (%[2]c) Tj ")+"ET"), []string{"credit_card attachment:a.pdf 1"}},
	} {
		if got := scanFile(t, "a.pdf", c.content); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
