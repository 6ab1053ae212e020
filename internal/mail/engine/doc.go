// Package engine is the embedded mail server: mailboxes hand their mail over to it,
// and it sends their mail on.
//
// It speaks on the installation's one SMTP listener. A session that signs in sends as
// a mailbox; any other brings mail, which goes to the inbox of the CRM, or on to where
// a mailbox forwards.
//
// Invariants:
//   - A mailbox sends only as itself or as an address that it has a grant for, in the
//     envelope and in the mail.
//   - The policy has judged a mail before the sender is told that it was taken. Where
//     it cannot be asked, the mail is put off.
//   - What was answered with 250 is in the queue, and in the journal where the
//     workspace keeps one: both are written in one transaction.
//   - A mail has one job for each destination, so that no destination waits for
//     another. What a server accepted is the job's receipt and is not sent again.
//   - Who cannot be reached is reported once, in the transaction that gives up. A
//     report is never reported on.
package engine
