package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"konak/internal/app"
)

const defaultFile = "konak.json"

// packageFile is the configuration file of the Debian package.
const packageFile = "/etc/konak/konak.json"

// configFile finds --config before the flags are parsed, because the file supplies values
// of flags.
func configFile(args []string) (fileResolver, error) {
	path, asked := os.Getenv("KONAK_CONFIG"), os.Getenv("KONAK_CONFIG") != ""
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--config="); ok {
			path, asked = v, true
		} else if a == "--config" && i+1 < len(args) {
			path, asked = args[i+1], true
		}
	}
	if path == "" {
		path = defaultFile
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			path = packageFile
		}
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return fileResolver{}, nil
	}
	if err != nil {
		return fileResolver{}, fmt.Errorf("--config: %w", err)
	}
	r := fileResolver{path: path}
	if err := json.Unmarshal(b, &r.values); err != nil {
		return fileResolver{}, fmt.Errorf("%s is not a JSON object such as {\"listen\": \"127.0.0.1:8080\"}: %w", path, err)
	}
	// A null is no value; a setting without a value has its default.
	maps.DeleteFunc(r.values, func(_ string, v any) bool { return v == nil })
	return r, nil
}

// fileResolver reads flag values from a JSON object.
type fileResolver struct {
	path   string
	values map[string]any
}

// Validate implements kong.Resolver. check has already refused invalid keys.
func (fileResolver) Validate(*kong.Application) error { return nil }

// check refuses a key that is not a flag, because a misspelled setting must not be silently
// ignored.
func (r fileResolver) check(app *kong.Application) error {
	known := flagsOf(app.Node)
	for key := range r.values {
		if !slices.ContainsFunc(known, func(f *kong.Flag) bool { return f.Name == key }) {
			return fmt.Errorf("%s: unknown setting %q; `konak config` lists all settings", r.path, key)
		}
		if _, object := r.values[key].(map[string]any); object {
			return fmt.Errorf("%s: %q: write a string, a number, true, false or a list of strings", r.path, key)
		}
	}
	return nil
}

// Resolve implements kong.Resolver. Kong calls it after reading the environment, but a
// variable for one start must win over the file, which every start reads.
func (r fileResolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	if path, err := secretFile(flag); err != nil || path != "" {
		return nil, err
	}
	if n, ok := r.values[flag.Name].(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64), nil // sizes are read from text
	}
	return r.values[flag.Name], nil
}

// flagsOf lists the flags of a command and of its subcommands.
func flagsOf(n *kong.Node) []*kong.Flag {
	out := slices.Clone(n.Flags)
	for _, c := range n.Children {
		out = append(out, flagsOf(c)...)
	}
	return out
}

// serviceVariable matches the variables that Kubernetes adds to every container for a
// Service whose name begins with konak.
var serviceVariable = regexp.MustCompile(`^KONAK_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// checkEnviron refuses KONAK_ variables that are not settings. It ignores the test
// variables of the development tools and those that Kubernetes adds.
func checkEnviron(p *kong.Kong, environ []string) error {
	known := []string{}
	for _, f := range flagsOf(p.Model.Node) {
		known = append(known, f.Envs...)
		if slices.Contains(secretFlags, f.Name) {
			known = append(known, f.Envs[0]+fileSuffix)
		}
	}
	inKubernetes := slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, "KUBERNETES_SERVICE_HOST=") })
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if inKubernetes && serviceVariable.MatchString(name) {
			continue
		}
		if !strings.HasPrefix(name, "KONAK_") || strings.HasPrefix(name, "KONAK_TEST_") || slices.Contains(known, name) {
			continue
		}
		return fmt.Errorf("unknown variable %s; `konak config` lists all variables", name)
	}
	return nil
}

type configCmd struct{ app.Config }

// source returns where a setting's value comes from: the first source that has it.
func source(kctx *kong.Context, file fileResolver, f *kong.Flag) string {
	if slices.ContainsFunc(kctx.Path, func(p *kong.Path) bool { return p.Flag != nil && !p.Resolved && p.Flag.Name == f.Name }) {
		return "flag"
	}
	if slices.ContainsFunc(f.Envs, func(name string) bool { _, set := os.LookupEnv(name); return set }) {
		return "variable"
	}
	if path, err := secretFile(f); err == nil && path != "" {
		return path
	}
	if _, set := file.values[f.Name]; set {
		return file.path
	}
	if f.Name == "config" && file.path != "" {
		return "found" // at one of the places where it is looked for
	}
	return "default"
}

func (c *configCmd) Run(kctx *kong.Context, file fileResolver, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "FLAG\tVARIABLE\tVALUE\tFROM\tMEANING")
	for _, f := range slices.Concat(kctx.Model.Flags, kctx.Selected().Flags) {
		if f.Name == "help" {
			continue
		}
		value := fmt.Sprint(f.Target.Interface())
		if f.Name == "config" {
			value = file.path
		}
		if slices.Contains(secretFlags, f.Name) && value != "" {
			value = "***"
		}
		_, _ = fmt.Fprintf(w, "--%s\t%s\t%s\t%s\t%s\n", f.Name, strings.Join(f.Envs, " "), value, source(kctx, file, f), f.Help)
	}
	return w.Flush()
}
