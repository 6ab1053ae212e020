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
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run moves the database or files.
func (m *moveCmd) Run(ctx context.Context, out io.Writer) error {
	if (m.To == "") == (m.Files == "none") {
		return errors.New("choose what to move: --to postgres://… (or KONAK_MOVE_TO, KONAK_MOVE_TO_FILE) for the database, or --files s3 or --files folder")
	}
	if m.To != "" {
		return m.moveDatabase(ctx, out)
	}
	var moved app.MovedFiles
	err := asOwner(&m.Config, func() (err error) {
		moved, err = app.MoveFiles(ctx, m.Config, logger(m.Config), clock.System{}, m.Files == "s3")
		return err
	})
	if again := moved.Copied+moved.Present > 0 && !errors.Is(err, blob.ErrMissing) && !errors.Is(err, blob.ErrDamaged); err != nil && again {
		return fmt.Errorf("%w (run the command again to continue)", err)
	}
	if err != nil {
		return err
	}
	if m.JSON {
		return printJSON(out, moved)
	}
	_, err = fmt.Fprintf(out, "%d files were copied and verified, %d were already there.\n", moved.Copied, moved.Present)
	return err
}

func (m *moveCmd) moveDatabase(ctx context.Context, out io.Writer) error {
	var tables []move.Table
	err := asOwner(&m.Config, func() (err error) {
		tables, err = app.MoveDatabase(ctx, m.Config, logger(m.Config), clock.System{}, m.To)
		return err
	})
	if err != nil && tables == nil {
		return fmt.Errorf("%w (nothing was moved)", err)
	}
	if err != nil {
		return err
	}
	if m.JSON {
		return printJSON(out, tables)
	}
	rows := int64(0)
	for _, t := range tables {
		rows += t.Rows
	}
	_, err = fmt.Fprintf(out, "%d rows of %d tables were copied and verified. Start the server with --db from now on. "+
		"%s keeps its files, the master key and the unchanged embedded database, which is marked as moved: the server refuses to start without --db.\n", rows, len(tables), m.Data)
	return err
}
