// Package hours holds the weekly hours in which somebody is available, in a time zone and
// with holidays, and spans of hours that are the same every day.
package hours

import (
	"slices"
	"time"
	_ "time/tzdata" // a container may lack the time zone database

	"konak/internal/kit/fault"
)

// Hours are the weekly hours in which somebody is available.
type Hours struct {
	Timezone string `json:"timezone" maxLength:"64" example:"Europe/Istanbul"`
	Spans    []Span `json:"spans" maxItems:"42" nullable:"false" doc:"Empty means never"`
	// Holidays are days on which nobody is available.
	Holidays []Holiday `json:"holidays,omitempty" maxItems:"366" nullable:"false" doc:"Days when nobody is available"`
}

// Holiday is a day on which nobody is available.
type Holiday struct {
	Date string `json:"date" format:"date" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" example:"2026-10-29"`
	Name string `json:"name,omitempty" maxLength:"100" example:"Cumhuriyet Bayramı"`
}

// Span is a part of a weekday.
type Span struct {
	Day  int    `json:"day" minimum:"1" maximum:"7" example:"1" doc:"1 is Monday, 7 is Sunday"`
	From string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:00"`
	To   string `json:"to" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"18:00" doc:"24:00 means the end of the day"`
}

// Check refuses an unknown time zone, a span that ends before it begins and a date that
// does not exist. field is the name of the hours in the caller's input.
func (h *Hours) Check(field string) error {
	if h == nil {
		return nil
	}
	f := fault.New(fault.ValidationFailed)
	if _, err := time.LoadLocation(h.Timezone); err != nil || h.Timezone == "" || h.Timezone == "Local" {
		f.Field(field+".timezone", "unknown_timezone")
	}
	for _, s := range h.Spans {
		if s.From >= s.To { // both are HH:MM, so text compares like time
			f.Field(field+".spans", "out_of_range")
			break
		}
	}
	for _, d := range h.Holidays {
		if _, err := time.Parse(time.DateOnly, d.Date); err != nil {
			f.Field(field+".holidays", "invalid_date")
			break
		}
	}
	return f.OrNil()
}

// IsHoliday reports whether a time falls on a holiday.
func (h *Hours) IsHoliday(at time.Time) bool {
	if h == nil {
		return false
	}
	zone, err := time.LoadLocation(h.Timezone)
	return err == nil && h.hasHoliday(at.In(zone))
}

// hasHoliday reports whether the day of a local time is a holiday.
func (h *Hours) hasHoliday(local time.Time) bool {
	date := local.Format(time.DateOnly)
	return slices.ContainsFunc(h.Holidays, func(d Holiday) bool { return d.Date == date })
}

// Open reports whether somebody is available at a time.
func (h *Hours) Open(at time.Time) bool {
	if h == nil {
		return true
	}
	zone, err := time.LoadLocation(h.Timezone)
	if err != nil {
		return true // better a question at night than a chat closed by mistake
	}
	local := at.In(zone)
	day, now := weekday(local), local.Format("15:04")
	return !h.hasHoliday(local) &&
		slices.ContainsFunc(h.Spans, func(s Span) bool { return s.Day == day && s.From <= now && now < s.To })
}

// Next returns when somebody is available again; nil if somebody is now, or never will be.
func (h *Hours) Next(at time.Time) *time.Time {
	if h.Open(at) {
		return nil
	}
	zone, err := time.LoadLocation(h.Timezone)
	if err != nil {
		return nil
	}
	local := at.In(zone)
	var first *time.Time
	for days := range 8 + 7*len(h.Holidays) { // a holiday may delay it by a week
		date := local.AddDate(0, 0, days)
		if h.hasHoliday(date) {
			continue
		}
		for _, s := range h.Spans {
			if s.Day != weekday(date) {
				continue
			}
			from, err := time.Parse("15:04", s.From)
			if err != nil {
				continue
			}
			begin := time.Date(date.Year(), date.Month(), date.Day(), from.Hour(), from.Minute(), 0, 0, zone)
			if begin.After(at) && (first == nil || begin.Before(*first)) {
				first = &begin
			}
		}
		if first != nil {
			return first
		}
	}
	return nil
}

// weekday returns the day's number, counted from Monday as in ISO 8601.
func weekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }
