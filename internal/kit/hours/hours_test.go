package hours_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"konak/internal/kit/hours"
)

var office = &hours.Hours{Timezone: "Europe/Istanbul", Spans: []hours.Span{
	{Day: 1, From: "09:00", To: "12:00"}, {Day: 1, From: "13:00", To: "18:00"}, {Day: 5, From: "22:00", To: "24:00"},
}}

func TestHours(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Istanbul")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   string
		open bool
		next string
	}{
		{"2026-11-16 08:59", false, "2026-11-16 09:00"},
		{"2026-11-16 09:00", true, ""},
		{"2026-11-16 12:00", false, "2026-11-16 13:00"},
		{"2026-11-16 18:00", false, "2026-11-20 22:00"},
		{"2026-11-20 23:59", true, ""},
		{"2026-11-21 00:00", false, "2026-11-23 09:00"},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, zone)
		if err != nil {
			t.Fatal(err)
		}
		if office.Open(at.UTC()) != c.open {
			t.Errorf("%s: open is %v", c.at, !c.open)
		}
		next := ""
		if n := office.Next(at.UTC()); n != nil {
			next = n.In(zone).Format("2006-01-02 15:04")
		}
		if next != c.next {
			t.Errorf("%s: next is %q, want %q", c.at, next, c.next)
		}
	}
	var always *hours.Hours
	never := &hours.Hours{Timezone: "UTC"}
	now := time.Date(2026, 11, 16, 3, 0, 0, 0, time.UTC)
	if !always.Open(now) || always.Next(now) != nil || never.Open(now) || never.Next(now) != nil || always.Check("hours") != nil {
		t.Error("always or never is wrong")
	}
	for _, bad := range []hours.Hours{
		{Timezone: "UTC", Holidays: []hours.Holiday{{Date: "2026-02-30"}}},
		{Timezone: "Mars/Olympus"},
		{Timezone: ""},
		{Timezone: "UTC", Spans: []hours.Span{{Day: 1, From: "10:00", To: "09:00"}}},
	} {
		if bad.Check("hours") == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// On a holiday nobody is available, in the time zone of the hours; the next opening is
// after it.
func TestHolidays(t *testing.T) {
	t.Parallel()
	h := &hours.Hours{
		Timezone: "Europe/Istanbul", Spans: []hours.Span{{Day: 1, From: "09:00", To: "18:00"}},
		Holidays: []hours.Holiday{{Date: "2026-11-16"}, {Date: "2026-11-23"}},
	}
	for at, holiday := range map[string]bool{
		"2026-11-15T20:59:00Z": false, "2026-11-15T21:00:00Z": true, "2026-11-16T20:59:00Z": true, "2026-11-16T21:00:00Z": false,
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if h.IsHoliday(when) != holiday || h.Open(when) {
			t.Errorf("%s: holiday %v, open %v", at, h.IsHoliday(when), h.Open(when))
		}
	}
	noon := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	if next := h.Next(noon); h.Open(noon) || next == nil || next.UTC().Format(time.DateTime) != "2026-11-30 06:00:00" {
		t.Errorf("open %v, next %v", h.Open(noon), next)
	}
	if !h.Open(noon.AddDate(0, 0, 14)) || (*hours.Hours)(nil).IsHoliday(noon) {
		t.Error("closed on a day that is no holiday")
	}
}

// Until the next opening it is closed, and then it is open.
func TestHoursNext(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(t, "at"), 0)
		next := office.Next(at)
		if office.Open(at) != (next == nil) {
			t.Fatalf("open %v and next %v", office.Open(at), next)
		}
		if next == nil {
			return
		}
		if !office.Open(*next) || office.Open(next.Add(-time.Second)) {
			t.Fatalf("%v is no opening", next)
		}
	})
}
