package archtest

import (
	"fmt"
	"maps"
	"slices"
)

const (
	// longestFile is the number of lines above which a file must be split along the domain;
	// a test may be longer.
	longestFile = 500
	longestTest = 700
	// largestPackage bounds the number of lines of a Go package without its tests.
	largestPackage = 5000
)

// shortFiles checks every source file against its limit.
func shortFiles(f *file) []string {
	limit := longestFile
	if f.test {
		limit = longestTest
	}
	if f.generated || f.lines <= limit {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d lines, more than %d; split it along the domain", f.path, f.lines, limit)}
}

// smallPackages checks every Go package against its limit.
func smallPackages(files []*file) (faults []string) {
	lines := map[string]int{}
	for _, f := range files {
		if f.syntax != nil && !f.test && !f.generated {
			lines[f.dir] += f.lines
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(lines)) {
		if lines[dir] > largestPackage {
			faults = append(faults, fmt.Sprintf("%s: %d lines without tests, more than %d; split it along the domain", dir, lines[dir], largestPackage))
		}
	}
	return faults
}
