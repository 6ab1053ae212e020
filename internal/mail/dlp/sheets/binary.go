package sheets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// readDouble calls found with the number at a position.
func readDouble(b []byte, at int, found func(float64)) {
	if len(b) >= at+8 {
		found(math.Float64frombits(binary.LittleEndian.Uint64(b[at:])))
	}
}

// readRK calls found with the short number at a position: an integer, or the upper half of
// a fraction, possibly in hundredths.
func readRK(b []byte, at int, found func(float64)) {
	if len(b) < at+4 {
		return
	}
	raw := binary.LittleEndian.Uint32(b[at:])
	v := math.Float64frombits(uint64(raw&^3) << 32)
	if raw&2 != 0 {
		v = float64(int32(raw) >> 2)
	}
	if raw&1 != 0 {
		v /= 100
	}
	found(v)
}

// maxRecord is the number of bytes read of a record in a binary sheet; the numbers are
// within them.
const maxRecord = 64

// ReadBinary calls found with each number in the cells of a sheet of an .xlsb file.
func ReadBinary(r io.Reader, found func(float64)) error {
	b := bufio.NewReader(r)
	for {
		kind, err := readVarint(b, 2)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		size, err := readVarint(b, 4)
		if err != nil {
			return ErrDamaged
		}
		data := make([]byte, min(size, maxRecord))
		if _, err := io.ReadFull(b, data); err != nil {
			return ErrDamaged
		}
		if n, err := b.Discard(size - len(data)); err != nil || n < size-len(data) {
			return ErrDamaged
		}
		switch kind {
		case 2: // a short number
			readRK(data, 8, found)
		case 5, 9: // a number, or the result of a formula
			readDouble(data, 8, found)
		}
	}
}

// readVarint reads a number with seven bits per byte.
func readVarint(b *bufio.Reader, most int) (v int, err error) {
	for i := range most {
		c, err := b.ReadByte()
		if err != nil {
			return 0, err
		}
		v |= int(c&0x7F) << (7 * i)
		if c < 0x80 {
			break
		}
	}
	return v, nil
}
