package greeting

import "math"

// rate is the number of samples per second on a telephone.
const rate = 8000

// silence returns a moment of silence.
func silence() []int16 { return make([]int16, rate/10) }

// tone returns a note that swells and fades.
func tone(frequency, seconds, loudness float64) []int16 {
	out := make([]int16, int(seconds*rate))
	for i := range out {
		shape := math.Sin(math.Pi * float64(i) / float64(len(out)))
		out[i] = int16(loudness * shape * math.MaxInt16 * math.Sin(2*math.Pi*frequency*float64(i)/rate))
	}
	return out
}

// beep is played before a message is recorded, and when the credit is about to end.
func beep() []int16 { return tone(1000, 0.4, 0.3) }

// holdMusic returns a few quiet notes, for workspaces that have not chosen their own.
func holdMusic() (out []int16) {
	for _, note := range []float64{261.63, 329.63, 392, 523.25, 392, 329.63} {
		out = append(out, tone(note, 0.8, 0.12)...)
	}
	return append(out, make([]int16, rate)...)
}
