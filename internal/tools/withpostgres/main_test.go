package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"konak/internal/kit/pgtest"
)

func TestCommandGetsServerAndItsExitCodeIsReturned(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "")
	seen := filepath.Join(t.TempDir(), "url")
	code, err := run(t.Context(), pgtest.Options{}, []string{"sh", "-c", `printf %s "$KONAK_TEST_POSTGRES" >"$1"; exit 7`, "sh", seen})
	if errors.Is(err, pgtest.ErrNoServer) {
		t.Skip(err)
	}
	if err != nil || code != 7 {
		t.Fatalf("code %d, error %v", code, err)
	}
	raw, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) == 0 {
		t.Skip("this machine has no PostgreSQL server")
	}
	_, dir, found := strings.Cut(string(raw), "host=")
	if !found {
		t.Fatalf("the command saw %q", raw)
	}
	if _, err := os.Stat(strings.ReplaceAll(dir, "%2F", "/")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cluster's folder is left behind: %v", err)
	}
}

func TestInterruptEndsTheCommand(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "postgres://elsewhere/")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, err := run(ctx, pgtest.Options{}, []string{"sleep", "60"}); code == 0 || err == nil {
		t.Errorf("code %d, error %v", code, err)
	}
}

func TestUnknownCommand(t *testing.T) {
	t.Setenv(pgtest.EnvURL, "postgres://elsewhere/")
	if code, err := run(t.Context(), pgtest.Options{}, []string{"no-such-command-here"}); code == 0 || err == nil {
		t.Errorf("code %d, error %v", code, err)
	}
}
