package sheets_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"unicode/utf16"

	"konak/internal/mail/dlp/sheets"
)

// identity is a Turkish identity number that can be stored as a short number.
const identity = 10000728064.0

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

// file is an old office file: sector 0 is the sector table, 1 the small-sector table, 2 the
// small sectors, then follow the directory and one stream.
type file struct {
	cutoff  uint32
	mini    []uint32
	entries [][]byte
	stream  []byte
}

func entry(name string, kind byte, start, size uint32) []byte {
	u := append(little(utf16.Encode([]rune(name))), 0, 0)
	length := uint16(len(u))
	u = append(u, make([]byte, 64-len(u))...)
	return append(u, little(length, kind, byte(1), [12]byte{}, [36]byte{}, start, size, uint32(0))...)
}

func (f file) bytes() []byte {
	const end, free = uint32(0xFFFFFFFE), uint32(0xFFFFFFFF)
	pad := func(b []byte) []byte { return append(b, make([]byte, (512-len(b)%512)%512)...) }
	words := func(w []uint32) []byte {
		return little(append(slices.Clone(w), slices.Repeat([]uint32{free}, 128-len(w))...))
	}
	dir, stream := pad(slices.Concat(f.entries...)), pad(f.stream)
	fat := []uint32{0xFFFFFFFD, end, end}
	for _, sectors := range []int{len(dir) / 512, len(stream) / 512} {
		for range sectors {
			fat = append(fat, uint32(len(fat)+1))
		}
		fat[len(fat)-1] = end
	}
	head := slices.Concat([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 16),
		little(uint16(0x3E), uint16(3), uint16(0xFFFE), uint16(9), uint16(6), [6]byte{}, uint32(0), uint32(1), uint32(3), uint32(0), f.cutoff, uint32(1), uint32(1), end, uint32(0), uint32(0)))
	head = append(head, bytes.Repeat([]byte{0xFF}, 512-len(head))...)
	return slices.Concat(head, words(fat), words(f.mini), make([]byte, 512), dir, stream)
}

func numbers(t *testing.T, content []byte) (out []float64, err error) {
	t.Helper()
	_, err = sheets.ReadOffice(bytes.NewReader(content), int64(len(content)), func(v float64) { out = append(out, v) }, func(string) {})
	return out, err
}

// Small sectors that form a loop, and workbooks that share their sectors, are read only up
// to the length of the file.
func TestBounds(t *testing.T) {
	t.Parallel()
	loop := file{cutoff: math.MaxUint32, mini: []uint32{0}, entries: [][]byte{entry("Root Entry", 5, 2, 512), entry("Workbook", 2, 0, 0xE0000000)}}
	if _, err := numbers(t, loop.bytes()); !errors.Is(err, sheets.ErrDamaged) {
		t.Errorf("a loop of small sectors: %v", err)
	}
	shared := file{cutoff: 4096, stream: bytes.Repeat(record(0x203, [6]byte{}, 1.0), 2000), entries: [][]byte{entry("Root Entry", 5, 2, 512)}}
	for range 200 {
		shared.entries = append(shared.entries, nil)
	}
	for i := range shared.entries[1:] {
		shared.entries[i+1] = entry("Workbook", 2, uint32(3+(201*128+511)/512), uint32(len(shared.stream)))
	}
	got, err := numbers(t, shared.bytes())
	if !errors.Is(err, sheets.ErrDamaged) || len(got) == 0 || len(got) > 100_000 {
		t.Errorf("shared sectors: %d numbers, %v", len(got), err)
	}
}

// Short numbers are read in each of their forms.
func TestShortNumbers(t *testing.T) {
	t.Parallel()
	upper := func(v float64) uint32 { return uint32(math.Float64bits(v)>>32) &^ 3 }
	whole := func(v int32) uint32 { return uint32(v)<<2 | 2 }
	book := slices.Concat(
		record(0x27E, [6]byte{}, upper(identity)),
		record(0x7E, [6]byte{}, whole(123456)),
		record(0xBD, [4]byte{}, uint16(0), upper(identity)|1, uint16(0), whole(-7), uint16(0), whole(12345)|1, uint16(2)),
		record(0xA))
	f := file{cutoff: 4096, stream: append(book, make([]byte, 4096-len(book))...), entries: [][]byte{entry("Root Entry", 5, 2, 512), entry("Workbook", 2, 4, 4096)}}
	want := []float64{identity, 123456, identity / 100, -7, 123.45}
	if got, err := numbers(t, f.bytes()); !slices.Equal(got, want) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	binary := slices.Concat([]byte{2, 12}, little([8]byte{}, upper(identity)), []byte{2, 12}, little([8]byte{}, whole(5)))
	var got []float64
	if err := sheets.ReadBinary(bytes.NewReader(binary), func(v float64) { got = append(got, v) }); err != nil || !slices.Equal(got, []float64{identity, 5}) {
		t.Errorf("binary: %v, %v", got, err)
	}
}
