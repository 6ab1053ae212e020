package engine

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"konak/internal/kit/outbound"
)

// Every outcome without an answer from another server has its own status, and the panel has
// a text for it.
func TestOutcomesWithoutServerAnswer(t *testing.T) {
	t.Parallel()
	screen, err := os.ReadFile("../../../web/src/modules/mail/queue.ts")
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		connectionAnswer(context.DeadlineExceeded):                            "4.4.1",
		connectionAnswer(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}): "4.4.2",
		connectionAnswer(io.EOF):                                              "4.4.2",
		connectionAnswer(&net.DNSError{Err: "server misbehaving"}):            "4.4.3",
		connectionAnswer(outbound.ErrInside):                                  "4.4.4",
		connectionAnswer(outbound.ErrTooMuch):                                 "4.5.0",
		connectionAnswer(errNotInPolicy):                                      "4.7.5",
		connectionAnswer(errors.Join(errTLS, io.EOF)):                         "4.7.5",
		errNoServer.Error():                                                   "5.1.10",
		answerLate:                                                            "4.4.7",
		answerNotStored:                                                       "4.3.0",
		answerNoDomain:                                                        "5.1.2",
		answerAddresses:                                                       "5.6.7",
		answerText:                                                            "5.6.3",
		ownAnswer(errPaused):                                                  "4.2.1",
		ownAnswer(errFull):                                                    "4.2.2",
		ownAnswer(errUnknown):                                                 "5.1.1",
		ownAnswer(errNotYours):                                                "5.1.8",
		ownAnswer(errHeader):                                                  "5.3.4",
		ownAnswer(errLoop):                                                    "5.4.6",
		ownAnswer(errForwarding):                                              "5.7.0",
		ownAnswer(errPolicy):                                                  "5.7.1",
	} {
		if status, _, _ := strings.Cut(answer, " "); status != want {
			t.Errorf("%q: want %s", answer, want)
		}
		if !strings.Contains(string(screen), "'"+want+"':") {
			t.Errorf("the panel has no words for %s", want)
		}
	}
}
