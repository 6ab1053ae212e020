// Package email is the e-mail channel: mailboxes of a workspace whose mail
// becomes conversations, and answers that are sent as mail.
//
// Incoming mail. A mail arrives by SMTP at a mailbox's forwarding address, or
// is fetched by IMAP from an external mailbox. Accept stores it raw, with a
// job, before the sender is told that it was accepted; the job parses it
// (message.Parse), finds its conversation (message.FindConversation) and hands it to the
// inbox. A mail that cannot be read stays in the store of failed mail with its
// reason; a mail that should not become a message (a bounce, our own mail that
// came back) is kept there too, with its kind.
//
// Outgoing mail. Take gives an answer its Message-ID and its place in the
// thread in the transaction that writes it; a job sends it, through the
// mailbox's own server or the operator's (the relay). A repeated attempt has
// the same id. Through the relay a mailbox sends from its own address only once
// the workspace has proven that it owns the address, by a mailed code or by a
// DNS record of the domain. Until then its mail is sent from an address of the
// operator.
//
// Invariants: an accepted mail is stored exactly once, whatever crashes when; a
// mail is only threaded within its workspace and its mailbox; a machine never
// gets an automatic answer, and a person at most one a day; an address that is
// merely named in a mail gets no copies of answers until an agent agrees.
package email
