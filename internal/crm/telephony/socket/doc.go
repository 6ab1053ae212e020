// Package socket is the WebSocket of a person who makes calls: it shows the calls in
// progress, sends their events by the workspace's sequence, and takes commands for the
// person's own calls.
//
// A page cannot send a header with a WebSocket, and a session's token must not be in an
// address. So a signed-in person asks for a ticket, which opens one socket within 30
// seconds and is sent as a subprotocol. The socket lasts no longer than the session that
// the ticket came from.
package socket
