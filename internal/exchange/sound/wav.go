package sound

import (
	"encoding/binary"
	"errors"
)

// ErrFormat means that a file is not a supported WAV file. Every *FormatError is one.
var ErrFormat = errors.New("sound: not a WAV file of PCM")

// FormatError names the property of a file that is not supported.
type FormatError struct {
	Property string
}

// Error implements error.
func (e *FormatError) Error() string {
	return "sound: a WAV file of PCM is needed; wrong is its " + e.Property
}

// Is reports every FormatError as an ErrFormat.
func (*FormatError) Is(target error) bool { return target == ErrFormat }

// The properties of a file that may be unsupported.
const (
	WrongKind     = "kind"     // not a WAV file
	WrongEncoding = "encoding" // not PCM
	WrongBits     = "bits"
	WrongChannels = "channels"
	WrongRate     = "rate"
	WrongLength   = "length" // shorter than stated
)

const (
	formatPCM = 1
	// formatExtensible means that the format is in a later field.
	formatExtensible = 0xFFFE
	formatSize       = 26
	minRate          = 1
	maxRate          = 192_000
)

// format is the sample format of a file.
type format struct {
	rate, channels, bytes int // bytes of one sample
}

// readFormat parses the chunk with the sample format.
func readFormat(body []byte) (f format, err error) {
	kind := binary.LittleEndian.Uint16(body)
	if kind == formatExtensible && len(body) >= formatSize {
		kind = binary.LittleEndian.Uint16(body[24:])
	}
	bits := int(binary.LittleEndian.Uint16(body[14:]))
	f = format{int(binary.LittleEndian.Uint32(body[4:])), int(binary.LittleEndian.Uint16(body[2:])), bits / 8}
	switch {
	case kind != formatPCM:
		return format{}, &FormatError{WrongEncoding}
	case bits != 8 && bits != 16 && bits != 24 && bits != 32:
		return format{}, &FormatError{WrongBits}
	case f.channels != 1 && f.channels != 2:
		return format{}, &FormatError{WrongChannels}
	case f.rate < minRate || f.rate > maxRate:
		return format{}, &FormatError{WrongRate}
	}
	return f, nil
}

// frame returns the number of bytes of one sample on all channels.
func (f format) frame() int { return f.bytes * f.channels }

// samples returns one channel of 16 bits; of two channels it returns the mean.
func (f format) samples(body []byte) []int16 {
	out := make([]int16, len(body)/f.frame())
	for i := range out {
		sum := 0
		for c := range f.channels {
			sum += f.sample(body[i*f.frame()+c*f.bytes:])
		}
		out[i] = int16(sum / f.channels)
	}
	return out
}

// sample returns one sample with 16 bits. Of larger ones it keeps the upper bits; a sample
// of 8 bits is unsigned.
func (f format) sample(b []byte) int {
	if f.bytes == 1 {
		return (int(b[0]) - 128) << 8
	}
	return int(int16(binary.LittleEndian.Uint16(b[f.bytes-2:])))
}

// ReadWAV reads a PCM file with 8, 16, 24 or 32 bits on one or two channels. A program that
// writes a file as it goes does not know its final length, so a stated length larger than
// the file means all of it.
func ReadWAV(b []byte) (Sound, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return Sound{}, &FormatError{WrongKind}
	}
	var f format
	for b = b[12:]; len(b) >= 8; {
		name, size := string(b[:4]), int(binary.LittleEndian.Uint32(b[4:8]))
		b = b[8:]
		body := b[:min(size, len(b))]
		switch {
		case name == "fmt " && len(body) >= 16:
			var err error
			if f, err = readFormat(body); err != nil {
				return Sound{}, err
			}
		case name == "data" && f.rate > 0:
			return Sound{f.rate, f.samples(body)}, nil
		}
		b = b[min(len(body)+size%2, len(b)):] // a chunk of odd length is followed by a padding byte
	}
	return Sound{}, &FormatError{WrongKind}
}
