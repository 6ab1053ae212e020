package sound

import (
	"encoding/binary"
	"errors"
)

// ErrFormat says that a file is no WAV file that is read here. Every *FormatError is
// one.
var ErrFormat = errors.New("sound: not a WAV file of PCM")

// FormatError says which property of a file cannot be read.
type FormatError struct {
	Property string
}

// Error implements error.
func (e *FormatError) Error() string {
	return "sound: a WAV file of PCM is needed; wrong is its " + e.Property
}

// Is makes it an ErrFormat.
func (*FormatError) Is(target error) bool { return target == ErrFormat }

// What of a file cannot be read.
const (
	WrongKind     = "kind"     // no WAV file
	WrongEncoding = "encoding" // not PCM
	WrongBits     = "bits"
	WrongChannels = "channels"
	WrongRate     = "rate"
	WrongLength   = "length" // shorter than it says
)

const (
	formatPCM = 1
	// formatExtensible has its format in a later field.
	formatExtensible = 0xFFFE
	formatSize       = 26
	minRate          = 1
	maxRate          = 192_000
)

// format is how the samples of a file are written.
type format struct {
	rate, channels, bytes int // bytes of one sample
}

// readFormat reads the chunk that says how the samples are written.
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

// frame is how many bytes the samples of one moment take.
func (f format) frame() int { return f.bytes * f.channels }

// samples reads one channel of 16 bits: two are heard as their mean.
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

// sample reads one sample as one of 16 bits. Of larger ones the upper bits are kept;
// one of 8 bits has no sign.
func (f format) sample(b []byte) int {
	if f.bytes == 1 {
		return (int(b[0]) - 128) << 8
	}
	return int(int16(binary.LittleEndian.Uint16(b[f.bytes-2:])))
}

// ReadWAV reads a file of PCM with 8, 16, 24 or 32 bits on one channel or two. A
// program that writes a file as it goes does not know how long it will be, so a length
// that is larger than the file means all of it.
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
		b = b[min(len(body)+size%2, len(b)):] // a chunk of an odd length is followed by a byte
	}
	return Sound{}, &FormatError{WrongKind}
}
