package sound

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

// tone returns one second of a sine.
func tone(rate int, hertz float64) Sound {
	s := Sound{Rate: rate, Samples: make([]int16, rate)}
	for i := range s.Samples {
		s.Samples[i] = int16(10_000 * math.Sin(2*math.Pi*hertz*float64(i)/float64(rate)))
	}
	return s
}

// share returns the share of the sound's energy at one frequency (Goertzel).
func share(s Sound, hertz float64) float64 {
	c := 2 * math.Cos(2*math.Pi*hertz/float64(s.Rate))
	a, b, energy := 0.0, 0.0, 0.0
	for _, v := range s.Samples {
		a, b = float64(v)+c*a-b, a
		energy += float64(v) * float64(v)
	}
	return 2 * (a*a + b*b - c*a*b) / (energy * float64(len(s.Samples)))
}

func loudness(s Sound) float64 {
	sum := 0.0
	for _, v := range s.Samples {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(s.Samples)))
}

func TestToneOverPhone(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 16_000, 22_050, 48_000} {
		in := tone(rate, 1000)
		out := in.OverPhone()
		if out.Rate != PhoneRate || out.Duration() != time.Second {
			t.Errorf("%d: %d samples at %d", rate, len(out.Samples), out.Rate)
		}
		if got := share(out, 1000); got < 0.99 {
			t.Errorf("%d: %.3f of what is heard is the tone", rate, got)
		}
		if got := loudness(out) / loudness(in); got < 0.98 || got > 1.02 {
			t.Errorf("%d: it is %.3f times as loud", rate, got)
		}
	}
	// Frequencies that a telephone does not carry must not turn into another tone.
	high := tone(22_050, 6000)
	if got := loudness(high.Resample(PhoneRate)) / loudness(high); got > 0.02 {
		t.Errorf("%.3f of a tone of 6 kHz is left", got)
	}
}

// The pairs are those of ITU-T G.711, table 2a.
func TestULaw(t *testing.T) {
	t.Parallel()
	for sample, code := range map[int16]byte{0: 0xFF, 32_635: 0x80, 32_767: 0x80, -32_635: 0x00, -32_768: 0x00, 1000: 0xCE, -1000: 0x4E, 8: 0xFE} {
		if got := EncodeULaw(sample); got != code {
			t.Errorf("%d is coded as %#x, not %#x", sample, got, code)
		}
	}
	for code, sample := range map[byte]int16{0xFF: 0, 0x80: 32_124, 0x00: -32_124, 0xCE: 988, 0x7F: 0} {
		if got := DecodeULaw(code); got != sample {
			t.Errorf("%#x is read as %d, not %d", code, got, sample)
		}
	}
	for code := range 256 {
		if got := EncodeULaw(DecodeULaw(byte(code))); got != byte(code) && code != 0x7F { // the second zero
			t.Errorf("%#x comes back as %#x", code, got)
		}
	}
}

func TestWAV(t *testing.T) {
	t.Parallel()
	in := Sound{Rate: 8000, Samples: []int16{0, 1, -1, math.MaxInt16, math.MinInt16}}
	file := in.WAV()
	same := func(name string, b []byte, want Sound) {
		t.Helper()
		if got, err := ReadWAV(b); err != nil || got.Rate != want.Rate || !slices.Equal(got.Samples, want.Samples) {
			t.Errorf("%s: read %v, %v", name, got, err)
		}
	}
	same("as it is", file, in)
	streamed := slices.Clone(file)
	binary.LittleEndian.PutUint32(streamed[40:], 0x7FFFF000)
	same("of unknown length", streamed, in)
	same("with another chunk", slices.Concat(file[:36], []byte("LIST\x03\x00\x00\x00abc\x00"), file[36:]), in)
	same("cut", file[:len(file)-3], Sound{8000, in.Samples[:3]})

	change := func(at int, v byte) []byte { b := slices.Clone(file); b[at] = v; return b }
	for name, b := range map[string][]byte{
		"empty": nil, "no RIFF": change(0, 'x'), "no WAVE": change(8, 'x'), "three channels": change(22, 3), "12 bits": change(34, 12), "not PCM": change(20, 3),
		"no samples": file[:36], "no format": slices.Concat(file[:12], file[36:]), "no rate": slices.Concat(file[:24], []byte{0, 0, 0, 0}, file[28:]),
	} {
		if _, err := ReadWAV(b); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadWAV(f *testing.F) {
	f.Add(tone(8000, 440).WAV())
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEfmt \xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadWAV(b)
		if err == nil && (len(s.Samples) > len(b) || s.Rate < 1) {
			t.Errorf("%d samples at %d from %d bytes", len(s.Samples), s.Rate, len(b))
		}
		if err == nil {
			if again, err := ReadWAV(s.WAV()); err != nil || !slices.Equal(again.Samples, s.Samples) || !bytes.Equal(again.WAV(), s.WAV()) {
				t.Errorf("it does not come back: %v", err)
			}
		}
	})
}

// MeasureWAV agrees with ReadWAV on whole files and files without sound, and refuses every
// prefix of a file.
func TestMeasureWAV(t *testing.T) {
	t.Parallel()
	file := tone(8000, 440).WAV()
	streamed := slices.Clone(file)
	binary.LittleEndian.PutUint32(streamed[40:], 0x7FFFF000)
	other := slices.Clone(file)
	other[34] = 12
	endless := slices.Concat(file[:12], bytes.Repeat([]byte("junk\x00\x00\x00\x00"), 1000))
	for name, b := range map[string][]byte{"whole": file, "of unknown length": streamed, "of 12 bits": other, "of 8 bits": encode(tone(8000, 440), 8, 1), "of 24 bits on two channels": encode(tone(48000, 440), 24, 2), "endless": endless, "empty": nil} {
		got, err := MeasureWAV(bytes.NewReader(b))
		read, wrong := ReadWAV(b)
		if (err != nil) != (wrong != nil) || err == nil && got != read.Duration() || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %s, %v; read %v", name, got, err, wrong)
		}
	}
	for n := range len(file) {
		got, err := MeasureWAV(bytes.NewReader(file[:n]))
		if wrong := (*FormatError)(nil); !errors.As(err, &wrong) || n >= 44 && wrong.Property != WrongLength {
			t.Errorf("%d bytes: %s, %v", n, got, err)
		}
	}
}

// Every A-law code is the one that its sample is encoded as, and samples change by at most
// one thirty-second.
func TestALaw(t *testing.T) {
	t.Parallel()
	for code := range 256 {
		if got := EncodeALaw(DecodeALaw(byte(code))); got != byte(code) {
			t.Errorf("code %#x is %d, which is coded as %#x", code, DecodeALaw(byte(code)), got)
		}
	}
	for v := -32768; v <= 32767; v += 7 {
		got := int(DecodeALaw(EncodeALaw(int16(v))))
		if diff := max(got-v, v-got); diff > max(16, max(v, -v)/31) {
			t.Errorf("%d becomes %d", v, got)
		}
	}
	// The table of G.711: silence and the loudest samples.
	for v, want := range map[int16]byte{0: 0xD5, -1: 0x55, 32767: 0xAA, -32768: 0x2A} {
		if got := EncodeALaw(v); got != want {
			t.Errorf("%d is coded as %#x, want %#x", v, got, want)
		}
	}
}
