// Package origin checks whether an incoming mail is really from its claimed sender (SPF,
// DKIM, DMARC), and whether others regard it or its sender as junk (block lists, rspamd).
//
// Invariants:
//   - A mail is refused or treated as junk if its domain requests that by DMARC. Every
//     domain in From is checked, and the strictest policy wins.
//   - A check without a result is no reason to refuse a mail, and is recorded as such.
//   - A check looks up a bounded number of names, verifies a bounded number of
//     signatures, and ends in time, whatever other servers do.
package origin
