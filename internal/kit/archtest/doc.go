// Package archtest holds the rules of this repository that a machine can check.
//
// It reads the repository's sources, not the compiled packages, so that a whole check takes
// a fraction of a second and covers test files and files of other platforms too. Every rule
// is a row of the table in rules.go and has its own subtest; each also has a fixture tree
// in which it must find a fault, because a rule that cannot fail protects nothing.
//
// A rule that is in the way is changed here, in a commit that says why. There is no list of
// exceptions elsewhere.
package archtest
