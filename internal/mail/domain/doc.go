// Package domain is a workspace's mail domains: which DNS records they need,
// whether those are there, and who a domain belongs to.
//
// Invariants:
//   - A domain is the workspace's own once the ownership record, which nobody else
//     can know, was seen at the servers that are responsible for it. One workspace
//     at most has a domain; others may have it as pending.
//   - A round is one look at all records. What a server does not answer says
//     nothing: it never makes a record missing that was there.
//   - An active domain stays so until two rounds in a row found a mandatory record
//     missing or wrong.
//   - Private keys are sealed and never leave the process.
package domain
