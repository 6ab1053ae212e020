package email

import (
	"fmt"
	"io"
	"testing"

	"konak/internal/crm/email/message"
)

// Only an error about the mail itself makes it fail; after any other error the mail is read
// again.
func TestReasonOf(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		nil:                            "",
		io.ErrUnexpectedEOF:            "",
		fmt.Errorf("disk: %w", io.EOF): "",
		message.ErrEmpty:               ReasonEmpty,
		message.ErrNoSender:            ReasonNoSender,
		message.ErrTooDeep:             ReasonTooDeep,
		message.ErrTooManyParts:        ReasonTooMany,
		message.ErrLongHeader:          ReasonLongHeader,
		fmt.Errorf("%w: it has no header", message.ErrUnreadable): ReasonUnreadable,
	} {
		if got := reasonOf(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
