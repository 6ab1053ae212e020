package sound

import (
	"encoding/binary"
	"math"
	"time"
)

// PhoneRate is the number of samples per second on a telephone.
const PhoneRate = 8000

// Sound is samples of one channel.
type Sound struct {
	Rate    int // samples per second
	Samples []int16
}

// Duration returns the length of the sound.
func (s Sound) Duration() time.Duration {
	return time.Duration(len(s.Samples)) * time.Second / time.Duration(s.Rate)
}

// taps is the number of samples on each side that determine one sample of the result,
// counted at the lower of the two rates.
const taps = 16

// Resample returns the sound at another rate. Frequencies too high for the new rate are
// filtered out first, so that they do not turn into other tones.
func (s Sound) Resample(rate int) Sound {
	if rate == s.Rate {
		return s
	}
	// Sample i of the result lies at i*from/to of the old ones, so the weights of its
	// neighbours repeat after to samples.
	common := gcd(s.Rate, rate)
	from, to := s.Rate/common, rate/common
	cut := min(float64(to)/float64(from), 1) // of the old rate's band
	reach := int(math.Ceil(taps / cut))
	weights := make([][]float64, to)
	out := make([]int16, len(s.Samples)*to/from)
	for i := range out {
		first, phase := i*from/to-reach, i*from%to
		if weights[phase] == nil {
			weights[phase] = weightsAt(float64(phase)/float64(to), cut, reach)
		}
		sum := 0.0
		for k, w := range weights[phase] {
			if at := first + k; at >= 0 && at < len(s.Samples) {
				sum += w * float64(s.Samples[at])
			}
		}
		out[i] = clip(sum)
	}
	return Sound{rate, out}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// weightsAt returns the weights of the samples around a point that lies a fraction of a
// sample after the middle one. They sum to one.
func weightsAt(part, cut float64, reach int) []float64 {
	out, sum := make([]float64, 2*reach+1), 0.0
	for k := range out {
		out[k] = kernel((float64(k-reach)-part)*cut, float64(reach)*cut)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// kernel returns the weight of a sample at a distance: a sinc, faded out towards the reach.
func kernel(x, reach float64) float64 {
	switch {
	case x == 0:
		return 1
	case math.Abs(x) >= reach:
		return 0
	}
	fade := 0.5 + 0.5*math.Cos(math.Pi*x/reach)
	return math.Sin(math.Pi*x) / (math.Pi * x) * fade
}

func clip(v float64) int16 {
	return int16(math.Round(min(max(v, math.MinInt16), math.MaxInt16)))
}

// OverPhone returns the sound as it is heard over the telephone.
func (s Sound) OverPhone() Sound {
	out := s.Resample(PhoneRate)
	heard := make([]int16, len(out.Samples))
	for i, v := range out.Samples {
		heard[i] = DecodeULaw(EncodeULaw(v))
	}
	out.Samples = heard
	return out
}

const headerSize = 44

// AppendWAVHeader appends the header of a WAV file with this many bytes of sound, in 16-bit
// samples.
func AppendWAVHeader(b []byte, rate, channels int, size int64) []byte {
	frame := 2 * channels
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(headerSize-8+size))
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, formatPCM)
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*frame))
	b = binary.LittleEndian.AppendUint16(b, uint16(frame))
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// WAV returns the sound as a WAV file.
func (s Sound) WAV() []byte {
	size := 2 * len(s.Samples)
	b := AppendWAVHeader(make([]byte, 0, headerSize+size), s.Rate, 1, int64(size))
	for _, v := range s.Samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}
