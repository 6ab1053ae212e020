package engine

import (
	"errors"

	"konak/internal/kit/outbound"
	"konak/internal/kit/smtpd"
)

// Konak's own answers for a recipient start with an enhanced status code (RFC 3463), those
// of another server with its reply code. The panel has a text for each status code that
// Konak uses.
const (
	answerLate       = "4.4.7 The mail could not be delivered in time"
	answerNotStored  = "4.3.0 The mail could not be stored here yet"
	answerEncryption = "4.7.5 The domain requires encryption, but its server has no valid certificate"
	answerNoDomain   = "5.1.2 The domain does not exist"
	answerAddresses  = "5.6.7 The server does not accept non-ASCII addresses"
	answerHeader     = "5.6.7 The server does not accept a non-ASCII header"
	answerText       = "5.6.3 The server does not accept a non-ASCII text"
)

// connectionAnswer returns the reason why no server of a destination could be talked to.
func connectionAnswer(err error) string {
	if o, notSaid := readAnswer(err); notSaid == nil {
		return o.Answer // refused before the first recipient was sent
	}
	switch {
	case errors.Is(err, errNotInPolicy):
		return errNotInPolicy.Error()
	case errors.Is(err, errTLS):
		return answerEncryption
	}
	class, text := outbound.Class(err)
	status := "4.4.2"
	switch class {
	case outbound.ClassTimeout:
		status = "4.4.1"
	case outbound.ClassDNS:
		status = "4.4.3"
	case outbound.ClassRefused:
		status = "4.4.4"
	case outbound.ClassTLS:
		status = "4.7.5"
	case outbound.ClassBody:
		status = "4.5.0"
	}
	return status + " " + text
}

// ownAnswer returns our answer as a text for a mail that did not arrive over a connection.
func ownAnswer(err *smtpd.Error) string {
	status := err.Enhanced
	switch err {
	case errForwarding:
		status = "5.7.0"
	case errNotYours:
		status = "5.1.8"
	}
	return status + " " + err.Message
}
