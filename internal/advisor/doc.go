// Package advisor knows legislation: laws, their provisions, how people cite
// them, and how to rank them for a question.
//
// The engine is pure: it reads a corpus, parses citations, and turns provisions
// into documents of kit/search and questions into queries. The rest builds on it:
// the corpus in the database (store*.go), its gate (service_import.go), the
// worker that keeps the engine at the newest revision (service.go) and the
// routes (api.go).
//
// Invariants:
//   - A law is identified by its id. Its number is no key: a statute, a decree
//     and a repealed law may have the same one.
//   - Engine answers from one state: the laws it names and the provisions it
//     finds belong to the same revision.
//   - A revision is all or nothing. Until its final transaction, an import writes
//     only versions above the last revision, and versions are never overwritten,
//     so an answer of an older revision still finds its texts.
//   - The index file is only a copy. If anything is wrong with it, the engine is
//     built from the database.
//   - The corpus belongs to no workspace: these are the module's only tables.
//   - Every ranking rule is general and has its line in the ablation table of
//     docs/advisor-ranking.md.
//
// It does not give legal advice: it finds the text and says where it is.
package advisor
