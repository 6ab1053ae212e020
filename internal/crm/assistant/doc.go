// Package assistant answers customers from the workspace's own texts, hands
// conversations over to people, and writes summaries for agents.
//
// The transaction that writes a customer's message on an account with the
// assistant enqueues a job (Queue). The job reads the conversation, lets the
// engine look for an answer outside of any transaction, and then decides again
// under the conversation's lock: it writes the answer, or hands the conversation
// over with a reason. The same transaction writes a row that names the message,
// so no message is answered twice, whatever crashes in between.
//
// It never answers notes, automatic messages, blocked contacts, records of the
// test environment, closed or owned conversations, or a message after which
// somebody else wrote. It writes a limited number of answers in a conversation,
// and never closes one.
package assistant
