package search

// The bounds below make the cost of a query a matter of arithmetic: whatever is
// typed, no more than these many words, lists and postings are looked at.
const (
	maxFields    = 8
	maxWords     = 96        // words of a query that are read
	maxTerms     = 256       // weighted terms after synonyms and levels
	maxPostings  = 6_000_000 // postings added up; the heaviest terms come first
	maxFixes     = 3         // misspelt words looked up
	minBegin     = 2         // letters from which a word may be unfinished
	maxBegun     = 64        // words that begin with it
	begunWeight  = .5        // of such a word, beside a whole one's stem at 1
	rescoreDepth = 100       // documents looked at again for neighbouring words
	maxLimit     = 1000      // hits in one answer
	maxDepth     = 10_000    // hits that a cursor may reach
	floorShare   = .2        // of the best score: what scores less is no hit
)
