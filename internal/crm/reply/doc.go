// Package reply sends what agents, programs and the assistant write: answers and
// notes, new conversations, templates, forwarded messages, reactions, scheduled
// messages. It finds the route to the customer, writes through package
// conversation and hands the message to the router in the same transaction.
//
// An answer without a route is refused and leaves nothing behind; a conversation
// that an agent begins is created even if its message cannot be delivered.
package reply
