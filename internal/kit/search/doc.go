// Package search is an in-memory full-text index for Turkish text: the
// regulations of the advisor, conversations, contacts, help articles, and what
// an assistant retrieves before it answers.
//
// A document has an id, text fields, small attributes to filter and count by,
// numbers to filter by range, and a prior. Words are indexed at three levels:
// as written (folded), as stem, and as the first letters of the stem. BM25F
// over the fields is computed once when a document is added and kept as one
// byte per posting (its impact), so that a query only adds up bytes; document
// frequencies are read at query time. The best hundred are then checked again
// for words that are next to each other.
//
// Invariants:
//   - A Snapshot never changes. Index swaps whole snapshots, so a search sees
//     one revision only, which its answer names.
//   - Field length averages are frozen when the first segment is built and are
//     shared by all later ones; impacts of old and new documents are therefore
//     comparable and segments merge without their source text.
//   - Order is by score, then by id: the same query on the same revision gives
//     the same list on every node, whatever was merged when.
//   - The work of one query is bounded by the limits in limits.go and does not
//     depend on time; any byte string is a valid query.
//
// It does not keep source text (callers have it; Matcher cuts the snippets),
// does not lock searches while writing, and refuses a file that does not verify.
package search
