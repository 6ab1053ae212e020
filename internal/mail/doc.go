// Package mail is mail administration. Today it is data-loss prevention: rules,
// exceptions, incidents, and the Policy that every sender of e-mail asks.
//
// Invariants:
//   - An address has one exception in a workspace, whatever its case.
//   - A mail is judged right before it is handed over, as a whole and in every
//     attempt. What is found makes one incident for each mail.
//   - A sender's exception skips the rules for the message, a recipient's for
//     that recipient's copy only.
//   - A part that cannot be scanned keeps a mail in quarantine.
//   - An incident never holds a value that was found, only masked samples.
//   - A workspace without an enabled rule is not scanned at all.
package mail
