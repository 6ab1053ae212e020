// Package line manages a workspace's own SIP line: its server, its login and its status.
//
// The password is passed to the exchange, and neither stored nor logged here. If the
// exchange does not have it, after a restore or a change of server or user, the line has
// the status needs_password.
package line
