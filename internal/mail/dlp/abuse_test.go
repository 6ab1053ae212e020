package dlp_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/mail/dlp"
)

// packedObject returns a PDF object with a compressed stream.
func packedObject(number int, dict, content string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = io.WriteString(z, content)
	_ = z.Close()
	return fmt.Sprintf("%d 0 obj<</Filter/FlateDecode/Length %d %s>>stream\n%s\nendstream endobj\n", number, b.Len(), dict, b.String())
}

// objectsOf returns an object stream with this table and these objects.
func objectsOf(table, objects string) string {
	return packedObject(1, fmt.Sprintf("/Type/ObjStm/First %d", len(table)), table+objects)
}

// shows returns a page whose font has this character table.
func shows(text, table string) string {
	return "3 0 obj<</Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>endobj\n4 0 obj<</Type/Font/ToUnicode 6 0 R>>endobj\n" +
		"5 0 obj<<>>stream\nBT /F1 12 Tf (" + text + ") Tj ET\nendstream endobj 6 0 obj<<>>stream\nbegincmap " + table + "\nendstream endobj"
}

// numbered repeats a format for each number below n.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// manyRoots returns an old office file whose directory entries are all root entries.
func manyRoots(sectors int) []byte {
	le := binary.LittleEndian
	tables := sectors / 128
	out := make([]byte, 512)
	copy(out, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	out[30] = 9
	le.PutUint32(out[48:], uint32(tables))
	le.PutUint32(out[60:], 0xFFFFFFFE)
	le.PutUint32(out[68:], 0xFFFFFFFE)
	for i := range 109 {
		table := uint32(0xFFFFFFFF)
		if i < tables {
			table = uint32(i)
		}
		le.PutUint32(out[76+4*i:], table)
	}
	for i := range sectors - 1 {
		out = le.AppendUint32(out, uint32(i+1))
	}
	out = le.AppendUint32(out, 0xFFFFFFFE)
	for len(out) < 512*(sectors+1) {
		e := make([]byte, 128)
		le.PutUint16(e[64:], 2)
		e[66] = 5
		le.PutUint32(e[116:], uint32(tables))
		out = append(out, e...)
	}
	return out
}

// sparseTar returns a tar file whose single member is 8 GB of zeros that are not stored.
func sparseTar() []byte {
	h := make([]byte, 512)
	for at, text := range map[int]string{
		0: "a", 100: "0000600", 108: "0000000", 116: "0000000", 124: "00000000000", 136: "00000000000", 148: "        ", 156: "S",
		257: "ustar  ", 386: "77777777777", 398: "00000000000", 483: "77777777777",
	} {
		copy(h[at:], text)
	}
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(h, make([]byte, 1024)...)
}

// A small file that repeats the same in many ways, or that grows, reaches a limit of its
// own before the time limit, and uses little memory on the way.
func TestSmallFilesThatExpandReachLimit(t *testing.T) {
	t.Parallel()
	list := func(object int) string { return "[" + strings.Repeat(fmt.Sprintf("%d 0 R ", object), 41) + "]" }
	lists := "1 0 obj" + list(2) + "endobj 2 0 obj" + list(3) + "endobj 3 0 obj" + list(4) + "endobj 4 0 obj[ ]endobj\n"
	long := strings.Repeat("0041", 10_000)
	for _, c := range []struct {
		name, file, content string
		want                string
	}{
		{"values in each other", "a.pdf", "1 0 obj<<" + strings.Repeat("/V[", 100_000), dlp.ReasonTooLarge},
		{"packed values in each other", "a.pdf", objectsOf("5 0 ", "<<"+strings.Repeat("/V[", 200_000)), dlp.ReasonTooLarge},
		{"pictures that do not end", "a.pdf", "1 0 obj<<>>stream\nBT " + strings.Repeat("ID ", 1_000_000) + "endstream", ""},
		{"pictures whose end is none", "a.pdf", "1 0 obj<<>>stream\nBT " + strings.Repeat("ID EI \x01 ", 100_000) + "endstream", ""},
		{"codes of long texts", "a.pdf", shows("A", "1 beginbfrange "+strings.Repeat("<0000><01FF><0041>", 70)+"<0000><FFFF><"+long+"> endbfrange"), dlp.ReasonTooLarge},
		{"codes behind the last one", "a.pdf", shows("A", "1 beginbfrange <FFFFFFF0><FFFFFFFF><0041> endbfrange"), ""},
		{"codes without an end", "a.pdf", shows("A", "1 beginbfchar "+strings.Repeat("<00>", 1_000_000)), dlp.ReasonTooLarge},
		{"one code of a long text, often", "a.pdf", shows(strings.Repeat("A", 2_000_000), "1 beginbfchar <41><"+long[:128]+"> endbfchar"), dlp.ReasonTooLarge},
		{"one operator of many texts", "a.pdf", shows("A) ["+strings.Repeat("(a)", 200_000)+"] TJ (", ""), dlp.ReasonTooLarge},
		{"objects behind each other", "a.pdf", objectsOf(strings.Repeat("1 0 1 900000 ", 5000), "<<"+strings.Repeat("/a#20%\n", 150_000)), dlp.ReasonDamaged},
		{"many names", "a.pdf", objectsOf("5 0 ", "<<"+numbered(400_000, "/n%d 1 0 R")), dlp.ReasonTooLarge},
		{"many objects of a role", "a.pdf", objectsOf("5 0 ", "<<"+strings.Repeat("/V[]", 10)+numbered(60, "/V["+strings.Repeat("%[1]d1 0 R ", 2))+"/V["+numbered(400_000, "]/V[%d 0 R ")), dlp.ReasonTooLarge},
		{"wide rows", "a.pdf", strings.Repeat(packedObject(1, "/DecodeParms<</Predictor 12/Columns 16000000>>", "\x00T"), 3000), ""},
		{"parameters by lists of lists", "a.pdf", lists + strings.Repeat(packedObject(9, "/DecodeParms 1 0 R", "T"), 500), dlp.ReasonTooLarge},
		{"filters by lists of lists", "a.pdf", lists + strings.Repeat("9 0 obj<</Filter 1 0 R>>stream\nT\nendstream endobj\n", 500), dlp.ReasonTooLarge},
		{"strings that hide an end", "a.pdf", strings.Repeat("1 0 obj(stream endstream ", 40_000), dlp.ReasonDamaged},
		{"entries that are all the first", "a.doc", string(manyRoots(4096)), dlp.ReasonDamaged},
		{"a file of zeros that are not there", "a.tar", string(sparseTar()), dlp.ReasonRatio},
		{"objects in a text", "a.rtf", `{\rtf1 ` + strings.Repeat(`\bin16 aaaaaaaaaaaaaaaa`, 20_000), dlp.ReasonTooMany},
		{"base64 of single letters", "a.p7m", strings.Repeat("M ", 1<<20), dlp.ReasonEncrypted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			content := []byte(c.content)
			if strings.HasSuffix(c.file, ".pdf") {
				content = append([]byte("%PDF-1.4\n"), content...)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r := compile(t, rules()).ScanMessage(ctx, dlp.Message{Files: []dlp.File{fileOf(c.file, content)}}, dlp.DefaultLimits())
			var got []string
			for _, u := range r.Unscanned {
				got = append(got, u.Reason)
			}
			if c.want == "" && got != nil || c.want != "" && !slices.Contains(got, c.want) || slices.Contains(got, dlp.ReasonTime) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
