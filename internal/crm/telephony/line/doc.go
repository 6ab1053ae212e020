// Package line keeps a workspace's own SIP line: where it signs in, as whom, and how
// it is doing.
//
// The password is handed to the exchange and stored or logged nowhere here. Where the
// exchange does not have it, after a restore or when server or user changed, the
// line has the status needs_password.
package line
