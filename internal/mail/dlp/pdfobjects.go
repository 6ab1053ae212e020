package dlp

import (
	"bytes"
	"strconv"

	"konak/internal/mail/dlp/pdfdict"
)

const (
	// maxPDFWork limits the work spent on a file's object structure, in bytes read or
	// stored. A file that repeats the same in many ways is not a real document.
	maxPDFWork = 64 << 20
	// keptSize is the approximate size of a table entry.
	keptSize = 256
	// lookupCost is the approximate cost of following a reference to a filter.
	lookupCost = 1 << 10
	// searchRate is how many times faster finding a word is than reading a dictionary.
	searchRate = 8
)

// spend counts work. It returns false, and records the reason, if there is too much.
func (f *pdfFile) spend(n int) bool {
	if f.work += n; f.work > maxPDFWork {
		f.fail(ReasonTooLarge)
		return false
	}
	return true
}

// isOver reports whether reading the file must stop.
func (f *pdfFile) isOver() bool { return f.work > maxPDFWork || f.x.ctx.Err() != nil }

// readPackedObjects reads a stream that contains objects.
func (f *pdfFile) readPackedObjects(dict, data []byte) {
	first, ok := f.number(pdfdict.Values(dict)["First"])
	if !ok || first > len(data) {
		f.fail(ReasonDamaged)
		f.writeStrings(pdfdict.Plain(data))
		return
	}
	objects, covered := data[first:], 0
	number, offset, head := packedObject(data[:first])
	for number >= 0 {
		next, nextOffset, rest := packedObject(head)
		if offset <= len(objects) {
			end := len(objects)
			if next >= 0 && nextOffset >= offset && nextOffset <= len(objects) {
				end = nextOffset
			}
			if covered += end - offset; covered > 2*len(objects) {
				f.fail(ReasonDamaged) // their ranges overlap
				return
			}
			f.noteObject(number, pdfdict.Plain(objects[offset:end]))
		}
		number, offset, head = next, nextOffset, rest
	}
	f.writeStrings(pdfdict.Plain(objects))
}

// packedObject reads the number of a packed object and its offset. The number is -1 if
// there is none.
func packedObject(head []byte) (number, offset int, rest []byte) {
	var words [2]int
	for i := range words {
		head = bytes.TrimLeft(head, " \t\r\n\f\x00")
		end := bytes.IndexAny(head, " \t\r\n\f\x00")
		if end < 0 {
			end = len(head)
		}
		n, err := strconv.Atoi(string(head[:min(end, 20)]))
		if err != nil || n < 0 {
			return -1, 0, nil
		}
		words[i], head = n, head[end:]
	}
	return words[0], words[1], head
}
