package blob

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"konak/internal/kit/hostile"
)

// Whatever the S3 service does in whatever phase: each call ends, with its context if the
// service keeps it waiting, and only a file, which is streamed, may be large.
func TestHostileS3(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(ctx context.Context, s *s3) error{
		"put": func(ctx context.Context, s *s3) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			return s.put(ctx, "a/b", f, 7)
		},
		"open": func(ctx context.Context, s *s3) error {
			r, _, err := s.open(ctx, "a/b")
			if err != nil {
				return err
			}
			defer func() { _ = r.Close() }()
			_, err = io.CopyN(io.Discard, r, 1<<20)
			return err
		},
		"remove": func(ctx context.Context, s *s3) error { return s.remove(ctx, "a/b") },
		"check":  func(ctx context.Context, s *s3) error { return s.check(ctx) },
	}
	for _, phase := range []string{"status", "interim", "header", "body", "chunks", "error"} {
		for _, manner := range hostile.Manners() {
			for name, call := range calls {
				t.Run(name+"/"+phase+"/"+string(manner), func(t *testing.T) {
					t.Parallel()
					peer := hostile.HTTP(t, phase, manner)
					s, err := parseS3("http://key:secret@" + peer.Address() + "/bucket")
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					done := make(chan error, 1)
					go func() { done <- call(ctx, s) }()
					// The client retries by itself: if the service does not keep it
					// waiting, a second attempt shows that the first one ended.
					tries := 2
					if manner.Waits() {
						tries = 1
					}
					for ; tries > 0; tries-- {
						select {
						case err := <-done:
							done <- err
						case <-peer.Reached():
						}
					}
					cancel()
					<-done
					if peer.Sent() > 16<<20 {
						t.Errorf("the service could send %d bytes", peer.Sent())
					}
				})
			}
		}
	}
}
