package hours

import "time"

// Daily is a span of hours that is the same every day.
type Daily struct {
	// From and Until are HH:MM. If Until is earlier, it is on the next day. If both are the
	// same, the span is the whole day.
	From, Until string
	Timezone    string
}

// Include reports whether a time lies in the hours; false if the time zone is unknown.
func (d Daily) Include(at time.Time) bool {
	zone, err := time.LoadLocation(d.Timezone)
	if err != nil {
		return false
	}
	now := at.In(zone).Format("15:04")
	if d.From < d.Until {
		return d.From <= now && now < d.Until
	}
	return d.From <= now || now < d.Until
}
