package ledger_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/ledger"
	"konak/internal/kit/secret"
)

func newLedger(t *testing.T) *ledger.Ledger {
	t.Helper()
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return ledger.New(box)
}

func write(t *testing.T, l *ledger.Ledger, h db.Handle, subject string) (n ledger.Line) {
	t.Helper()
	err := h.InTx(t.Context(), func(tx *db.Tx) (err error) {
		n, err = l.Write(tx, ledger.Entry{
			Action: "gdpr.export.received", Subject: subject, Details: map[string]any{"n": 1, "text": "a<b>\u2028"},
			Personal: map[string]string{"mailbox": subject},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func verify(t *testing.T, l *ledger.Ledger, h db.Handle) (v ledger.Verification) {
	t.Helper()
	err := h.Read(t.Context(), func(r *db.Reader) (err error) {
		v, err = l.Verify(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func list(t *testing.T, l *ledger.Ledger, h db.Handle, subject string) (out db.List[ledger.Line]) {
	t.Helper()
	err := h.Read(t.Context(), func(r *db.Reader) (err error) {
		out, err = l.List(r, subject, db.Page{After: db.First, Limit: 100})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Lines are numbered without gaps, even if many write at once, and the chains of workspaces
// are independent.
func TestChainsHaveNoGapsAndAreIndependent(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l := newLedger(t)
		a, b := d.Tenant(dbtest.Tenant(t, d, "a")), d.Tenant(dbtest.Tenant(t, d, "b"))
		if v := verify(t, l, a); !v.OK || v.Lines != 0 {
			t.Errorf("an empty ledger: %+v", v)
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { write(t, l, a, "elif@example.com") })
		}
		all.Wait()
		first := write(t, l, b, "elif@example.com")
		if first.Seq != 1 || first.PrevHash != "" || first.Hash == "" {
			t.Errorf("got %+v", first)
		}
		v := verify(t, l, a)
		if !v.OK || v.Lines != 10 || v.FirstBad != nil {
			t.Errorf("got %+v", v)
		}
		lines := list(t, l, a, "").Rows
		if len(lines) != 10 || lines[0].Seq != 10 || lines[0].Hash != v.Hash || lines[0].PrevHash != lines[1].Hash || lines[0].Personal["mailbox"] != "elif@example.com" {
			t.Errorf("got %+v", lines)
		}
		if lines[0].SubjectRef == first.SubjectRef || strings.Contains(lines[0].SubjectRef, "elif") {
			t.Errorf("two workspaces have one ref: %s", first.SubjectRef)
		}
		// A transaction that is rolled back leaves no gap.
		_ = a.InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := l.Write(tx, ledger.Entry{Action: "x", Subject: "y"}); err != nil {
				t.Error(err)
			}
			return context.Canceled
		})
		write(t, l, a, "ali@example.com")
		if v := verify(t, l, a); !v.OK || v.Lines != 11 {
			t.Errorf("got %+v", v)
		}
		if got := list(t, l, a, "ali@example.com").Rows; len(got) != 1 || got[0].Seq != 11 {
			t.Errorf("got %+v", got)
		}
	})
}

// Erasing a subject makes its values unreadable and leaves the chain valid.
func TestEraseSubject(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l, h := newLedger(t), d.Tenant(dbtest.Tenant(t, d, "a"))
		write(t, l, h, "elif@example.com")
		write(t, l, h, "ali@example.com")
		if err := h.InTx(t.Context(), func(tx *db.Tx) error { return l.EraseSubject(tx, "elif@example.com") }); err != nil {
			t.Fatal(err)
		}
		write(t, l, h, "elif@example.com") // a subject that comes back gets a new key
		lines := list(t, l, h, "").Rows
		if lines[2].Personal != nil || lines[1].Personal["mailbox"] != "ali@example.com" || lines[0].Personal["mailbox"] != "elif@example.com" {
			t.Errorf("got %+v", lines)
		}
		if v := verify(t, l, h); !v.OK || v.Lines != 3 {
			t.Errorf("got %+v", v)
		}
	})
}

// The database refuses to change or delete a line. A change that gets around it is
// detected.
func TestTampering(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l := newLedger(t)
		exec := func(h db.Handle, query string, args ...any) error {
			return h.InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(query, append([]any{tx.Tenant()}, args...)...)
			})
		}
		fresh := func(slug string) db.Handle {
			h := d.Tenant(dbtest.Tenant(t, d, slug))
			for range 3 {
				write(t, l, h, "elif@example.com")
			}
			return h
		}
		h := fresh("a")
		for _, query := range []string{`UPDATE privacy_ledger SET action = 'x' WHERE tenant_id = $1`, `DELETE FROM privacy_ledger WHERE tenant_id = $1`} {
			if err := exec(h, query); err == nil {
				t.Errorf("%s was done", query)
			}
		}
		if v := verify(t, l, h); !v.OK || v.Lines != 3 {
			t.Errorf("got %+v", v)
		}
		// A line that was inserted.
		if err := exec(h, `INSERT INTO privacy_ledger (tenant_id, seq, id, at, actor_kind, actor_id, action, subject_ref, details, personal, prev_hash, hash)
			SELECT tenant_id, 4, id, at, actor_kind, actor_id, action, subject_ref, details, personal, hash, hash FROM privacy_ledger WHERE tenant_id = $1 AND seq = 3`); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, l, h); v.OK || v.FirstBad == nil || *v.FirstBad != 4 {
			t.Errorf("got %+v", v)
		}
		// Lines that were cut off at the end: the head remembers them.
		h = fresh("b")
		if err := exec(h, `UPDATE privacy_ledger_head SET seq = 5 WHERE tenant_id = $1`); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, l, h); v.OK {
			t.Errorf("got %+v", v)
		}
	})
}

