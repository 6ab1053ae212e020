package archtest

import (
	"slices"
	"strings"
)

// identityImports lists the allowed imports inside identity; they go one way. The parts
// build on the heart, and the heart imports only parts that do not need it. A part that is
// not listed may not be imported yet.
var identityImports = map[string][]string{
	"":         {"notice", "password"},
	"captcha":  {},
	"notice":   {},
	"password": {},
	"oauth":    {""},
	"signin":   {"", "captcha", "notice", "password", "totp"},
	"totp":     {},
}

// identityOneWay checks the parts of identity against identityImports.
func identityOneWay(f *file) (faults []string) {
	part, ok := identityPart(f.dir)
	if !ok || f.test {
		return nil
	}
	for _, i := range f.imports {
		to, ok := identityPart(strings.TrimPrefix(i.path, module+"/"))
		if ok && to != part && !slices.Contains(identityImports[part], to) {
			faults = append(faults, f.at(i.pos)+": identity/"+part+" may not import identity/"+to+": see identityImports")
		}
	}
	return faults
}

// identityPart returns the part of identity that a folder contains, "" for the heart.
func identityPart(dir string) (string, bool) {
	if dir == "internal/identity" {
		return "", true
	}
	return strings.CutPrefix(dir, "internal/identity/")
}
