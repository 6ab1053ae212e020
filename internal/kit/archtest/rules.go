package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A rule finds what is wrong with a file, or with all files together.
type rule struct {
	name     string
	check    func(*file) []string
	checkAll func([]*file) []string
}

var rules = []rule{
	{name: "imports run one way", check: importsOneWay},
	{name: "only app and cmd know several modules", check: fewModules},
	{name: "SQL stays in stores", check: sqlInStores},
	{name: "HTTP stays in api files", check: httpInAPI},
	{name: "no sleeping", check: noSleep},
	{name: "no init functions", check: noInit},
	{name: "time and ids come from kit/clock", check: injectedTime},
	{name: "few reasons to cross tenants", check: knownSystemCallers},
	{name: "no transaction inside a transaction", check: noNestedTx},
	{name: "files stay short", check: shortFiles},
	{name: "tables have owners", check: tablesHaveOwners},
	{name: "identity runs one way", check: identityOneWay},
	{name: "packages stay small", checkAll: smallPackages},
}

// check applies every rule to every file and returns the faults by rule.
func check(root fs.FS) (map[string][]string, error) {
	files, err := readTree(root)
	if err != nil {
		return nil, err
	}
	faults := map[string][]string{}
	for _, r := range rules {
		for _, f := range files {
			if r.check != nil {
				faults[r.name] = append(faults[r.name], r.check(f)...)
			}
		}
		if r.checkAll != nil {
			faults[r.name] = append(faults[r.name], r.checkAll(files)...)
		}
	}
	return faults, nil
}

// importsOneWay enforces kit ← modules ← app. Tests outside the kit may import a neighbour
// or a sandbox: what they need is not what the product needs.
func importsOneWay(f *file) (faults []string) {
	from := areaOf(f.dir)
	if f.test && from.kind != areaKit {
		return nil
	}
	for _, i := range f.imports {
		to, ok := areaOfImport(i.path)
		if !ok {
			continue
		}
		if fault := faultOfImport(from, to); fault != "" {
			faults = append(faults, f.at(i.pos)+": "+fault)
		}
	}
	return faults
}

// fewModules also covers providers, each of which implements the interface of one module.
func fewModules(f *file) []string {
	switch areaOf(f.dir).kind {
	case areaApp, areaCmd, areaTools:
		return nil
	}
	if f.test {
		return nil
	}
	modules := map[string]bool{}
	for _, i := range f.imports {
		if to, ok := areaOfImport(i.path); ok && to.kind == areaModule && to != exchangeInterface {
			modules[to.name] = true
		}
	}
	if len(modules) < 2 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(modules)), ", ")
	return []string{fmt.Sprintf("%s: imports the modules %s; only internal/app and cmd may know several", f.path, names)}
}

// sqlPackages are the packages that speak to a database.
var sqlPackages = []string{"database/sql", "github.com/jackc/pgx", "modernc.org/sqlite"}

// statement recognises a string that is sent to a database. Keywords must be in one case: a
// sentence such as "Select a channel from the list" does not match.
var statement = regexp.MustCompile(`^\s*(` +
	`SELECT\s[\s\S]*\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\s*\(|` +
	`select\s[\s\S]*\sfrom\s[\s\S]*\swhere\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)`)

// sqlInStores looks for drivers and for statements: the kit's transactions take SQL as a
// string, which needs no import.
func sqlInStores(f *file) (faults []string) {
	store := strings.HasPrefix(path.Base(f.path), "store")
	if f.syntax == nil || f.test || store || areaOf(f.dir).kind == areaKit {
		return nil
	}
	for _, i := range f.imports {
		if within(i.path, sqlPackages) {
			faults = append(faults, f.at(i.pos)+": imports "+i.path+" outside a store*.go file")
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil && statement.MatchString(text) {
			faults = append(faults, f.at(lit.Pos())+": SQL outside a store*.go file")
		}
		return true
	})
	return faults
}

// httpPackages bring HTTP types into a file.
var httpPackages = []string{"net/http", "github.com/danielgtaylor/huma", "github.com/go-chi/chi"}

func httpInAPI(f *file) (faults []string) {
	if f.test || areaOf(f.dir).kind != areaModule || strings.HasPrefix(path.Base(f.path), "api") {
		return nil
	}
	for _, i := range f.imports {
		if within(i.path, httpPackages) {
			faults = append(faults, f.at(i.pos)+": imports "+i.path+" outside an api*.go file")
		}
	}
	return faults
}

// noSleep is meant for tests above all: they wait for the thing itself.
func noSleep(f *file) (faults []string) {
	for _, pos := range f.uses("time", "Sleep") {
		faults = append(faults, f.at(pos)+": time.Sleep; wait for the thing itself, or for a timer beside a context")
	}
	return faults
}

func noInit(f *file) (faults []string) {
	if f.syntax == nil {
		return nil
	}
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			faults = append(faults, f.at(fn.Pos())+": func init; let internal/app call what must happen at start")
		}
	}
	return faults
}

// injectedTime keeps tests deterministic and allows demo data to be written in the past.
// Identifiers made from known content (NewSHA1, Parse) are allowed.
func injectedTime(f *file) (faults []string) {
	kind := areaOf(f.dir).kind
	if f.test || f.dir == "internal/kit/clock" || kind == areaCmd || kind == areaTools {
		return nil
	}
	for _, pos := range f.uses("time", "Now", "Since", "Until") {
		faults = append(faults, f.at(pos)+": reads the real clock; take a clock.Source")
	}
	for _, pos := range f.uses("github.com/google/uuid", "New", "NewString", "NewRandom", "NewUUID", "NewV6", "NewV7") {
		faults = append(faults, f.at(pos)+": makes an id; take a clock.Source")
	}
	return faults
}

// within reports whether a package is one of those listed or lies below one.
func within(importPath string, packages []string) bool {
	return slices.ContainsFunc(packages, func(p string) bool {
		return importPath == p || strings.HasPrefix(importPath, p+"/")
	})
}
