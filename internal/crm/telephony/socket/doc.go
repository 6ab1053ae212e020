// Package socket is the WebSocket of a person who telephones: it shows the calls that
// go on, tells what happens to them by the workspace's sequence, and takes commands
// for one's own calls.
//
// A page cannot send a header with a WebSocket, and a session's token has no place in
// an address. So a signed-in person asks for a ticket, which opens one socket within
// 30 seconds and travels as a subprotocol. The socket lasts no longer than the session
// that the ticket came from.
package socket
