// Package engine is the embedded mail server: mailboxes submit their mail to it, and it
// delivers that mail.
//
// It serves the installation's one SMTP listener. A session that signs in sends as a
// mailbox; any other brings incoming mail, which goes to the inbox of the CRM, or to the
// targets of a mailbox that forwards.
//
// Invariants:
//   - A mailbox sends only as itself or as an address that it has a grant for, in the
//     envelope and in the mail.
//   - The policy checks a mail before the sender is told that it was accepted. If the
//     policy cannot be asked, the mail is refused temporarily.
//   - A mail answered with 250 is in the queue, and in the journal if the workspace
//     keeps one: both are written in one transaction.
//   - A mail has one job for each destination, so that no destination waits for
//     another. Copies that a server accepted are in the job's receipt and are not sent
//     again.
//   - A failed recipient is reported once, in the transaction that gives up. Failed
//     reports are not reported.
package engine
