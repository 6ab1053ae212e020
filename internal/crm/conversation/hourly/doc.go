// Package hourly keeps what happened in the conversations of a workspace by the
// hour and channel: messages received and sent, conversations opened and closed,
// and how long first answers took. The gate writes it in the transaction of the
// change, so that the home screen reads its numbers and never counts. It owns the
// table conversation_hour.
//
// Changes made with a test key are not counted. Hours older than Kept are removed
// when later conversations begin.
package hourly
