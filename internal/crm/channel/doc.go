// Package channel manages the workspace's accounts on channels: a mailbox, a
// number, a chat widget, a system of the customer's own.
//
// An account changes only through this package's gate, which writes the
// record, its audit line and channel.status_changed in one transaction. A
// disconnected account loses its credentials and its key for good, but its record
// stays, because conversations refer to it.
//
// This package knows no channel. A kind of channel is a folder below it that
// implements Kind and is added by the app (docs/how-to-add-a-channel.md); the
// Service composes them into the one conversation.Router. Secrets are stored
// next to the record and are never part of it: credentials sealed, keys hashed.
package channel
