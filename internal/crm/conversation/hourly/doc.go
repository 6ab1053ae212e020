// Package hourly keeps what happened in the conversations of a workspace by the
// hour and channel: messages received and sent, conversations opened and closed,
// and how long first answers took. The gate writes it in the transaction that
// does the thing, so that the numbers of the home screen are read and never
// counted. It owns the table conversation_hour.
//
// What was written with a test key is not in it. Hours older than Kept are
// removed by the conversations that begin later.
package hourly
