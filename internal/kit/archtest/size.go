package archtest

import (
	"fmt"
	"maps"
	"slices"
)

const (
	// longestFile is where a file asks to be split along the domain; a test may
	// be longer.
	longestFile = 500
	longestTest = 700
	// largestPackage bounds the lines of a Go package without its tests.
	largestPackage = 5000
)

// stillTooLarge are the packages and files that are over their limit and may not
// grow: what they have now, and what is to happen.
var stillTooLarge = map[string]int{
	"internal/tools/bench/webhook.go": 528, // loses its raw receiver
}

// shortFiles holds every source file to its limit.
func shortFiles(f *file) []string {
	limit := longestFile
	if f.test {
		limit = longestTest
	}
	if f.generated || f.lines <= max(limit, stillTooLarge[f.path]) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d lines, more than %d; split it along the domain", f.path, f.lines, limit)}
}

// smallPackages holds every Go package to its limit.
func smallPackages(files []*file) (faults []string) {
	lines := map[string]int{}
	for _, f := range files {
		if f.syntax != nil && !f.test && !f.generated {
			lines[f.dir] += f.lines
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(lines)) {
		if limit := max(largestPackage, stillTooLarge[dir]); lines[dir] > limit {
			faults = append(faults, fmt.Sprintf("%s: %d lines without tests, more than %d; split it along the domain", dir, lines[dir], limit))
		}
	}
	return faults
}
