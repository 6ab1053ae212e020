package dlp_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp/dlptest"
)

func little(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	return b.Bytes()
}

func record(kind uint16, data ...any) []byte {
	b := little(data...)
	return append(little(kind, uint16(len(b))), b...)
}

// oldOffice returns a file with one stream, in large or in small sectors.
func oldOffice(name string, stream []byte, small bool) []byte {
	const end, free = uint32(0xFFFFFFFE), uint32(0xFFFFFFFF)
	size := len(stream)
	if !small {
		size = max(size, 4096)
	}
	sectors := (size + 511) / 512
	stream = append(bytes.Clone(stream), make([]byte, sectors*512-len(stream))...)
	// Sector 0 is the sector table, 1 the directory, 2 the small-sector table, then follows
	// the stream.
	fat := []uint32{0xFFFFFFFD, end, end}
	miniFAT := []uint32{}
	for i := range sectors {
		fat = append(fat, uint32(i+4))
	}
	fat[len(fat)-1] = end
	for i := range sectors * 8 {
		miniFAT = append(miniFAT, uint32(i+1))
	}
	miniFAT[len(miniFAT)-1] = end
	pad := func(t []uint32) []uint32 {
		return append(t[:min(len(t), 128)], slices.Repeat([]uint32{free}, 128-min(len(t), 128))...)
	}
	entry := func(name string, kind byte, start, size uint32) []byte {
		u := append(dlptest.UTF16(name), 0, 0)
		b := append(u, make([]byte, 64-len(u))...)
		return slices.Concat(b, little(uint16(len(u)), kind, byte(1), free, free, uint32(1)), make([]byte, 36), little(start, uint64(size)))
	}
	head := slices.Concat([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 16), little(uint16(0x3E), uint16(3), uint16(0xFFFE), uint16(9), uint16(6)), make([]byte, 6),
		little(uint32(0), uint32(1), uint32(1), uint32(0), uint32(4096), uint32(2), uint32(1), end, uint32(0), uint32(0)), bytes.Repeat([]byte{0xFF}, 432))
	root, start := entry("Root Entry", 5, end, 0), uint32(3)
	if small {
		root, start = entry("Root Entry", 5, 3, uint32(len(stream))), 0
	}
	dir := slices.Concat(root, entry(name, 2, start, uint32(size)), make([]byte, 256))
	return slices.Concat(head, little(pad(fat)), dir, little(pad(miniFAT)), stream)
}

