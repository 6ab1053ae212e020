// Package advisor knows legislation: laws, their provisions, how people cite
// them, and how to rank them for a question.
//
// This part of the room is pure. It reads a corpus, parses citations, turns
// provisions into documents of kit/search and questions into queries. SQL and
// HTTP live in store.go and api.go on top of it.
//
// Invariants:
//   - A law is known by its id. Its number is no key: a statute, a decree and a
//     repealed law may bear the same one.
//   - Engine answers from one state: the laws it names and the provisions it
//     finds belong to the same revision.
//   - Every ranking rule is general and has its line in the ablation table of
//     docs/advisor-ranking.md.
//
// It refuses to give legal advice: it finds the text and says where it stands.
package advisor
