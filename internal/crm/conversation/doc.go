// Package conversation is the inbox: what a workspace and its customers write
// to each other, on every channel.
//
// The gate. A conversation changes only through this package, whoever asks:
// panel, public API, channels, the assistant, macros, rules. Transitions
// (transition.go) is the whole state machine; each row of it is one
// transaction that writes the record, its timeline item and its events. A
// repeat that would change nothing writes and announces nothing.
//
// For other rooms: Ingest takes what a customer wrote on a channel; Comment,
// Escalate and the rest act on a conversation by id; Router is what a channel
// implements to deliver what agents write, and Delivered is how it reports.
//
// What always holds: one conversation of a contact on a messaging account and
// one item for a provider's message, both by constraints of the database; an
// owner is one of the agents who joined; counters (badge, counts) change in
// the transaction that changes what they count.
package conversation
