// Package assistant answers customers from the workspace's own texts, hands
// conversations over to people, and writes summaries for agents.
//
// The transaction that writes a customer's message on an account with the
// assistant leaves a job (Queue). The job reads what is known, lets the engine
// look for an answer outside of any transaction, and then decides once more under
// the conversation's lock: it writes the answer, or hands the conversation over
// with a reason. The same transaction writes a row that names the message, so no
// message is answered twice, whatever dies in between.
//
// It never answers notes, what machines wrote, blocked contacts, records of the
// test environment, closed or owned conversations, or a message after which
// somebody else wrote. It writes at most so many answers in a conversation, and
// it closes none.
package assistant
