package address_test

import (
	"testing"

	"konak/internal/kit/address"
)

func TestParsePhone(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"+90 532 123 45 67":  "+905321234567",
		"0532 123 45 67":     "+905321234567",
		"0 (212) 555-00-11":  "+902125550011",
		"00905321234567":     "+905321234567",
		"+44 20 7946 0958":   "+442079460958",
		" +1.202.555.0143 ":  "+12025550143",
		"5321234567":         "",
		"532 123":            "",
		"+90 532 123 45":     "",
		"+0532123456":        "",
		"+1234567890123456":  "",
		"call me":            "",
		"+90532+1234567":     "",
		"":                   "",
		"+90 532 123 45 67x": "",
	} {
		got, ok := address.ParsePhone(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", in, got, ok)
		}
	}
}
