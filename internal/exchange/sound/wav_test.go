package sound

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// encode returns a sound as a file with another number of bits and channels.
func encode(s Sound, bits, channels int) []byte {
	b := s.WAV()[:headerSize]
	frame := bits / 8 * channels
	binary.LittleEndian.PutUint16(b[22:], uint16(channels))
	binary.LittleEndian.PutUint32(b[28:], uint32(s.Rate*frame))
	binary.LittleEndian.PutUint16(b[32:], uint16(frame))
	binary.LittleEndian.PutUint16(b[34:], uint16(bits))
	binary.LittleEndian.PutUint32(b[40:], uint32(frame*len(s.Samples)))
	for _, v := range s.Samples {
		for range channels {
			switch bits {
			case 8:
				b = append(b, byte(int(v)>>8+128))
			case 16:
				b = binary.LittleEndian.AppendUint16(b, uint16(v))
			case 24:
				b = append(b, 0, byte(v), byte(v>>8))
			case 32:
				b = append(b, 0, 0, byte(v), byte(v>>8))
			}
		}
	}
	return b
}

// Files with 8 to 32 bits on one or two channels sound the same.
func TestReadsEveryPCM(t *testing.T) {
	t.Parallel()
	in := tone(44100, 440)
	for _, bits := range []int{8, 16, 24, 32} {
		for channels := 1; channels <= 2; channels++ {
			got, err := ReadWAV(encode(in, bits, channels))
			if err != nil || got.Rate != in.Rate || len(got.Samples) != len(in.Samples) {
				t.Fatalf("%d bits on %d channels: %d samples, %v", bits, channels, len(got.Samples), err)
			}
			for i, v := range got.Samples {
				if diff := int(v) - int(in.Samples[i]); diff > 256 || diff < -256 || bits > 8 && diff != 0 {
					t.Fatalf("%d bits on %d channels: the sample %d is %d, want %d", bits, channels, i, v, in.Samples[i])
				}
			}
		}
	}
	// Two different channels are read as their mean.
	two := encode(Sound{8000, []int16{0}}, 16, 2)
	binary.LittleEndian.PutUint16(two[headerSize:], 1000)
	if got, err := ReadWAV(two); err != nil || got.Samples[0] != 500 {
		t.Errorf("the mean is %v, %v", got.Samples, err)
	}
}

// The error for an unreadable file says why.
func TestFormatErrors(t *testing.T) {
	t.Parallel()
	file := tone(8000, 440).WAV()
	change := func(at int, v ...byte) []byte {
		b := append([]byte{}, file...)
		copy(b[at:], v)
		return b
	}
	for property, b := range map[string][]byte{
		WrongKind: []byte("ID3\x04 an MP3 file"), WrongEncoding: change(20, 7), WrongBits: change(34, 12), WrongChannels: change(22, 6), WrongRate: change(24, 0, 0, 0, 0),
	} {
		_, err := ReadWAV(b)
		if got := (*FormatError)(nil); !errors.As(err, &got) || got.Property != property || !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", property, err)
		}
	}
}

// Files are accepted with 8,000 to 48,000 samples per second; older ones with other rates
// can still be read.
func TestAcceptedSampleRates(t *testing.T) {
	t.Parallel()
	for rate, taken := range map[int]bool{7_999: false, 8_000: true, 48_000: true, 48_001: false, 1: false, 192_000: false} {
		file := tone(rate, 1).WAV()
		_, err := MeasureWAV(bytes.NewReader(file))
		if got := (*FormatError)(nil); taken != (err == nil) || !taken && (!errors.As(err, &got) || got.Property != WrongRate) {
			t.Errorf("%d samples a second: %v", rate, err)
		}
		if _, err := ReadWAV(file); err != nil {
			t.Errorf("%d samples a second cannot be heard: %v", rate, err)
		}
	}
}
