// Package mail is mail administration: data-loss prevention (rules, exceptions,
// incidents, and the Policy that everything that sends e-mail asks), the journal,
// privacy requests and the settings.
//
// Invariants:
//   - An address has at most one exception in a workspace, regardless of case.
//   - A mail is checked right before it is handed over, as a whole and in every
//     attempt. All findings in a whole mail form one incident.
//   - A sender's exception skips the rules for the message, a recipient's for
//     that recipient's copy only.
//   - A mail with a part that cannot be scanned is quarantined.
//   - An incident never holds a matched value, only masked samples.
//   - Nothing is scanned in a workspace without an enabled rule.
package mail
