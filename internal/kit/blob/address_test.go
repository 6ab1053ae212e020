package blob_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"konak/internal/kit/blob"
)

func TestWrongAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"s3.example.com/bucket", "https://s3.example.com/bucket", "https://key@s3.example.com/bucket", "https://key:topsecret@s3.example.com",
		"http://key:topsecret@s3.example.com/bucket", "ftp://key:topsecret@localhost/bucket", "https://key:topsecret@s3.example.com/b?x=y", "https://key:topsecret@%zz/b",
	} {
		_, err := blob.New(blob.Config{Folder: t.TempDir(), S3URL: address})
		if err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestCheckReportsError(t *testing.T) {
	t.Parallel()
	address, _, _ := bucket(t)
	server := httptest.NewServer(nil)
	server.Close()
	for url, want := range map[string]string{
		strings.Replace(address, "/files/", "/missing/", 1):                                   `no bucket "missing"`,
		"http://key:secret@" + strings.TrimPrefix(server.URL, "http://") + "/files/topsecret": "cannot be reached",
	} {
		s, err := blob.New(blob.Config{Folder: t.TempDir(), S3URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := blob.New(blob.Config{Folder: blocked})
	if err != nil {
		t.Fatal(err)
	}
	if s.Check(t.Context()) == nil {
		t.Error("a folder that is a file is fine")
	}
}
