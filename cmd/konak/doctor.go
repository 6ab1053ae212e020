package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"konak/internal/app"
	"konak/internal/kit/blob"
	"konak/internal/kit/db"
	"konak/migrations"
	"konak/web"
)

type doctorCmd struct{ app.Config }

var errUnwell = errors.New("some checks failed")

// Run looks at everything that serving needs and says what to do about what
// is missing. It changes nothing.
func (d *doctorCmd) Run(ctx context.Context, out io.Writer) error {
	checks := []struct {
		name string
		run  func(context.Context) (string, error)
	}{
		{"data folder", d.folder},
		{"database", d.database},
		{"files", d.files},
		{"listen address", d.listen},
		{"panel", d.panel},
	}
	failed := false
	for _, c := range checks {
		text, err := c.run(ctx)
		mark := "ok  "
		if err != nil {
			mark, text, failed = "FAIL", err.Error(), true
		}
		_, _ = fmt.Fprintf(out, "%s  %-15s %s\n", mark, c.name, text)
	}
	if failed {
		return errUnwell
	}
	return nil
}

func (d *doctorCmd) folder(context.Context) (string, error) {
	info, err := os.Stat(d.Data)
	if errors.Is(err, os.ErrNotExist) {
		return d.Data + " will be made at the first start", nil
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; choose another with --data", d.Data)
	}
	f, err := os.CreateTemp(d.Data, ".doctor-*")
	if err != nil {
		return "", fmt.Errorf("cannot write there: %w", err)
	}
	return d.Data + " can be written", errors.Join(f.Close(), os.Remove(f.Name()))
}

func (d *doctorCmd) database(ctx context.Context) (string, error) {
	if d.DB == "" {
		if _, err := os.Stat(d.Data + "/konak.db"); errors.Is(err, os.ErrNotExist) {
			return "embedded, will be made at the first start", nil
		}
	}
	handle, err := db.Open(ctx, db.Options{URL: d.DatabaseURL()})
	if err != nil {
		return "", err
	}
	defer func() { _ = handle.Close() }()
	pending, err := handle.Pending(ctx, migrations.Files)
	if err != nil {
		return "", err
	}
	if pending {
		return string(handle.Dialect()) + ", migrations wait for `konak migrate` or the next start", nil
	}
	return string(handle.Dialect()) + ", up to date", nil
}

func (d *doctorCmd) files(ctx context.Context) (string, error) {
	if d.S3URL == "" {
		return "in the data folder", nil
	}
	store, err := blob.New(nil, d.FilesFolder(), d.S3URL)
	if err != nil {
		return "", err
	}
	return "with the S3 service of --s3-url, which answers", store.Check(ctx)
}

func (d *doctorCmd) listen(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", d.Listen)
	if err != nil {
		return "", fmt.Errorf("%w; stop what runs there or choose another --listen", err)
	}
	return d.Listen + " is free", ln.Close()
}

func (d *doctorCmd) panel(context.Context) (string, error) {
	if !web.Built() {
		return "", errors.New("not in this binary; run make build")
	}
	return "embedded", nil
}
