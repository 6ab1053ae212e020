package hours

import "time"

// Daily are the same hours of every day.
type Daily struct {
	// From and Until are HH:MM. Until may be earlier: then it is on the next day. Where both
	// are the same it is the whole day.
	From, Until string
	Timezone    string
}

// Include says whether a time lies in the hours; false in a time zone that is unknown.
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
