// Package conversation is the gate of the inbox: what a workspace and its
// customers write to each other, on every channel.
//
// A conversation changes only through this package, whoever asks: panel, public
// API, channels, the assistant, macros. Transitions (transition.go) is the whole
// state machine; each row of it is one transaction that writes the record, its
// timeline item and its events. A repeat that would change nothing writes and
// announces nothing.
//
// For other packages: Lock locks the row of a conversation until the transaction
// ends; Move takes it over a transition; Start begins a new one;
// ReceiveCustomerMessage, AddAnswer, AddNote and RecordEvent put something into
// its timeline. A Step is one change of a locked conversation, and Apply takes
// several. Router is what channels implement to deliver what agents write; a
// router that also implements Reactor carries reactions.
//
// Below it are stores (file, later, draft, group, count). Above it are inbound, survey, whole,
// edit, airecord, export and card, then reply, which sends, and inboxapi, which
// has the routes.
//
// What always holds: one conversation of a contact on a messaging account and
// one item for a provider's message, both by constraints of the database; an
// owner is one of the agents who joined; counters (badge, counts) change in
// the transaction that changes what they count.
package conversation
