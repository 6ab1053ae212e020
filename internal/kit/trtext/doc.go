// Package trtext turns Turkish text into search terms.
//
// It lowercases by Turkish rules (I→ı, İ→i), cuts a word at its apostrophe
// (Türkiye'nin → türkiye), folds every letter to plain ASCII where Turkish
// readers do so when they type in a hurry (ş→s, ı→i, â→a …), finds words with
// their byte offsets, and strips inflection.
//
// Invariants:
//   - Folding comes before stemming, so text typed with and without diacritics
//     gives the same terms; nothing downstream needs to know which it was.
//   - Offsets are byte offsets into the text as given and always fall on rune
//     boundaries, so that a caller can cut highlights out of the original.
//   - Every function is pure and total: any byte string is accepted, invalid
//     UTF-8 included.
//
// It refuses to be a morphological analyser: there is no dictionary here, and
// a stem is a key to match by, not a word to show.
package trtext
