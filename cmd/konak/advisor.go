package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"konak/internal/advisor"
	"konak/internal/app"
	"konak/internal/kit/clock"
)

type advisorCmd struct {
	Import advisorImportCmd `cmd:"" help:"Import a file of regulations into the corpus; a running server picks up the changes."`
}

type advisorImportCmd struct {
	app.Config
	File    string `arg:"" type:"existingfile" help:"JSON Lines, plain or gzip, with one provision per line."`
	Partial bool   `help:"Change only the provisions in the file; by default, provisions missing from the file are removed."`
	Updates bool   `help:"The file contains changes (id, op, new) instead of whole provisions; only those are applied."`
}

func (c *advisorImportCmd) Run(ctx context.Context, out io.Writer) error {
	log := logger(c.Config)
	d, err := app.OpenExistingDatabase(ctx, c.Config, log, clock.System{})
	if err != nil {
		return err
	}
	err = c.bring(ctx, advisor.New(advisor.Config{DB: d, Log: log, Folder: c.Data}), out)
	return errors.Join(err, d.Close())
}

func (c *advisorImportCmd) bring(ctx context.Context, s *advisor.Service, out io.Writer) error {
	src := advisor.Source{Name: filepath.Base(c.File), Open: func() (io.ReadCloser, error) { return os.Open(c.File) }}
	if c.Updates {
		var err error
		if src, err = s.Updates(ctx, src); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	report, err := s.Import(ctx, src, advisor.ImportOptions{
		Partial: c.Partial || c.Updates,
		Progress: func(p advisor.Progress) {
			what := map[string]string{"check": "checked", "write": "compared"}[p.Phase]
			if p.Total > 0 {
				_, _ = fmt.Fprintf(out, "%s %d of %d rows\n", what, p.Done, p.Total)
			} else {
				_, _ = fmt.Fprintf(out, "%s %d rows\n", what, p.Done)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	_, _ = fmt.Fprintf(out, "%d added, %d changed, %d removed, %d unchanged; the corpus is at revision %d\n",
		report.Added, report.Changed, report.Removed, report.Unchanged, report.Rev)
	return nil
}
