package sipexchange

import (
	"errors"
	"fmt"
)

// trunkFault is why a line does not work: a code word and a sentence, both ours. Messages
// of the network or a server, with their addresses, appear in neither.
type trunkFault struct{ code, says string }

// Error implements error.
func (f trunkFault) Error() string { return f.code + ": " + f.says }

// The reasons why a line does not work.
var (
	errNeedsPassword  = trunkFault{"needs_password", "The server asks for a password that is not known: give it again"}
	errWrongPassword  = trunkFault{"wrong_password", "The server refuses the password"}
	errUnknownProof   = trunkFault{"unsupported", "The server asks for a proof that is not known here"}
	errNoAddress      = trunkFault{"no_address", "The name of the server has no address"}
	errRefusedAddress = trunkFault{"refused_address", "Lines may not lead to the address of this server"}
	errUnreachable    = trunkFault{"unreachable", "The server does not answer"}
	errConnectionLost = trunkFault{"connection_lost", "The server closed the connection"}
	errNoTLS          = trunkFault{"no_tls", "The server does not speak TLS with us"}
	errCertificate    = trunkFault{"certificate", "The server's certificate does not prove that it is the server that was named"}
)

// refusedBy returns the fault of a server that answered with a status.
func refusedBy(status int) error {
	return trunkFault{"refused", fmt.Sprintf("The server answered %d", status)}
}

// faultText returns the text of an error for people; "" for nil.
func faultText(err error) string {
	if err == nil {
		return ""
	}
	if f, ok := errors.AsType[trunkFault](err); ok {
		return f.Error()
	}
	return errUnreachable.Error()
}
