package channel

import "konak/internal/kit/hours"

// Hours are business hours, the same type in every module of Konak.
type (
	Hours = hours.Hours
	Span  = hours.Span
)
