package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/backup"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// A backup taken during many writes is consistent: every record has its event, events are
// numbered without a gap, counters match, every file exists, and the privacy ledger is
// complete.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	var cfg app.Config
	s := apptest.NewWith(t, func(c *app.Config) { c.DB = ""; cfg = *c })
	w := s.Workspace("demo")
	log := slog.New(slog.DiscardHandler)
	const writers, backups = 4, 3
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var written atomic.Int64
	busy := make(chan struct{}, writers)
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				writeOne(w, fmt.Sprintf("%d.%d", n, i))
				written.Add(1)
				select {
				case busy <- struct{}{}:
				default:
				}
				if _, err := s.Dispatcher.Step(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	var dirs []string
	for i := range backups {
		for range writers { // some more was written since the last one
			select {
			case <-busy:
			case <-ended:
				t.Fatal("nobody writes any more")
			}
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		o := app.BackupOptions{Target: dir}
		if i > 0 {
			o.Previous = dirs[i-1]
		}
		if _, err := app.Backup(t.Context(), cfg, log, clock.System{}, o); err != nil {
			t.Error(err)
		}
		dirs = append(dirs, dir)
	}
	stop()
	<-ended
	before := 0
	for _, dir := range dirs {
		if _, err := backup.Verify(t.Context(), dir, ""); err != nil {
			t.Error(err)
		}
		n := checkRestored(t, cfg, w, dir)
		if n <= before {
			t.Errorf("%d contacts in a later backup, %d in the one before", n, before)
		}
		before = n
	}
	if all := int(written.Load()); before > all {
		t.Errorf("%d contacts are restored, %d were written", before, all)
	}
}

// writeOne writes a contact, a conversation, a file and a line of the privacy ledger.
func writeOne(w *apptest.Workspace, name string) {
	var contact struct{ ID string }
	w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": name}).Want(201).Data(&contact)
	w.Owner.Post("/api/crm/v1/conversations", map[string]any{"contact_id": contact.ID, "subject": name, "body": name}).Want(201)
	w.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename=a.txt", "content "+name).Want(201)
	w.Owner.Post("/api/mail/v1/gdpr", map[string]any{"kind": "export", "mailbox": "a" + name + "@example.com", "note": name}).Want(201)
}

// checkRestored restores a backup, checks that its parts agree, and returns its number of
// contacts.
func checkRestored(t *testing.T, cfg app.Config, w *apptest.Workspace, dir string) (contacts int) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(cfg.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Data, cfg.MasterKey = filepath.Join(t.TempDir(), "data"), string(key)
	if _, fits, err := app.Restore(t.Context(), cfg, dir, ""); err != nil || !fits {
		t.Fatalf("the key fits: %v, %v", fits, err)
	}
	a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	err = a.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) error {
		for what, pair := range map[string][2]string{
			"contacts and their events":      {`SELECT count(*) FROM contact`, `SELECT count(*) FROM outbox WHERE type = 'contact.created'`},
			"conversations and their events": {`SELECT count(*) FROM conversation`, `SELECT count(*) FROM outbox WHERE type = 'conversation.created'`},
			"conversations and counters":     {`SELECT count(*) FROM conversation`, `SELECT COALESCE(sum(n), 0) FROM conversation_count`},
			"numbered events and the last":   {`SELECT count(*) FROM outbox WHERE sequence IS NOT NULL`, `SELECT COALESCE(max(value), 0) FROM tenant_sequence`},
			"bytes of files and the quota":   {`SELECT COALESCE(sum(size), 0) FROM blob`, `SELECT COALESCE(sum(bytes), 0) FROM storage`},
			"requests and the ledger":        {`SELECT count(*) FROM gdpr_request`, `SELECT count(*) FROM privacy_ledger`},
		} {
			var got [2]int
			for i, query := range pair {
				if got[i], err = db.One(r, db.Scalar[int], query); err != nil {
					return fmt.Errorf("%s: %w", what, err)
				}
			}
			if got[0] != got[1] {
				t.Errorf("%s: %d and %d", what, got[0], got[1])
			}
			if what == "contacts and their events" {
				contacts = got[0]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := a.Mail.VerifyLedger(w.Context()); err != nil || !v.OK || v.Lines == 0 {
		t.Errorf("the ledger: %+v, %v", v, err)
	}
	return contacts
}
