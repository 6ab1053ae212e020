// Package email is the e-mail channel: mailboxes of a workspace whose mail
// becomes conversations, and answers that go out as mail.
//
// The way in. A mail arrives by SMTP at the forwarding address of each
// mailbox, or is fetched by IMAP from a mailbox elsewhere. Accept stores it
// raw, with a job, before anybody is told that it was taken; the job reads it
// (message.Parse), finds its conversation (message.Settle) and hands it to the
// inbox. What cannot be read stays in the store of failed mail with its
// reason; what should not become a message (a bounce, our own mail that came
// back) is kept there too, with what it was.
//
// The way out. Take gives an answer its Message-ID and its place in the thread
// in the transaction that writes it; a job sends it, over the mailbox's own
// server or the operator's (the relay). A repeated attempt carries the same id.
// Over the relay a mailbox sends as itself only once the workspace has shown
// that the address is its own, by a mailed code or by a DNS record of the
// domain. Until then its mail leaves from an address of the operator's.
//
// What always holds: an accepted mail is there once, whatever crashes when; a
// mail is only ever threaded within its workspace and its mailbox; a machine
// never gets an automatic answer, and a person one a day at most; who only stands
// in a mail gets no copy of answers before an agent agreed.
package email
