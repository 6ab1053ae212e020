// Package pictures separates the pixels and samples of pictures and films from their
// metadata.
package pictures

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Stretch is a piece of content. Noise is true for pixels, samples and tables, in which
// letters occur by chance.
type Stretch struct {
	From, To int64
	Noise    bool
}

// maxSteps limits the number of pieces of one file. The rest is treated as text.
const maxSteps = 100_000

// Stretches separates the pixels and samples of pictures and films from their metadata.
// Content of another kind, and anything after a picture, is not noise.
func Stretches(content io.ReaderAt, size int64) []Stretch {
	w := &pictureWalk{content: content, size: size}
	head := make([]byte, min(size, 16))
	n, _ := content.ReadAt(head, 0)
	head = head[:n]
	has := func(at int, s string) bool { return len(head) >= at+len(s) && string(head[at:at+len(s)]) == s }
	switch {
	case has(0, "\xFF\xD8\xFF"):
		w.walkJPEG()
	case has(0, "\x89PNG\r\n\x1A\n"):
		w.walkPNG()
	case has(0, "GIF87a"), has(0, "GIF89a"):
		w.walkGIF()
	case has(0, "RIFF") && has(8, "WEBP"):
		w.walkWebP()
	case has(4, "ftyp"):
		w.walkBoxes()
	}
	w.add(size, false)
	return w.out
}

// pictureWalk goes through a picture from front to back.
type pictureWalk struct {
	content io.ReaderAt
	size    int64
	at      int64
	out     []Stretch
	steps   int
	// window is a piece of the content in memory, beginning at start.
	window []byte
	start  int64
}

// add adds the piece from the current position to end. It returns false if the walk is
// over.
func (w *pictureWalk) add(end int64, noise bool) bool {
	whole := end <= w.size
	end = min(end, w.size)
	if end <= w.at {
		return false
	}
	if n := len(w.out); n > 0 && w.out[n-1].Noise == noise {
		w.out[n-1].To = end
	} else {
		w.out = append(w.out, Stretch{w.at, end, noise})
	}
	w.at = end
	w.steps++
	return whole && end < w.size && w.steps < maxSteps
}

// read returns n bytes at an offset from the current position, nil if there are fewer.
func (w *pictureWalk) read(offset int64, n int) []byte {
	from := w.at + offset
	if from < w.start || from+int64(n) > w.start+int64(len(w.window)) {
		window := make([]byte, max(n, 16<<10))
		got, _ := w.content.ReadAt(window, from)
		w.window, w.start = window[:got], from
	}
	if from+int64(n) > w.start+int64(len(w.window)) {
		return nil
	}
	return w.window[from-w.start:][:n]
}

func (w *pictureWalk) walkJPEG() {
	for {
		mark := w.read(0, 4)
		if mark == nil || mark[0] != 0xFF {
			return
		}
		size := int64(binary.BigEndian.Uint16(mark[2:])) + 2
		goesOn := false
		switch kind := mark[1]; {
		case kind == 0xFF: // padding
			goesOn = w.add(w.at+1, true)
		case kind == 0x01, kind >= 0xD0 && kind <= 0xD9: // without a length
			goesOn = w.add(w.at+2, true)
		case kind == 0xDA:
			goesOn = w.add(w.at+size, true) && w.add(w.endOfScan(), true)
		default: // metadata and comments, or tables
			goesOn = w.add(w.at+size, !(kind >= 0xE0 && kind <= 0xEF || kind == 0xFE))
		}
		if !goesOn {
			return
		}
	}
}

// endOfScan returns the position of the next marker after the pixels of a JPEG.
func (w *pictureWalk) endOfScan() int64 {
	buf := make([]byte, 32<<10)
	for at := w.at; ; {
		n, _ := w.content.ReadAt(buf, at)
		if n < 2 {
			return w.size
		}
		for i := 0; i+1 < n; {
			next := bytes.IndexByte(buf[i:n-1], 0xFF)
			if next < 0 {
				break
			}
			i += next
			if c := buf[i+1]; c != 0 && c != 0xFF && (c < 0xD0 || c > 0xD7) {
				return at + int64(i)
			}
			i++
		}
		at += int64(n - 1)
	}
}

