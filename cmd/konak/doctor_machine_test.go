package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/node"
)

// wantCheck fails the test if a check's text or error lacks what it must say.
func wantCheck(t *testing.T, check func(context.Context) (string, error), fails bool, says string) {
	t.Helper()
	text, err := check(t.Context())
	if err != nil {
		text += err.Error()
	}
	if (err != nil) != fails || !strings.Contains(text, says) {
		t.Errorf("failed %v, says %q; want failed %v with %q", err != nil, text, fails, says)
	}
}

// Every folder that grows must be on a disk with enough free space. A folder that does not
// exist yet is checked on the disk where it will be created.
func TestDoctorChecksFreeDiskSpace(t *testing.T) {
	t.Parallel()
	free := map[string]uint64{}
	d := &checkup{freeDisk: func(folder string) (uint64, error) { return free[folder], nil }}
	there := t.TempDir()
	d.Data = filepath.Join(there, "new", "data")
	free[there] = leastDisk
	wantCheck(t, d.disk, false, "1.0 GB free for "+d.Data)
	free[there] = leastDisk - 1
	wantCheck(t, d.disk, true, "free up space")

	d.Data, d.BackupFolder = t.TempDir(), t.TempDir()
	free[d.Data], free[d.BackupFolder] = 30*leastDisk, leastDisk-1
	wantCheck(t, d.disk, true, "free for "+d.BackupFolder)
	free[d.BackupFolder] = 2 * leastDisk
	wantCheck(t, d.disk, false, "30.0 GB free for "+d.FilesFolder()+", 2.0 GB free for "+d.BackupFolder)
	if n, err := node.FreeDisk(d.Data); err != nil || n == 0 {
		t.Errorf("the true disk has %d bytes, %v", n, err)
	}
}

// The clock is compared with the database's if that is a server, and nothing is claimed if
// there is nothing to compare with.
func TestDoctorComparesClockWithDatabase(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, handle *db.DB, _ *clock.Fake) {
		wrong := time.Duration(0)
		d := &checkup{db: handle, now: func() time.Time { return clock.System{}.Now().Add(wrong) }}
		if handle.Dialect() == db.SQLite {
			wantCheck(t, d.clock, false, "cannot be compared")
			if at, err := handle.ServerTime(t.Context()); err != nil || at.Sub(d.now()).Abs() > time.Minute {
				t.Errorf("SQLite's time is %s, %v", at, err)
			}
			return
		}
		wantCheck(t, d.clock, false, "of the database")
		wrong = time.Minute
		wantCheck(t, d.clock, true, "ahead of the database")
		wrong = -time.Minute
		wantCheck(t, d.clock, true, "behind the database")
	})
}

// The S3 service tells its time without getting a secret.
func TestDoctorReadsClockOfS3(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	date := now.Format(http.TimeFormat)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.URL.RawQuery != "" {
			t.Errorf("the request has %v and %q", r.Header, r.URL.RawQuery)
		}
		w.Header().Set("Date", date)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(service.Close)
	d := &checkup{now: func() time.Time { return now }}
	d.S3URL = strings.Replace(service.URL, "http://", "http://key:secret@", 1) + "/bucket?x=y"
	wantCheck(t, d.clock, false, "within 5s of the S3 service")
	now = now.Add(clockTolerance + time.Second) // the service may have been at the end of its second
	wantCheck(t, d.clock, false, "within")
	now = now.Add(time.Second)
	wantCheck(t, d.clock, true, "6s ahead of the S3 service")
	now = now.Add(-20 * time.Second)
	wantCheck(t, d.clock, true, "13s behind the S3 service")
	date = "soon"
	wantCheck(t, d.clock, true, "cannot be read")
	service.Close()
	wantCheck(t, d.clock, true, "cannot be read")
}

// The names that people use are looked up.
func TestDoctorLooksUpHostNames(t *testing.T) {
	t.Parallel()
	known := map[string][]string{"example.com": {"203.0.113.7", "2001:db8::7"}}
	d := &checkup{lookUp: func(_ context.Context, host string) ([]string, error) {
		if known[host] == nil {
			return nil, errors.New("lookup " + host + ": no such host")
		}
		return known[host], nil
	}}
	wantCheck(t, d.names, false, "--public-url is not set")
	for _, c := range []struct {
		url, domain string
		fails       bool
		says        string
	}{
		{"https://203.0.113.7", "localhost", false, "the address 203.0.113.7"},
		{"https://example.com:8443", "localhost", false, "example.com is 203.0.113.7, 2001:db8::7"},
		{"https://example.com", "example.com", false, "*.crm.example.com does not resolve"},
		{"https://example.net", "example.com", true, "lookup example.net: no such host; add an A or AAAA record"},
		{"::", "example.com", true, "write https://example.com"},
	} {
		d.PublicURL, d.Domain = c.url, c.domain
		wantCheck(t, d.names, c.fails, c.says)
	}
	known["konak-doctor.crm.example.com"] = []string{"203.0.113.7"}
	d.PublicURL, d.Domain = "https://example.com", "example.com"
	wantCheck(t, d.names, false, "*.crm.example.com resolves")
}
