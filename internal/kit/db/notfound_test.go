package db_test

import (
	"errors"
	"fmt"
	"testing"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

func TestNotFound(t *testing.T) {
	t.Parallel()
	if err := db.NotFound(fmt.Errorf("find it: %w", db.ErrNoRow)); !fault.Is(err, fault.NotFound) {
		t.Errorf("no row: %v", err)
	}
	other := errors.New("the disk is full")
	if err := db.NotFound(other); !errors.Is(err, other) || fault.Is(err, fault.NotFound) {
		t.Errorf("another error: %v", err)
	}
	if err := db.NotFound(nil); err != nil {
		t.Errorf("no error: %v", err)
	}
	if err := db.IfNoRow(db.ErrNoRow, other); !errors.Is(err, other) {
		t.Errorf("no row, but another error: %v", err)
	}
	if err := db.IfNoRow(db.ErrNoRow, nil); err != nil {
		t.Errorf("no row is no error: %v", err)
	}
}