// Numbers in cells are read, and files with a password are reported.
func TestSheets(t *testing.T) {
	t.Parallel()
	const number = 10000000146
	begin := record(0x809, make([]byte, 16))
	cell := func(kind uint16, data ...any) []byte {
		return slices.Concat(begin, record(kind, append([]any{make([]byte, 6)}, data...)...), record(0xA))
	}
	rk := uint32(int32(20000000)<<2 | 2) // 20,000,000 matches no rule
	ods := func(cell string) []byte {
		return dlptest.Zip(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "<?xml version='1.0'?><a>"+cell+"</a>")
	}
	xlsb := func(sheet []byte) []byte {
		return dlptest.Zip(t, "[Content_Types].xml", "<Types/>", "xl/worksheets/sheet1.bin", string(sheet))
	}
	word := func(flags uint16) []byte {
		return slices.Concat(little(uint16(0xA5EC), make([]byte, 8), flags), make([]byte, 500))
	}
	text := func(flags byte, s string) []byte {
		if flags == 0 {
			return slices.Concat(little(uint16(len(s)), flags), []byte(s))
		}
		wide := dlptest.UTF16(s)
		return slices.Concat(little(uint16(len(wide)/2), flags), wide)
	}
	// The record after the texts begins with a byte that could be a letter.
	texts := func(first, second []byte) []byte {
		return oldOffice("Workbook", slices.Concat(begin, record(0xFC, uint32(2), uint32(2), first, second), record(0xFF, uint16(8)), record(0xA)), false)
	}
	for _, c := range []struct {
		name, file string
		content    []byte
		want       []string
	}{
		{"number", "a.xls", oldOffice("Workbook", cell(0x203, float64(number)), false), []string{"tckn attachment:a.xls 1"}},
		{"number in small sectors", "a.xls", oldOffice("Workbook", cell(0x203, float64(number)), true), []string{"tckn attachment:a.xls 1"}},
		{"card", "a.xls", oldOffice("Book", cell(0x203, float64(4111111111111111)), false), []string{"credit_card attachment:a.xls 1"}},
		{"formula", "a.xls", oldOffice("Workbook", cell(0x06, float64(number), make([]byte, 6)), false), []string{"tckn attachment:a.xls 1"}},
		{"short numbers", "a.xls", oldOffice("Workbook", slices.Concat(cell(0x27E, rk), record(0xBD, make([]byte, 6), rk, uint16(0), rk, uint16(1))), false), nil},
		{"cells are apart", "a.xls", oldOffice("Workbook", slices.Concat(cell(0x203, float64(100000)), cell(0x203, float64(146))), false), nil},
		{"workbook with a password", "a.xls", oldOffice("Workbook", slices.Concat(begin, record(0x2F, noise(54)), noise(100)), false), []string{"!encrypted attachment:a.xls"}},
		{"an ordinary document", "a.doc", oldOffice("WordDocument", word(0x1000), false), nil},
		{"document with a password", "a.doc", oldOffice("WordDocument", word(0x1100), false), []string{"!encrypted attachment:a.doc"}},
		{"ordinary slides", "a.ppt", oldOffice("Current User", little(uint16(0), uint16(0xFF6), uint32(20), uint32(20), uint32(0xE391C05F), uint32(0)), true), nil},
		{"slides with a password", "a.ppt", oldOffice("Current User", little(uint16(0), uint16(0xFF6), uint32(20), uint32(20), uint32(0xF3D1C4DF), uint32(0)), true), []string{"!encrypted attachment:a.ppt"}},
		{"texts of narrow letters beside each other", "a.xls", texts(text(0, pdfCard), text(0, strings.Repeat("x", '0'))), []string{"credit_card attachment:a.xls 1"}},
		{"texts of wide letters beside each other", "a.xls", texts(text(1, "İHALE"), text(1, strings.Repeat("x", 'a'))), []string{"keyword attachment:a.xls 1"}},
		{"a text with its looks", "a.xls", texts(slices.Concat(little(uint16(5), byte(8), uint16(2)), []byte("ihale"), []byte("abcdefgh")), text(0, "x")), []string{"keyword attachment:a.xls 1"}},
		{"a text in two records", "a.xls", oldOffice("Workbook", slices.Concat(begin, record(0xFC, uint32(1), uint32(1), uint16(5), byte(0), []byte("iha")), record(0x3C, byte(1), dlptest.UTF16("le")), record(0xFF, uint16(8)), record(0xA)), false), []string{"keyword attachment:a.xls 1"}},
		{"a text that breaks off", "a.xls", texts(little(uint16(60000), byte(13), uint16(60000), uint32(1<<31)), nil), nil},
		{"cut", "a.xls", oldOffice("Workbook", cell(0x203, float64(number)), false)[:1600], []string{"!damaged attachment:a.xls"}},
		{"xlsb", "a.xlsb", xlsb(slices.Concat([]byte{0x81, 0x01, 0}, []byte{5, 16}, little(uint64(0), float64(number)))), []string{"tckn attachment:a.xlsb/xl/worksheets/sheet1.bin 1"}},
		{"ordinary xlsb", "a.xlsb", xlsb(slices.Concat([]byte{0x81, 0x01, 0}, []byte{2, 12}, little(uint64(0), rk))), nil},
		{"ods", "a.ods", ods(`<table:table-cell office:value="10000000146"><text:p>1E+10</text:p></table:table-cell>`), []string{"tckn attachment:a.ods/content.xml 1"}},
		{"ods, shown as it is", "a.ods", ods(`<table:table-cell office:value="10000000146"><text:p>10000000146</text:p></table:table-cell>`), []string{"tckn attachment:a.ods/content.xml 1"}},
		{"ods, empty cell", "a.ods", ods(`<table:table-cell office:value="1.0000000146E10"/>`), []string{"tckn attachment:a.ods/content.xml 1"}},
		{"ordinary ods", "a.ods", ods(`<table:table-cell office:value="5"><text:p>5</text:p></table:table-cell>`), nil},
		{"ods with a password", "a.ods", dlptest.Zip(t, "mimetype", "x", "META-INF/manifest.xml", "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>", "content.xml", string(noise(100))), []string{"!encrypted attachment:a.ods/META-INF/manifest.xml"}},
	} {
		if got := scanFile(t, c.file, c.content); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	loop := oldOffice("Workbook", []byte(strings.Repeat("x", 5000)), false)
	binary.LittleEndian.PutUint32(loop[512+4*3:], 3) // a sector that points to itself
	if got := scanFile(t, "a.xls", loop); !slices.Contains(got, "!damaged attachment:a.xls") {
		t.Errorf("a loop: %q", got)
	}
}
