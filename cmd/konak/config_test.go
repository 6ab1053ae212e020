package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// settings runs `konak config` with a file and gives its lines by flag.
func settings(t *testing.T, file string, args ...string) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "konak.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(append([]string{"config", "--config", path}, args...), &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	values := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); len(fields) > 2 {
			values[fields[0]] = fields[2] + " " + fields[3]
		}
	}
	return values
}

func TestSettingsComeFromFlagThenVariableThenFile(t *testing.T) {
	const file = `{"domain": "file.example", "log-level": "warn", "log-format": "json"}`
	t.Setenv("KONAK_DOMAIN", "variable.example")
	t.Setenv("KONAK_LOG_LEVEL", "debug")
	got := settings(t, file, "--domain", "flag.example")
	want := map[string]string{
		"--domain":      "flag.example flag",
		"--log-level":   "debug variable",
		"--log-format":  "json ",
		"--sqlite-sync": "full default",
	}
	for flag, value := range want {
		if !strings.HasPrefix(got[flag], value) {
			t.Errorf("%s is %q, want %q", flag, got[flag], value)
		}
	}
}

func TestMisspelledSettingsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "konak.json")
	if err := os.WriteFile(path, []byte(`{"domian": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"config", "--config", path}, &out, &errs); code == 0 || !strings.Contains(errs.String(), "domian") {
		t.Errorf("file: code %d, %q", code, errs.String())
	}
	errs.Reset()
	t.Setenv("KONAK_DOMIAN", "x")
	if code := run([]string{"config"}, &out, &errs); code == 0 || !strings.Contains(errs.String(), "KONAK_DOMIAN") {
		t.Errorf("variable: code %d, %q", code, errs.String())
	}
}

func TestEverySettingIsInTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	for flag := range settings(t, `{}`) {
		if strings.HasPrefix(flag, "--") && !bytes.Contains(page, []byte("| `"+flag+"` |")) {
			t.Errorf("docs/configuration.md says nothing of %s", flag)
		}
	}
}

// Every setting has a variable that is named like its flag, and what stands in
// it arrives.
func TestEveryVariableIsRead(t *testing.T) {
	var c cli
	parser := newParser(&c, fileResolver{}, io.Discard, io.Discard)
	var flags []*kong.Flag
	for _, n := range parser.Model.Children {
		if n.Name == "config" {
			flags = n.Flags
		}
	}
	if len(flags) < 30 {
		t.Fatalf("%d settings", len(flags))
	}
	want := map[string]string{}
	for _, f := range flags {
		name := "KONAK_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if len(f.Envs) != 1 || f.Envs[0] != name {
			t.Errorf("--%s is read from %v, want %s", f.Name, f.Envs, name)
		}
		text, shown := "x-"+f.Name, "x-"+f.Name
		switch f.Target.Interface().(type) {
		case bool:
			text, shown = "true", "true"
		case []string:
			text, shown = "a,b", "[a b]"
		case int64:
			text, shown = "4711", "4711"
		case time.Duration:
			text, shown = "77s", "1m17s"
		case string:
			if enum := f.EnumSlice(); len(enum) > 0 {
				for _, v := range enum {
					if v != f.Default {
						text, shown = v, v
					}
				}
			}
		}
		t.Setenv(name, text)
		want[f.Name] = shown
	}
	if err := checkEnviron(parser, os.Environ()); err != nil {
		t.Error(err)
	}
	if _, err := parser.Parse([]string{"config"}); err != nil {
		t.Fatal(err)
	}
	for _, f := range flags {
		if got := fmt.Sprint(f.Target.Interface()); got != want[f.Name] {
			t.Errorf("--%s is %q, its variable says %q", f.Name, got, want[f.Name])
		}
	}
}
