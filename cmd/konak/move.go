package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/move"
)

type moveCmd struct {
	app.Config
	To    string `env:"KONAK_MOVE_TO" placeholder:"URL" help:"postgres://… of an empty database to move the embedded database to. Stop the server first. Better given in a file named by KONAK_MOVE_TO_FILE, because others can see arguments."`
	Files string `enum:"none,s3,folder" default:"none" help:"s3: copy files from the data folder to the S3 service of --s3-url; folder: copy them back."`
	printing
}

// Run moves the database or files.
func (m *moveCmd) Run(ctx context.Context, out io.Writer) error {
	if (m.To == "") == (m.Files == "none") {
		return errors.New("choose what to move: --to postgres://… (or KONAK_MOVE_TO, KONAK_MOVE_TO_FILE) for the database, or --files s3 or --files folder")
	}
	if m.To != "" {
		return m.moveDatabase(ctx, out)
	}
	moved, err := asOwner(&m.Config, func() (app.MovedFiles, error) {
		return app.MoveFiles(ctx, m.Config, logger(m.Config), clock.System{}, m.Files == "s3")
	})
	if again := moved.Copied+moved.Present > 0 && !errors.Is(err, blob.ErrMissing) && !errors.Is(err, blob.ErrDamaged); err != nil && again {
		return fmt.Errorf("%w (run the command again to continue)", err)
	}
	if err != nil {
		return err
	}
	return m.result(out, moved, "%d files were copied and verified, %d were already there.\n", moved.Copied, moved.Present)
}

func (m *moveCmd) moveDatabase(ctx context.Context, out io.Writer) error {
	tables, err := asOwner(&m.Config, func() ([]move.Table, error) {
		return app.MoveDatabase(ctx, m.Config, logger(m.Config), clock.System{}, m.To)
	})
	if err != nil && tables == nil {
		return fmt.Errorf("%w (nothing was moved)", err)
	}
	if err != nil {
		return err
	}
	rows := int64(0)
	for _, t := range tables {
		rows += t.Rows
	}
	return m.result(out, tables, "%d rows of %d tables were copied and verified. Start the server with --db from now on. "+
		"%s keeps its files, the master key and the unchanged embedded database, which is marked as moved: the server refuses to start without --db.\n", rows, len(tables), m.Data)
}
