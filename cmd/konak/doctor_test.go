package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/db"
	"konak/internal/kit/trace"
	"konak/migrations"
)

// newCheckup returns a checkup of a new installation on SQLite.
func newCheckup(t *testing.T) *checkup {
	t.Helper()
	d := &checkup{}
	d.Data = t.TempDir()
	var err error
	if d.db, err = db.Open(t.Context(), db.Options{URL: d.DatabaseURL()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.db.Close() })
	if _, err := d.db.Migrate(t.Context(), migrations.Files); err != nil {
		t.Fatal(err)
	}
	return d
}

// The doctor lists the files that were found missing, until they are back.
func TestDoctorListsLostFiles(t *testing.T) {
	t.Parallel()
	d := newCheckup(t)
	store, err := blob.New(blob.Config{DB: d.db, Folder: d.FilesFolder()})
	if err != nil {
		t.Fatal(err)
	}
	tenant := uuid.New()
	b, err := store.Put(t.Context(), tenant, strings.NewReader("fatura"), 100)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.files(t.Context()); err != nil || text == "" {
		t.Errorf("%q, %v", text, err)
	}
	found, err := filepath.Glob(filepath.Join(d.FilesFolder(), "*", "*", b.ID.String()))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.Rename(found[0], found[0]+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), tenant, b.ID); err == nil {
		t.Fatal("opened")
	}
	if _, err := d.files(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of them are missing or damaged") || !strings.Contains(err.Error(), b.ID.String()) {
		t.Errorf("the doctor says %v", err)
	}
	if err := os.Rename(found[0]+"-away", found[0]); err != nil {
		t.Fatal(err)
	}
	f, err := store.Open(t.Context(), tenant, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := d.files(t.Context()); err != nil {
		t.Error(err)
	}
}

// The doctor warns of files that belong to no workspace: a killed import left them.
func TestDoctorWarnsOfStrayFiles(t *testing.T) {
	t.Parallel()
	d := newCheckup(t)
	folder := filepath.Join(d.FilesFolder(), uuid.NewString())
	if err := os.MkdirAll(filepath.Join(folder, "00"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.files(t.Context()); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "00", uuid.NewString()), []byte("fatura"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := d.files(t.Context())
	warned, is := errors.AsType[warning](err)
	if !is || !strings.Contains(string(warned), folder) || !strings.Contains(string(warned), "repeat the import") {
		t.Errorf("the doctor says %v", err)
	}
}

// Addresses that the server itself occupies are fine, so that the doctor can run next to
// it; a server that is not ready is not.
func TestDoctorBesideAServer(t *testing.T) {
	t.Parallel()
	var readiness atomic.Value
	readiness.Store("ready")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/readyz":
			_, _ = io.WriteString(w, readiness.Load().(string))
		case "/metrics":
			_, _ = io.WriteString(w, "# HELP\nkonak_jobs_dead 0\n")
		}
	}))
	t.Cleanup(web.Close)
	mail, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mail.Close() })
	go func() {
		for {
			conn, err := mail.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "220 mx.example ESMTP\r\n")
			_ = conn.Close()
		}
	}()
	d := &checkup{}
	d.Listen, d.PrivateListen, d.MailListen = web.Listener.Addr().String(), web.Listener.Addr().String(), mail.Addr().String()
	for name, check := range map[string]func(context.Context) (string, error){"listen": d.listen, "private": d.private, "mail": d.mail} {
		if text, err := check(t.Context()); err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	readiness.Store("not ready: the database does not answer")
	if _, err := d.listen(t.Context()); err == nil || !strings.Contains(err.Error(), "is not ready: the database does not answer") {
		t.Errorf("a server that is not ready: %v", err)
	}
	d.PrivateListen, d.MailListen = mail.Addr().String(), web.Listener.Addr().String()
	for name, check := range map[string]func(context.Context) (string, error){"--private-listen": d.private, "--mail-listen": d.mail} {
		if _, err := check(t.Context()); err == nil || !strings.Contains(err.Error(), "choose another "+name) {
			t.Errorf("%s is taken by another: %v", name, err)
		}
	}
}

// The doctor checks whether the collector accepts traces, with its key.
func TestDoctorChecksTraceCollector(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/traces" || r.Header.Get("X-Key") != "geheim" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	d := &checkup{}
	if text, err := d.traces(t.Context()); err != nil || text != "off" {
		t.Errorf("%q, %v", text, err)
	}
	d.Traces = trace.Config{Address: s.URL, Header: "X-Key=geheim"}
	if text, err := d.traces(t.Context()); err != nil || text == "off" {
		t.Errorf("%q, %v", text, err)
	}
	d.Traces.Header = "X-Key=falsch"
	text, err := d.traces(t.Context())
	warned, is := errors.AsType[warning](err) // Konak serves without a collector
	if !is || !strings.Contains(string(warned), "401") || strings.Contains(string(warned), "falsch") {
		t.Errorf("%q, %v", text, err)
	}
}
