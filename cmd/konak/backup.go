package main

import (
	"context"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/secret"
)

type backupCmd struct {
	app.Config
	Folder string `arg:"" help:"New folder that the backup is written to."`
}

// Run copies the embedded database and its files, beside a server that may run.
func (b *backupCmd) Run(ctx context.Context, out io.Writer) error {
	m, err := app.Backup(ctx, b.Config, logger(b.Config), clock.System{}, b.Folder)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: the database and %d files.", b.Folder, len(m.Files)-1)
	if m.S3 {
		text = fmt.Sprintf("%s: the database. Files are with the S3 service and not in it.", b.Folder)
	}
	_, err = fmt.Fprintf(out, "%s\nThe master key is not in it: keep a copy of it apart from the backups.\n", text)
	return err
}

type restoreCmd struct {
	app.Config
	Folder string `arg:"" type:"existingdir" help:"Folder of the backup."`
}

// Run puts a backup into an empty data folder and says whether the master key
// belongs to it.
func (r *restoreCmd) Run(ctx context.Context, out io.Writer) error {
	m, keyFits, err := app.Restore(ctx, r.Config, r.Folder)
	if err != nil {
		return err
	}
	key := "The master key fits."
	if !keyFits {
		key = "Its master key is not there: bring it to " + secret.KeyPath(r.Data) + " before the start."
	}
	_, err = fmt.Fprintf(out, "%s holds the backup of %s, compared with its checksums.\n%s\n", r.Data, m.MadeAt.Format("2006-01-02 15:04:05Z"), key)
	return err
}
