package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the import path of the repository's root.
const module = "konak"

// A file is one source file of the tree. Only Go files have a syntax tree.
type file struct {
	path      string // slash-separated, from the root
	dir       string
	lines     int
	test      bool
	generated bool

	fset    *token.FileSet
	syntax  *ast.File
	imports []imported
}

type imported struct {
	path string
	name string // its name in the file, including "." and "_"
	pos  token.Pos
}

// at returns a place in the file as text for a message.
func (f *file) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", f.path, f.fset.Position(pos).Line)
}

// readTree reads every Go and TypeScript source below the root. Folders with their own
// go.mod are other modules; folders that tools create are skipped.
func readTree(root fs.FS) ([]*file, error) {
	var files []*file
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && foreign(root, name) {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(name) {
		case ".go", ".ts", ".tsx":
			f, err := readFile(root, name)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		return nil
	})
	return files, err
}

func foreign(root fs.FS, dir string) bool {
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	if slices.Contains([]string{"node_modules", "testdata", "vendor"}, base) {
		return true
	}
	if slices.Contains([]string{"bin", "data", "web/dist"}, dir) {
		return true
	}
	_, err := fs.Stat(root, path.Join(dir, "go.mod"))
	return err == nil
}

func readFile(root fs.FS, name string) (*file, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	f := &file{
		path:  name,
		dir:   path.Dir(name),
		lines: bytes.Count(text, []byte("\n")),
	}
	if path.Ext(name) != ".go" {
		f.test = strings.Contains(path.Base(name), ".test.")
		f.generated = strings.Contains(path.Base(name), ".gen.")
		return f, nil
	}
	f.test = strings.HasSuffix(name, "_test.go")
	f.fset = token.NewFileSet()
	f.syntax, err = parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f.generated = ast.IsGenerated(f.syntax)
	for _, spec := range f.syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.at(spec.Pos()), err)
		}
		i := imported{path: p, name: localName(p), pos: spec.Pos()}
		if spec.Name != nil {
			i.name = spec.Name.Name
		}
		f.imports = append(f.imports, i)
	}
	return f, nil
}

// localName guesses the name of a package: the last element of its path that is not a major
// version.
func localName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	return base
}

// uses returns the places where the file names something from a package, called or not:
// passing time.Now on is as bad as calling it.
func (f *file) uses(importPath string, names ...string) []token.Pos {
	var places []token.Pos
	for _, i := range f.imports {
		if i.path != importPath {
			continue
		}
		if i.name == "." {
			// With a dot import, uses of the package cannot be distinguished from others.
			places = append(places, i.pos)
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(names, s.Sel.Name) {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == i.name {
				places = append(places, s.Pos())
			}
			return true
		})
	}
	return places
}
