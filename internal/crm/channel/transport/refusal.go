package transport

import (
	"errors"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// Reasons why a message failed, besides the provider's words.
const (
	ReasonUnavailable = "channel_unavailable"
	ReasonToken       = channel.TokenExpired
)

// ErrUnavailable means that the account is paused or no longer exists.
var ErrUnavailable = errors.New(ReasonUnavailable)

// Refusal is an error response from a provider. After any other error of a provider's call
// it is unknown whether the call succeeded.
type Refusal interface {
	error
	// Passing reports whether the same call may succeed later.
	Passing() bool
	// Auth reports whether the token is no longer valid.
	Auth() bool
	// WindowClosed reports whether the customer wrote too long ago for free text.
	WindowClosed() bool
	// Words returns the explanation to show to people.
	Words() string
	// Pause returns how long the provider asks us to wait, 0 if it does not say, and
	// whether this applies to the whole account.
	Pause() (wait time.Duration, wholeAccount bool)
}

// FinalReason returns why a call failed, if trying again is pointless.
func FinalReason(err error) (why string, final bool) {
	if errors.Is(err, ErrUnavailable) {
		return ReasonUnavailable, true
	}
	if why, lost := file.LostReason(err); lost {
		return why, true
	}
	r, ok := errors.AsType[Refusal](err)
	switch {
	case !ok || r.Passing():
		return "", false
	case r.Auth():
		return ReasonToken, true
	case r.WindowClosed():
		return string(fault.WindowClosed), true
	}
	return r.Words(), true
}

// Unreachable returns the fault for a provider that is unreachable, busy, or refuses.
func Unreachable(err error) error {
	words := "timeout"
	if r, ok := errors.AsType[Refusal](err); ok {
		words = r.Words()
	}
	return fault.New(fault.ProviderRejected, words).Wrap(err)
}

// FaultOf returns the fault for somebody who waits for a provider's call that failed with
// err; refused is the code for what the provider will never do.
func FaultOf(err error, refused fault.Code) error {
	if err == nil {
		return nil
	}
	if _, ours := fault.As(err); ours {
		return err
	}
	why, final := FinalReason(err)
	switch {
	case errors.Is(err, ErrUnavailable):
		return fault.New(fault.ChannelUnavailable)
	case !final:
		return Unreachable(err)
	case why == string(fault.WindowClosed):
		return fault.New(fault.WindowClosed)
	case why == ReasonToken && refused == fault.Conflict:
		return fault.New(fault.ChannelUnavailable).Because(ReasonToken).Wrap(err)
	}
	return fault.New(refused).Because(why)
}

// maxPause is the longest pause that a provider is granted.
const maxPause = time.Hour

// Retry returns the error with which a job tries again after err. If the provider asks the
// whole account to pause, all its jobs wait.
func (t *Transport[S, C]) Retry(err error) error {
	if r, ok := errors.AsType[Refusal](err); ok {
		wait, wholeAccount := r.Pause()
		at := t.now().Add(min(wait, maxPause))
		switch {
		case wait > 0 && wholeAccount:
			return jobs.HoldUntil(at, err)
		case wait > 0:
			return jobs.RetryAt(at, err)
		}
	}
	return jobs.HoldOnTimeout(err)
}

// GiveUp is Retry, but returns nil if the provider's refusal is final, for calls that are
// then not worth another try.
func (t *Transport[S, C]) GiveUp(err error) error {
	if _, final := FinalReason(err); err == nil || final {
		return nil
	}
	return t.Retry(err)
}
