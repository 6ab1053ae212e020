// Package domain manages a workspace's mail domains: which DNS records they need,
// whether those exist, who owns a domain, and the mailboxes at it.
//
// Invariants:
//   - A workspace owns a domain once the ownership record, which nobody else can
//     know, has been seen at the domain's authoritative servers. At most one
//     workspace owns a domain; others may have it as pending.
//   - A round is one lookup of all records. A server that does not answer proves
//     nothing: it never turns a record that was there into a missing one.
//   - An active domain stays active until two rounds in a row find a mandatory
//     record missing or wrong.
//   - A mailbox accepts mail only while its workspace owns the domain.
//   - Private keys are sealed and never leave the process.
package domain