func (w *pictureWalk) walkPNG() {
	for goesOn := w.add(8, true); goesOn; {
		head := w.read(0, 8)
		if head == nil {
			return
		}
		kind := string(head[4:])
		goesOn = w.add(w.at+12+int64(binary.BigEndian.Uint32(head)), kind == "IDAT" || kind == "fdAT" || kind == "PLTE")
		if kind == "IEND" {
			return
		}
	}
}

func (w *pictureWalk) walkGIF() {
	head := w.read(0, 13)
	if head == nil || !w.add(13+colours(head[10]), true) {
		return
	}
	for {
		begin := w.read(0, 2)
		if begin == nil {
			return
		}
		switch begin[0] {
		case '!':
			if !w.add(w.endOfBlocks(2), begin[1] == 0xF9) {
				return
			}
		case ',':
			frame := w.read(0, 10)
			if frame == nil || !w.add(w.endOfBlocks(11+colours(frame[9])), true) {
				return
			}
		default:
			return
		}
	}
}

// colours returns the size of a colour table in bytes.
func colours(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// endOfBlocks returns the end of the blocks of a GIF that begin at an offset from the
// current position.
func (w *pictureWalk) endOfBlocks(offset int64) int64 {
	for {
		size := w.read(offset, 1)
		if size == nil {
			return w.size
		}
		if offset += 1 + int64(size[0]); size[0] == 0 {
			return w.at + offset
		}
	}
}

func (w *pictureWalk) walkWebP() {
	for goesOn := w.add(12, true); goesOn; {
		head := w.read(0, 8)
		if head == nil || bytes.IndexFunc(head[:4], func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
			return
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		kind := string(head[:4])
		goesOn = w.add(w.at+8+size+size&1, kind == "VP8 " || kind == "VP8L" || kind == "ALPH" || kind == "ANMF")
	}
}

// walkBoxes goes through films and phone pictures (MP4, HEIC, AVIF).
func (w *pictureWalk) walkBoxes() {
	for {
		head := w.read(0, 8)
		if head == nil {
			return
		}
		size := int64(binary.BigEndian.Uint32(head))
		switch size {
		case 0:
			size = w.size - w.at
		case 1:
			long := w.read(8, 8)
			if long == nil {
				return
			}
			size = int64(binary.BigEndian.Uint64(long) & (1<<62 - 1))
		}
		if size < 8 || !w.add(w.at+size, string(head[4:]) == "mdat") {
			return
		}
	}
}

// PackedTexts passes the compressed texts of a PNG, of chunks shorter than longest, to found
// until it returns false.
func PackedTexts(content io.ReaderAt, size, longest int64, found func(text []byte) bool) {
	for w := (&pictureWalk{content: content, size: size, at: 8}); ; {
		head := w.read(0, 8)
		if head == nil || string(head[4:]) == "IEND" {
			return
		}
		length := int64(binary.BigEndian.Uint32(head))
		if kind := string(head[4:]); (kind == "zTXt" || kind == "iTXt") && length < longest {
			if text := packedText(kind, w.read(8, int(length))); text != nil && !found(text) {
				return
			}
		}
		if !w.add(w.at+12+length, true) {
			return
		}
	}
}

// packedText returns the compressed text of a chunk, nil for none.
func packedText(kind string, chunk []byte) []byte {
	_, rest, ok := bytes.Cut(chunk, []byte{0})
	switch {
	case !ok || len(rest) < 2:
		return nil
	case kind == "zTXt":
		return rest[1:]
	case rest[0] == 0: // not packed
		return nil
	}
	_, rest, ok = bytes.Cut(rest[2:], []byte{0}) // the language
	if !ok {
		return nil
	}
	_, rest, _ = bytes.Cut(rest, []byte{0}) // the translated keyword
	return rest
}
