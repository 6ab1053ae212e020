// Package phonesound says what the exchange can play to callers.
package phonesound

import (
	"fmt"
	"io"
	"time"

	"konak/internal/crm/telephony/greeting"
	"konak/internal/exchange/sound"
)

// Checker checks what callers shall hear.
type Checker struct{}

// maxSound is how long the exchange plays at most.
const maxSound = 10 * time.Minute

// CheckSound implements greeting.Checker.
func (Checker) CheckSound(r io.ReadSeeker) (time.Duration, error) {
	length, err := sound.MeasureWAV(r)
	if err == nil && (length == 0 || length > maxSound) {
		err = fmt.Errorf("it lasts %s", length)
	}
	return length, err
}

// PhoneSamples implements greeting.Checker.
func (Checker) PhoneSamples(r io.Reader) ([]int16, error) {
	b, err := io.ReadAll(io.LimitReader(r, greeting.MaxUpload))
	if err != nil {
		return nil, err
	}
	s, err := sound.ReadWAV(b)
	return s.Resample(sound.PhoneRate).Samples, err
}
