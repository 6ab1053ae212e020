package iyzico

import (
	"testing"

	"konak/internal/kit/secret"
)

// The expected signature was made with another program, following iyzico's documentation.
func TestSign(t *testing.T) {
	t.Parallel()
	const want = "IYZWSv2 YXBpS2V5OmtleSZyYW5kb21LZXk6MTIzJnNpZ25hdHVyZTo5YjUyN2ViOWFiMWY5MWY0Yzk5YTk3YzkwNThiYWU2YmYyOTA5Y2UyMWUwNjM2ODhiNDhjY2Q0ZjU0MTVlNWNk"
	if got := Sign("key", secret.Of("secret"), "123", "/payment/bin/check", []byte(`{"a":1}`)); got != want {
		t.Errorf("signed %s", got)
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1": 1_000_000, "1.2": 1_200_000, "100.00": 100_000_000, "0.01": 10_000, "1.20000000": 1_200_000, "0.000001": 1,
	} {
		if got, err := parsePrice(text); err != nil || got != want {
			t.Errorf("%s is read as %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ".", "-1", "1e3", "1.0000001", "1,5", "99999999999999999999"} {
		if got, err := parsePrice(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	for micros, want := range map[int64]string{100_000_000: "100.00", 10_050_000: "10.05", 10_000: "0.01"} {
		if got := formatPrice(micros); got != want {
			t.Errorf("%d is written as %s", micros, got)
		}
	}
}
