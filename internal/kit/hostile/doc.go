// Package hostile provides the servers that tests run our clients against: peers on a local
// port that speak SMTP, IMAP, HTTP or S3 correctly up to one phase of the protocol and then
// misbehave in one manner.
//
// Every module that talks to the outside is tested with each phase and each manner of its
// protocol. A client passes if it ends with its context, whatever the peer does, and reads
// no more than the protocol allows.
package hostile
