package search

// The limits below bound the cost of a query: whatever is typed, no more than these numbers
// of words, lists and postings are examined.
const (
	maxFields    = 8
	maxWords     = 96        // words of a query that are read
	maxTerms     = 256       // weighted terms after synonyms and levels
	maxPostings  = 6_000_000 // postings added up; the heaviest terms come first
	maxFixes     = 3         // misspelt words looked up
	minBegin     = 2         // minimum letters of an unfinished word
	maxBegun     = 64        // words that begin with it
	begunWeight  = .5        // weight of such a word; a whole word's stem has 1
	rescoreDepth = 100       // documents checked again for neighbouring words
	maxLimit     = 1000      // hits in one answer
	maxDepth     = 10_000    // hits that a cursor may reach
	floorShare   = .2        // of the best score: a lower score is not a hit
)
