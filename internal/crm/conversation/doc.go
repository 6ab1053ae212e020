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
// implements to deliver what agents write, and Delivered is how it reports. A
// router that also implements Reactor carries reactions; CustomerReacted takes
// those of customers.
//
// Files. A channel stores what a message brings with Prepare, before it calls
// Ingest, and names the results in Inbound.Attachments; Outgoing.Attachments are
// opened with ReadFile. People upload first and name the ids in their reply. A
// file belongs to one item, or to nobody for a day.
//
// E-mail. The e-mail channel gives the original in Inbound.Email: addresses,
// headers, the whole text, the HTML sanitised by it, and in RawBlobID the
// message as it came, put into the blob store before (no Hold: the gate holds
// it). For what goes out it calls KeepEmail in the transaction that reports the
// delivery. Outgoing.EmailCC is who gets a copy.
//
// What always holds: one conversation of a contact on a messaging account and
// one item for a provider's message, both by constraints of the database; an
// owner is one of the agents who joined; counters (badge, counts) change in
// the transaction that changes what they count.
package conversation