// A head is signed once a day if there is something new, and rewriting the lines with all
// their hashes is detected.
func TestSignedHeads(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		l := newLedger(t)
		h, empty := d.Tenant(dbtest.Tenant(t, d, "a")), d.Tenant(dbtest.Tenant(t, d, "b"))
		sign := func(want int) {
			t.Helper()
			if n, err := l.SignHeads(t.Context(), d); n != want || err != nil {
				t.Errorf("signed %d, want %d: %v", n, want, err)
			}
		}
		sign(0)
		write(t, l, h, "elif@example.com")
		first := write(t, l, h, "elif@example.com")
		sign(1)
		sign(0)
		write(t, l, h, "elif@example.com")
		sign(0)
		v := verify(t, l, h)
		if !v.OK || v.Signed.V == nil || v.Signed.V.Seq != 2 || v.Signed.V.Hash != first.Hash || v.Signed.V.Day != c.Now().Format(time.DateOnly) {
			t.Errorf("got %+v", v)
		}
		c.Advance(24 * time.Hour)
		sign(1)
		c.Advance(24 * time.Hour)
		sign(0)
		if v := verify(t, l, h); !v.OK || v.Signed.V.Seq != 3 {
			t.Errorf("got %+v", v)
		}
		if v := verify(t, l, empty); !v.OK || v.Signed.V != nil {
			t.Errorf("got %+v", v)
		}
		change := func(query string) {
			t.Helper()
			if err := h.InTx(t.Context(), func(tx *db.Tx) error { err := tx.Exec(query, tx.Tenant()); return err }); err != nil {
				t.Fatal(err)
			}
		}
		// Another key signed it.
		other, err := secret.NewBox(bytes.Repeat([]byte{8}, 32))
		if err != nil {
			t.Fatal(err)
		}
		if v := verify(t, ledger.New(other), h); v.OK || *v.FirstBad != 2 {
			t.Errorf("got %+v", v)
		}
		// The signature is of another chain: the lines were rewritten.
		change(`UPDATE privacy_ledger_signature SET hash = 'x' WHERE tenant_id = $1 AND seq = 2`)
		if v := verify(t, l, h); v.OK || *v.FirstBad != 2 {
			t.Errorf("got %+v", v)
		}
		// Signed lines are gone.
		change(`DELETE FROM privacy_ledger_signature WHERE tenant_id = $1 AND seq = 2`)
		change(`UPDATE privacy_ledger_signature SET seq = 9 WHERE tenant_id = $1`)
		if v := verify(t, l, h); v.OK || *v.FirstBad != 4 {
			t.Errorf("got %+v", v)
		}
	})
}
