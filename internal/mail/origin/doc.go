// Package origin finds out whether a mail that comes in is from whom it says it is
// (SPF, DKIM, DMARC), and whether others take its sender for one of junk (block lists,
// rspamd).
//
// Invariants:
//   - A mail whose domain asks for it by DMARC is refused or taken for junk. Every
//     domain in From counts, and the strictest wins.
//   - What cannot be found out is no reason to refuse a mail, and is recorded as such.
//   - A check asks for a bounded number of names, verifies a bounded number of
//     signatures, and ends in time, whatever other servers do.
package origin
