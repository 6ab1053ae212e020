package meta

import (
	"fmt"
	"strings"
	"time"

	"konak/internal/crm/channel/transport"
)

var _ transport.Refusal = (*Refusal)(nil)

// Refusal is an error response from the provider.
type Refusal struct {
	Status     int
	Code       int
	Subcode    int
	Message    string
	Details    string
	Title      string // for people
	Text       string // for people
	Trace      string
	RetryAfter time.Duration
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("graph: %d (%d/%d) %s [%s]", r.Status, r.Code, r.Subcode, r.Words(), r.Trace)
}

// Words returns the explanation to show to people.
func (r *Refusal) Words() string {
	for _, text := range []string{r.Text, r.Details, r.Message, r.Title} {
		if text = strings.TrimSpace(text); text != "" {
			return fmt.Sprintf("%s (%d)", text, r.Code)
		}
	}
	return fmt.Sprintf("%d (%d)", r.Status, r.Code)
}

// Error codes of the provider.
const (
	codeUnknown       = 1
	codeService       = 2
	codeAppLimit      = 4
	codePermission    = 10
	codeUserLimit     = 17
	codePageLimit     = 32
	codeSendLimit     = 613
	codeAuth          = 190
	codeDenied        = 131005
	codeBusinessLimit = 80007
	codeMessageLimit  = 80006
	codeRateLimit     = 130429
	codeInternal      = 131000
	codeUnavailable   = 131016
	codeWindow        = 131047
	codePairLimit     = 131056
	codeSpamLimit     = 131048

	// CodeCallback means that our address did not answer the challenge.
	CodeCallback = 2200
	// CodeMissing with SubcodeMissing means that the object does not exist.
	CodeMissing    = 100
	SubcodeMissing = 33

	// subcodeWindow is a subcode of codePermission: the message is outside the window.
	subcodeWindow = 2018278
)

// WindowClosed reports whether the customer wrote too long ago for free text.
func (r *Refusal) WindowClosed() bool {
	return r.Code == codeWindow || r.Code == codePermission && r.Subcode == subcodeWindow
}

// Auth reports whether the token is no longer valid.
func (r *Refusal) Auth() bool {
	if r.WindowClosed() {
		return false
	}
	return r.Code == codeAuth || r.Code == codePermission || r.Code == codeDenied || r.Code >= 200 && r.Code < 300 || r.Status == 401
}

// Passing reports whether the same call may succeed later.
func (r *Refusal) Passing() bool {
	switch r.Code {
	case codeUnknown, codeService, codeAppLimit, codeUserLimit, codePageLimit, codeSendLimit, codeBusinessLimit, codeMessageLimit,
		codeRateLimit, codeInternal, codeUnavailable, codePairLimit, codeSpamLimit:
		return true
	}
	return r.Status == 429 || r.Status >= 500
}

// Pause implements transport.Refusal. The limit of messages to one customer affects no
// other customers.
func (r *Refusal) Pause() (wait time.Duration, wholeAccount bool) {
	return r.RetryAfter, r.Code != codePairLimit
}
