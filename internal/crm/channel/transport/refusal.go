package transport

import (
	"errors"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// Why a message failed, beside the provider's words.
const (
	ReasonUnavailable = "channel_unavailable"
	ReasonToken       = channel.TokenExpired
)

// ErrUnavailable says that the account is not there any more, or paused.
var ErrUnavailable = errors.New(ReasonUnavailable)

// Refusal is a provider's no. Any other error of a provider's call means that nobody
// knows what became of the call.
type Refusal interface {
	error
	// Passing says that the same call may succeed later.
	Passing() bool
	// Auth says that the token opens nothing any more.
	Auth() bool
	// WindowClosed says that the customer wrote too long ago for free text.
	WindowClosed() bool
	// Words are what a person is told.
	Words() string
	// Pause is how long the provider asks us to wait, 0 where it does not say, and
	// whether it asks this of the whole account.
	Pause() (wait time.Duration, wholeAccount bool)
}

// FinalReason says why a call failed, where trying again is no use.
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

// Unreachable is the fault where the provider is not there, busy, or says no.
func Unreachable(err error) error {
	words := "timeout"
	if r, ok := errors.AsType[Refusal](err); ok {
		words = r.Words()
	}
	return fault.New(fault.ProviderRejected, words).Wrap(err)
}

// FaultOf is what somebody is told who waits for a provider's call that failed with
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

// maxPause is the longest pause that a provider is given.
const maxPause = time.Hour

// Retry is the error by which a job tries again after err. Where the provider asks the
// whole account for a pause, all its jobs wait.
func (t *Transport) Retry(err error) error {
	if r, ok := errors.AsType[Refusal](err); ok {
		wait, wholeAccount := r.Pause()
		at := t.DB.Clock().Now().Add(min(wait, maxPause))
		switch {
		case wait > 0 && wholeAccount:
			return jobs.HoldUntil(at, err)
		case wait > 0:
			return jobs.RetryAt(at, err)
		}
	}
	return jobs.HoldOnTimeout(err)
}

// GiveUp is Retry for calls that are not worth another try once the provider refused
// them: then it is nil.
func (t *Transport) GiveUp(err error) error {
	if _, final := FinalReason(err); err == nil || final {
		return nil
	}
	return t.Retry(err)
}
