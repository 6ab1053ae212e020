// Package dlp finds what must not leave a company in a message: keywords,
// patterns, card numbers, IBANs, Turkish identity and tax numbers, telephone
// numbers, e-mail addresses and file types.
//
// Compile builds a Scanner from rules. The scanner reads a message given in fields
// (ScanMessage) or as raw MIME (ScanMail) and returns a Report: which rule
// matched where and how often, with masked samples, and which parts it could
// not read. Redact masks the matches in a text.
//
// Invariants:
//   - Every part of a message is scanned to its end, or the report has an
//     Unscanned entry that says which part was not and why.
//   - Bytes, parts, depth and compression ratio are limited by Limits, and the
//     time by the context. Anything beyond a limit is reported as Unscanned.
//   - A report never contains a matched value: samples are masked, and a keyed
//     hash represents the value.
//   - Text is compared after NFKC, without invisible characters, and with
//     İ, I, ı and i as one letter.
//
// The package has no database and knows nothing of tenants, actions or
// exceptions. It does not read text in pictures or decrypt anything.
package dlp
