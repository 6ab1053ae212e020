package channel

import "konak/internal/kit/hours"

// Hours are when somebody is there, as every module of Konak understands them.
type (
	Hours = hours.Hours
	Span  = hours.Span
)
