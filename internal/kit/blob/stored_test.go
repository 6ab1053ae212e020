package blob_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"konak/internal/kit/blob"
)

// The bytes of a file can be written before its record, but only the right ones, and be
// removed again.
func TestStoredFiles(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		sum := sha256.Sum256([]byte("fatura"))
		b := blob.Stored{Tenant: r.tenant, ID: r.clock.NewID(), Hash: sum[:], Size: 6}
		if _, err := r.OpenStored(t.Context(), b); !errors.Is(err, blob.ErrMissing) {
			t.Errorf("before it is written: %v", err)
		}
		for text, want := range map[string]error{"faturb": blob.ErrDamaged, "fatur": blob.ErrDamaged, "faturaa": blob.ErrTooLarge} {
			if err := r.PutStored(t.Context(), b, strings.NewReader(text)); !errors.Is(err, want) {
				t.Errorf("%s: %v", text, err)
			}
		}
		if names := r.names(); len(names) != 0 {
			t.Errorf("wrong bytes were kept: %v", names)
		}
		for range 2 {
			if err := r.PutStored(t.Context(), b, strings.NewReader("fatura")); err != nil {
				t.Fatal(err)
			}
		}
		f, err := r.OpenStored(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != "fatura" {
			t.Errorf("%q, %v", text, err)
		}
		_ = f.Close()
		other := b
		other.Hash = slices.Repeat([]byte{1}, 32)
		if _, err := r.OpenStored(t.Context(), other); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("with another hash: %v", err)
		}
		for range 2 {
			if err := r.RemoveStored(t.Context(), b.Tenant, b.ID); err != nil {
				t.Fatal(err)
			}
		}
		if names := r.names(); len(names) != 0 {
			t.Errorf("left: %v", names)
		}
	})
}

// Files unknown to the database are found, in a folder and in a bucket, until they have a
// record or are gone.
func TestStrays(t *testing.T) {
	run(t, func(t *testing.T, r *fixture) {
		if _, err := r.Put(t.Context(), r.tenant, strings.NewReader("kept"), 10); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte("fatura"))
		b := blob.Stored{Tenant: r.clock.NewID(), ID: r.clock.NewID(), Hash: sum[:], Size: 6}
		if err := r.PutStored(t.Context(), b, strings.NewReader("fatura")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(r.folder, "somebodys-own"), 0o700); err != nil {
			t.Fatal(err)
		}
		r.overwrite("somebodys-own.txt", []byte("mine"))
		want := []string{"files/konak/" + b.Tenant.String()}
		if len(files(t, r.folder)) > 0 {
			want = []string{filepath.Join(r.folder, b.Tenant.String())}
		}
		if found, err := r.Strays(t.Context()); err != nil || !slices.Equal(found, want) {
			t.Errorf("%v, %v, want %v", found, err, want)
		}
		if err := r.RemoveStored(t.Context(), b.Tenant, b.ID); err != nil {
			t.Fatal(err)
		}
		if found, err := r.Strays(t.Context()); err != nil || len(found) != 0 {
			t.Errorf("after it is removed: %v, %v", found, err)
		}
	})
}
