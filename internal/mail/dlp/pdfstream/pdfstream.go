// Package pdfstream undoes the filters of PDF streams.
package pdfstream

import (
	"bytes"
	"encoding/ascii85"
	"strconv"
)

// Hex decodes hexadecimal digits up to >.
func Hex(data []byte) []byte {
	out := make([]byte, 0, len(data)/2)
	high := -1
	for _, c := range data {
		if c == '>' {
			break
		}
		v := hexValue(c)
		switch {
		case v < 0:
		case high < 0:
			high = v
		default:
			out = append(out, byte(high<<4|v))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// Base85 decodes ASCII base 85 up to ~>.
func Base85(data []byte) []byte {
	if i := bytes.Index(data, []byte("~>")); i >= 0 {
		data = data[:i]
	}
	out := make([]byte, len(data)*4+4)
	n, _, _ := ascii85.Decode(out, data, true)
	return out[:n]
}

// RunLength decodes RunLengthDecode. Above the limit it stops and returns one byte more
// than the limit.
func RunLength(data []byte, limit int64) (out []byte) {
	for len(data) > 1 && data[0] != 128 && int64(len(out)) <= limit {
		n := int(data[0])
		if n < 128 {
			n = min(n+1, len(data)-1)
			out = append(out, data[1:1+n]...)
			data = data[1+n:]
			continue
		}
		out = append(out, bytes.Repeat(data[1:2], 257-n)...)
		data = data[2:]
	}
	return out[:min(int64(len(out)), limit+1)]
}

const (
	lzwClear = 256
	lzwEnd   = 257
	lzwBits  = 12
)

// LZW decodes LZWDecode. early is 1 if the code length grows one code early, which is
// usual. Above the limit it stops and returns one byte more than the limit.
func LZW(data []byte, early int, limit int64) (out []byte) {
	var prefix [1 << lzwBits]uint16
	var last [1 << lzwBits]byte
	var word [1 << lzwBits]byte
	next, width, before := lzwEnd+1, uint(9), -1
	var bits uint32
	var have uint
	for _, c := range data {
		bits, have = bits<<8|uint32(c), have+8
		if have < width {
			continue
		}
		have -= width
		code := int(bits >> have & (1<<width - 1))
		switch {
		case code == lzwClear:
			next, width, before = lzwEnd+1, 9, -1
			continue
		case code == lzwEnd || code > next || code == next && before < 0:
			return out
		}
		// The word is built from its end; a code that does not exist yet is the previous
		// word followed by its own first letter.
		at, i := code, len(word)
		if code == next {
			i--
			at = before
		}
		for ; at > lzwEnd; at = int(prefix[at]) {
			i--
			word[i] = last[at]
		}
		i--
		word[i] = byte(at)
		if code == next {
			word[len(word)-1] = byte(at)
		}
		out = append(out, word[i:]...)
		if int64(len(out)) > limit {
			return out[:limit+1]
		}
		if before >= 0 && next < 1<<lzwBits {
			prefix[next], last[next] = uint16(before), byte(at)
			next++
		}
		if next+early >= 1<<width && width < lzwBits {
			width++
		}
		before = code
	}
	return out
}

// maxRow limits a row of a predictor, in bytes.
const maxRow = 16 << 20

// Predict undoes the predictor in the parameters of a filter. It returns false if it cannot
// be undone.
func Predict(data []byte, params map[string]string) ([]byte, bool) {
	predictor, ok := number(params, "Predictor", 1)
	if !ok || predictor <= 1 {
		return data, ok
	}
	colors, ok1 := number(params, "Colors", 1)
	depth, ok2 := number(params, "BitsPerComponent", 8)
	columns, ok3 := number(params, "Columns", 1)
	if !ok1 || !ok2 || !ok3 || colors > 64 || depth > 16 || columns > maxRow {
		return nil, false
	}
	row := (colors*depth*columns + 7) / 8
	pixel := max(1, colors*depth/8)
	switch {
	case row < 1 || row > maxRow:
		return nil, false
	case predictor >= 10:
		return undoPNG(data, row, pixel), true
	case predictor == 2 && depth == 8:
		return undoTIFF(data, row, pixel), true
	}
	return nil, false
}

// number returns a parameter, or its usual value if it is not set. It returns false if the
// parameter is not a number or negative.
func number(params map[string]string, name string, usual int) (int, bool) {
	text, ok := params[name]
	if !ok {
		return usual, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0
}

func undoTIFF(data []byte, row, pixel int) []byte {
	out := bytes.Clone(data)
	for at := 0; at < len(out); at += row {
		line := out[at:min(len(out), at+row)]
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	}
	return out
}

func undoPNG(data []byte, row, pixel int) []byte {
	out := make([]byte, 0, len(data))
	before := make([]byte, min(row, len(data)))
	for len(data) > 1 {
		kind := data[0]
		from := len(out)
		out = append(out, data[1:min(len(data), 1+row)]...)
		line := out[from:]
		data = data[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], before[i-pixel]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += before[i]
			case 3:
				line[i] += byte((int(left) + int(before[i])) / 2)
			case 4:
				line[i] += paeth(left, before[i], corner)
			}
		}
		copy(before, line)
	}
	return out
}

// paeth returns the one of three neighbours that is nearest to left + up - corner.
func paeth(left, up, corner byte) byte {
	distance := func(v byte) int {
		d := int(left) + int(up) - int(corner) - int(v)
		return max(d, -d)
	}
	switch l, u, c := distance(left), distance(up), distance(corner); {
	case l <= u && l <= c:
		return left
	case u <= c:
		return up
	}
	return corner
}
