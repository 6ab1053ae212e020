package move_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/move"
)

// The mark of a moved database names the new address, without the password.
func TestMarkNamesTargetWithoutPassword(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	for target, want := range map[string]string{
		"postgres://konak:hidden@db.example:5433/firma?password=hidden&sslmode=require": "postgres://konak@db.example:5433/firma at 2026-11-17T12:00:00Z",
		"postgresql://db.example/firma":   "postgresql://db.example/firma at",
		"postgres://konak:hid%zzden@db/x": "was moved to PostgreSQL at",
		"postgres:///firma?user=a&host=b": "postgres:///firma at",
	} {
		file := filepath.Join(t.TempDir(), "konak.db")
		if err := move.CheckMark("sqlite:" + file); err != nil {
			t.Fatalf("before the move: %v", err)
		}
		if err := move.Mark(file, target, at); err != nil {
			t.Fatal(err)
		}
		err := move.CheckMark("sqlite:" + file)
		if !errors.Is(err, move.ErrMoved) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hid") {
			t.Errorf("%s: %v", target, err)
		}
		if err := move.CheckMark("postgres://konak@db.example/firma"); err != nil {
			t.Errorf("another database: %v", err)
		}
		if err := os.Remove(file + ".moved"); err != nil {
			t.Fatal(err)
		}
		if err := move.CheckMark("sqlite:" + file); err != nil {
			t.Errorf("without its mark: %v", err)
		}
	}
	if err := move.Mark(filepath.Join(t.TempDir(), "none", "konak.db"), "postgres://x/y", at); err == nil || !strings.Contains(err.Error(), "was moved, but") {
		t.Errorf("a mark that cannot be written: %v", err)
	}
}
