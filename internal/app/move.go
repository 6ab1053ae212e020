package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/move"
	"konak/migrations"
)

// MoveDatabase copies the embedded database into an empty PostgreSQL and compares the two.
// No server may run. The embedded database stays as it is, except for a mark that prevents
// it from being served by mistake. If tables are returned with an error, they were moved.
func MoveDatabase(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source, to string) (moved []move.Table, err error) {
	if cfg.DB != "" {
		return nil, errors.New("konak move starts from the embedded database in --data; leave --db out")
	}
	if scheme, _, _ := strings.Cut(to, "://"); scheme != "postgres" && scheme != "postgresql" {
		return nil, errors.New("--to: write postgres://USER@HOST/DATABASE") // not what was given: it may hold a password
	}
	target := db.Options{URL: to, Setting: "--to", Clock: c, Log: log}
	n, err := cfg.lockFolder(log)
	if err != nil {
		return nil, err
	}
	source, err := OpenExistingDatabase(ctx, cfg, log, c)
	if err != nil {
		if n != nil {
			err = errors.Join(err, n.Close())
		}
		return nil, err
	}
	a := newApp(cfg, log, c, source, n)
	defer func() { err = errors.Join(err, a.closeDatabase()) }()
	d, err := db.Open(ctx, target)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if _, err := d.Migrate(ctx, migrations.Files); err != nil {
		return nil, err
	}
	file := filepath.Join(cfg.Data, databaseFile)
	return move.Copy(ctx, source, d, file, to)
}

// MovedFiles is the result of MoveFiles.
type MovedFiles struct {
	Copied  int `json:"copied"`
	Present int `json:"present"` // were there already
}

// MoveFiles copies the files from the data folder to the S3 service of --s3-url, or back.
// Files that exist already are kept. It can be repeated, and run while a server runs, for
// all files that exist by then.
func MoveFiles(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source, toS3 bool) (m MovedFiles, err error) {
	if cfg.S3URL == "" {
		return m, errors.New("name the S3 service with --s3-url")
	}
	d, err := OpenExistingDatabase(ctx, cfg, log, c)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	folder, err := blob.New(blob.Config{DB: d, Log: log, Folder: cfg.FilesFolder()})
	if err != nil {
		return m, err
	}
	service, err := blob.New(blob.Config{DB: d, Log: log, Folder: cfg.FilesFolder(), S3URL: cfg.S3URL})
	if err != nil {
		return m, err
	}
	from, to := folder, service
	if !toS3 {
		from, to = service, folder
	}
	m.Copied, m.Present, err = from.CopyTo(ctx, to)
	return m, err
}
