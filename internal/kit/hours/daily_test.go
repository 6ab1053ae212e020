package hours_test

import (
	"testing"
	"time"

	"konak/internal/kit/hours"
)

// Daily hours may go past midnight, and end with the minute before their end.
func TestDaily(t *testing.T) {
	t.Parallel()
	// 19:30 UTC is 22:30 in Istanbul.
	evening := time.Date(2026, 11, 16, 19, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		from, until, zone string
		want              bool
	}{
		{"20:00", "08:00", "Europe/Istanbul", true},
		{"22:30", "08:00", "Europe/Istanbul", true},
		{"22:31", "08:00", "Europe/Istanbul", false},
		{"08:00", "22:30", "Europe/Istanbul", false},
		{"08:00", "22:31", "Europe/Istanbul", true},
		{"20:00", "08:00", "UTC", false},
		{"23:00", "22:31", "Europe/Istanbul", true},
		{"00:00", "00:00", "UTC", true},
		{"20:00", "08:00", "No/Where", false},
	} {
		d := hours.Daily{From: c.from, Until: c.until, Timezone: c.zone}
		if got := d.Include(evening); got != c.want {
			t.Errorf("%+v: got %v", d, got)
		}
	}
}
