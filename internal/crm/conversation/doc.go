// Package conversation is the gate of the inbox: what a workspace and its
// customers write to each other, on every channel.
//
// A conversation changes only through this package, whether the change comes from
// the panel, the public API, a channel, the assistant or a macro. Transitions
// (transition.go) is the whole state machine; each row of it is one transaction that
// writes the record, its timeline item and its events. A repeat that would change
// nothing writes and announces nothing.
//
// For other packages: Lock locks the row of a conversation until the transaction
// ends; Move applies a transition to it; Start begins a new one;
// ReceiveCustomerMessage, AddAnswer, AddNote and RecordEvent add to its timeline.
// A Step is one change of a locked conversation, and Apply runs several. Channels
// implement Router to deliver what agents write; a router that also implements
// Reactor carries reactions.
//
// Below it are stores (file, later, draft, group, count). Above it are inbound, survey, whole,
// edit, airecord, export and card, then reply, which sends, and inboxapi, which
// has the routes.
//
// Invariants: a contact has one conversation on a messaging account, and a provider's
// message has one item, both by database constraints; an owner is one of the agents
// who joined; counters (badge, counts) change in the transaction that changes what
// they count.
package conversation
