package sound

import (
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// maxChunks is the number of chunks of a WAV file that are searched for its sound.
const maxChunks = 100

// The range of sample rates accepted in new files. ReadWAV also reads others, which were
// accepted in the past.
const (
	lowestRate  = 8_000
	highestRate = 48_000
)

// unknownLength is the least value that programs write for the length of a sound that they
// do not know yet. A file that states less but is shorter was cut off.
const unknownLength = 1 << 30

// MeasureWAV returns the length of an accepted WAV file without reading its sound. It
// returns ErrFormat for any other file, and for one that was cut off.
func MeasureWAV(r io.ReadSeeker) (time.Duration, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	head := make([]byte, 12)
	if err := readHead(r, head); err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return 0, errors.Join(&FormatError{WrongKind}, err)
	}
	var f format
	for range maxChunks {
		chunk := make([]byte, 8)
		if err := readHead(r, chunk); err != nil {
			return 0, errors.Join(&FormatError{WrongKind}, err)
		}
		length := int64(binary.LittleEndian.Uint32(chunk[4:]))
		begin, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return 0, err
		}
		switch {
		case string(chunk[:4]) == "fmt ":
			body := make([]byte, max(min(length, formatSize), 16))
			if err := readHead(r, body); err != nil {
				return 0, errors.Join(&FormatError{WrongKind}, err)
			}
			if f, err = readFormat(body); err != nil {
				return 0, err
			}
			if f.rate < lowestRate || f.rate > highestRate {
				return 0, &FormatError{WrongRate}
			}
		case string(chunk[:4]) == "data" && f.rate > 0:
			if length > size-begin && length < unknownLength {
				return 0, &FormatError{WrongLength}
			}
			samples := min(length, size-begin) / int64(f.frame())
			return time.Duration(samples) * time.Second / time.Duration(f.rate), nil
		}
		if _, err := r.Seek(begin+length+length%2, io.SeekStart); err != nil {
			return 0, err
		}
	}
	return 0, &FormatError{WrongKind}
}

// readHead fills b; if the file ends before that, it returns a FormatError instead of a
// read error.
func readHead(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FormatError{WrongKind}
	}
	return err
}
