package zipcheck_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"konak/internal/mail/dlp/zipcheck"
)

// A mark is found wherever it lies, also across the blocks in which content is read.
func TestFind(t *testing.T) {
	t.Parallel()
	const block = 64 << 10
	mark := []byte("PK\x03\x04")
	readers := map[string]func(io.Reader) io.Reader{
		"whole":          func(r io.Reader) io.Reader { return r },
		"halves":         iotest.HalfReader,
		"bytes":          iotest.OneByteReader,
		"end with data":  iotest.DataErrReader,
		"error at last":  func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(io.ErrUnexpectedEOF)) },
		"empty at first": func(r io.Reader) io.Reader { return io.MultiReader(bytes.NewReader(nil), r) },
	}
	for name, wrap := range readers {
		for _, want := range [][]int64{
			nil, {0}, {0, 4}, {3, 7, 12}, {block - 4}, {block - 3}, {block - 2}, {block - 1}, {block}, {block - 5, block - 1, 2*block + 7},
		} {
			content := bytes.Repeat([]byte("PK\x03"), block)
			for _, at := range want {
				copy(content[at:], mark)
			}
			// The pattern around a mark must not make another one.
			var expected []int64
			for i := 0; i+len(mark) <= len(content); i++ {
				if bytes.HasPrefix(content[i:], mark) {
					expected = append(expected, int64(i))
					i += len(mark) - 1
				}
			}
			if got := slices.Collect(zipcheck.Find(wrap(bytes.NewReader(content)), mark)); !slices.Equal(got, expected) || len(expected) < len(want) {
				t.Errorf("%s: got %v, want %v", name, got, expected)
			}
		}
	}
	for range zipcheck.Find(bytes.NewReader(bytes.Repeat(mark, 3)), mark) {
		break // a caller may stop at the first
	}
}
