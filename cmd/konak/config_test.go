package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
