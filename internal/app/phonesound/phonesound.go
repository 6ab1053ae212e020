// Package phonesound checks what the exchange can play to callers.
package phonesound

import (
	"errors"
	"io"
	"time"

	"konak/internal/crm/telephony/greeting"
	"konak/internal/exchange/sound"
)

// Checker checks sounds to be played to callers.
type Checker struct{}

// maxSound is the longest sound that the exchange plays.
const maxSound = 10 * time.Minute

// CheckSound implements greeting.Checker.
func (Checker) CheckSound(r io.ReadSeeker) (time.Duration, error) {
	length, err := sound.MeasureWAV(r)
	if wrong, ok := errors.AsType[*sound.FormatError](err); ok {
		return 0, &greeting.Unplayable{Code: codes[wrong.Property]}
	}
	switch {
	case err != nil:
		return 0, err
	case length == 0:
		return 0, &greeting.Unplayable{Code: "empty"}
	case length > maxSound:
		return 0, &greeting.Unplayable{Code: "too_long"}
	}
	return length, nil
}

// codes are the error codes of invalid properties.
var codes = map[string]string{
	sound.WrongKind: "not_wav", sound.WrongEncoding: "not_pcm", sound.WrongBits: "wrong_bits", sound.WrongChannels: "wrong_channels", sound.WrongRate: "wrong_rate",
	sound.WrongLength: "cut_off",
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
