// Package fault is the one error type that crosses module borders.
//
// A fault has a code from the catalogue, which alone determines the HTTP status and the
// text that a person reads. Domain code returns faults; any other error is an internal
// error, which is logged once at the edge and shown as such.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"konak/internal/kit/clock"
)

// Fault is an error that a caller can act on.
type Fault struct {
	Code   Code
	Fields map[string][]string // field path -> codes, for validation_failed and similar codes
	// MoreFields is the number of field errors that are not in Fields.
	MoreFields int
	Reason     string // machine-readable detail, e.g. why a reaction is impossible
	// Permission is the permission that was missing, for a 403.
	Permission string
	// Scope is the scope that gives an API key this permission.
	Scope string
	// Step is the action that failed, if a request does several things at once.
	Step *Step
	// RetryAfter is in seconds, for rate_limited.
	RetryAfter int
	// WindowExpiredAt is when a channel's window closed, for window_closed.
	WindowExpiredAt *clock.Time
	// Matches are what a DLP rule found in the request's text, for dlp_blocked and
	// dlp_warning.
	Matches []Match
	// Args fill the placeholders of the catalogue's message.
	Args []any
	// allowed lists the values that a field accepts, if the caller gave another one.
	allowed     []allowedValues
	err         error
	fieldErrors int
}

// Match is a passage that a rule found, with its sensitive part masked.
type Match struct {
	PatternType   string
	SamplesMasked []string
}

// Step names one of the actions of a request.
type Step struct {
	Index  int
	Action string
}

// New creates a fault with a code; args fill its message.
func New(code Code, args ...any) *Fault { return &Fault{Code: code, Args: args} }

// Invalid returns validation_failed on one field.
func Invalid(field, code string) *Fault {
	return New(ValidationFailed).Field(field, code)
}

const (
	// MaxFields is the number of field errors that a fault names; the rest is only counted.
	MaxFields = 100
	// maxFieldName is the length to which a field's path is cut: it may contain names that
	// the caller made up.
	maxFieldName = 200
)

// Field adds a field error.
func (f *Fault) Field(name, code string) *Fault {
	if f.fieldErrors == MaxFields {
		f.MoreFields++
		return f
	}
	if f.Fields == nil {
		f.Fields = map[string][]string{}
	}
	if len(name) > maxFieldName {
		name = strings.ToValidUTF8(name[:maxFieldName], "") + "…"
	}
	f.Fields[name] = append(f.Fields[name], code)
	f.fieldErrors++
	return f
}

// OrNil returns the fault if it names a field, else nil.
func (f *Fault) OrNil() error {
	if len(f.Fields) == 0 {
		return nil
	}
	return f
}

type allowedValues struct{ field, values string }

// maxAllowed bounds the text of the message about one field, maxAllowedFields the number of
// fields.
const (
	maxAllowed       = 300
	maxAllowedFields = 3
)

// Allow lets the message name the values that a field accepts, if they are few.
func (f *Fault) Allow(field, values string) *Fault {
	if len(field)+len(values) <= maxAllowed && len(f.allowed) < maxAllowedFields {
		f.allowed = append(f.allowed, allowedValues{field, values})
	}
	return f
}

// Because sets the machine-readable reason.
func (f *Fault) Because(reason string) *Fault { f.Reason = reason; return f }

// Found sets the matches of a rule.
func (f *Fault) Found(matches []Match) *Fault { f.Matches = matches; return f }

// ExpiredAt sets the time when the channel's window closed; nil if it was never open.
func (f *Fault) ExpiredAt(at *clock.Time) *Fault { f.WindowExpiredAt = at; return f }

// At sets which of the request's actions failed.
func (f *Fault) At(index int, action string) *Fault { f.Step = &Step{index, action}; return f }

// Wrap keeps err for the log; it is never shown to the caller.
func (f *Fault) Wrap(err error) *Fault { f.err = err; return f }

// Error implements error.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(string(f.Code))
	if len(f.Fields) > 0 {
		names := make([]string, 0, len(f.Fields))
		for n := range f.Fields {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			fmt.Fprintf(&b, " %s=%s", n, strings.Join(f.Fields[n], ","))
		}
	}
	if f.Reason != "" {
		fmt.Fprintf(&b, " (%s)", f.Reason)
	}
	if f.Step != nil {
		fmt.Fprintf(&b, " at %d %s", f.Step.Index, f.Step.Action)
	}
	if f.err != nil {
		fmt.Fprintf(&b, ": %v", f.err)
	}
	return b.String()
}

// Unwrap returns the wrapped error.
func (f *Fault) Unwrap() error { return f.err }

// As finds a fault in an error chain.
func As(err error) (*Fault, bool) { return errors.AsType[*Fault](err) }

// Is reports whether err is a fault of the given code.
func Is(err error, code Code) bool {
	f, ok := As(err)
	return ok && f.Code == code
}
