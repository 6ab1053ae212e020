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
	Import advisorImportCmd `cmd:"" help:"Bring a file of regulations into the corpus; a server that runs takes them up by itself."`
}

type advisorImportCmd struct {
	app.Config
	File    string `arg:"" type:"existingfile" help:"JSON Lines, plain or gzip, one provision a line."`
	Partial bool   `help:"Change only the provisions in the file; without it those that the file does not hold are removed."`
	Updates bool   `help:"The file holds changes (id, op, new) instead of whole provisions; only those change."`
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
	_, _ = fmt.Fprintf(out, "%d added, %d changed, %d removed, %d as they were; the corpus is at revision %d\n",
		report.Added, report.Changed, report.Removed, report.Unchanged, report.Rev)
	return nil
}
