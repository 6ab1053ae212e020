package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"konak/internal/app"
	"konak/internal/kit/backup"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

type backupCmd struct {
	Make   backupMakeCmd   `cmd:"" default:"withargs" help:"Create a backup (the default)."`
	Verify backupVerifyCmd `cmd:"" help:"Read a whole backup and verify it against its manifest."`
}

type backupMakeCmd struct {
	app.Config
	Target       string   `arg:"" help:"New folder for the backup, or a new file NAME.tar or NAME.tar.age."`
	Previous     string   `placeholder:"FOLDER" type:"existingdir" help:"Earlier backup folder; files it has are not copied again but share its space."`
	AgeRecipient []string `placeholder:"AGE1…" help:"Encrypt NAME.tar.age for this age recipient; can be repeated."`
	WithKey      bool     `help:"Include the master key. Anyone who has such a backup can read every secret."`
	printing
}

// backupReport is what the commands print as JSON.
type backupReport struct {
	Path    string     `json:"path"`
	Version string     `json:"version"`
	MadeAt  clock.Time `json:"made_at"`
	Files   int        `json:"files"`
	Bytes   int64      `json:"bytes"`
	WithKey bool       `json:"with_key"`
	S3      bool       `json:"s3"`
	// Missing are files that the database refers to but that are not in the backup.
	Missing []string `json:"missing"`
}

func newBackupReport(path string, m backup.Manifest) backupReport {
	r := backupReport{Path: path, Version: m.Version, MadeAt: m.MadeAt, S3: m.S3, Missing: db.OrEmpty(m.Missing)}
	for _, f := range m.Files {
		r.Bytes += f.Size
		switch f.Path {
		case backup.DatabaseFile:
		case backup.KeyFile:
			r.WithKey = true
		default:
			r.Files++
		}
	}
	return r
}

// Run copies the embedded database and its files; a server may be running.
func (b *backupMakeCmd) Run(ctx context.Context, out io.Writer) error {
	m, err := app.Backup(ctx, b.Config, logger(b.Config), clock.System{}, app.BackupOptions{
		Target: b.Target, Previous: b.Previous, Recipients: b.AgeRecipient, WithKey: b.WithKey,
	})
	if err != nil {
		return err
	}
	r := newBackupReport(b.Target, m)
	text := fmt.Sprintf("%s: the database and %d files.", b.Target, r.Files)
	if m.S3 {
		text = fmt.Sprintf("%s: the database. Files are in the S3 service and not in the backup.", b.Target)
	}
	key := "The master key is not included: keep a copy of it, separate from the backups."
	if r.WithKey {
		key = "The master key is included: anyone who has the backup can read every secret."
	}
	return errors.Join(b.result(out, r, "%s\n%s\n", text, key), r.missing())
}

// missing returns an error that names the files that could not be copied because they do
// not exist.
func (r backupReport) missing() error {
	if len(r.Missing) == 0 {
		return nil
	}
	return incomplete{fmt.Errorf("%s is incomplete: %d of the database's files were missing or damaged when it was created: %s. "+
		"Everything else is included; restore those files from an earlier backup", r.Path, len(r.Missing), backup.Names(r.Missing))}
}

type backupVerifyCmd struct {
	Path        string `arg:"" type:"existing" help:"Folder or file of the backup."`
	AgeIdentity string `placeholder:"FILE" type:"existingfile" help:"File with the age identity, for an encrypted backup."`
	printing
}

// Run reads a whole backup and fails if it is incomplete or damaged.
func (b *backupVerifyCmd) Run(ctx context.Context, out io.Writer) error {
	m, err := backup.Verify(ctx, b.Path, b.AgeIdentity)
	if err != nil {
		return err
	}
	r := newBackupReport(b.Path, m)
	if b.JSON {
		return errors.Join(printJSON(out, r), r.missing())
	}
	if err := r.missing(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is complete: the database of %s and %d files, %d bytes.\n", b.Path, m.MadeAt.Format("2006-01-02 15:04:05Z"), r.Files, r.Bytes)
	return err
}

type restoreCmd struct {
	app.Config
	Path        string `arg:"" type:"existing" help:"Folder or file of the backup."`
	AgeIdentity string `placeholder:"FILE" type:"existingfile" help:"File with the age identity, for an encrypted backup."`
	printing
}

// Run restores a backup into an empty data folder and reports whether the master key
// belongs to it.
func (r *restoreCmd) Run(ctx context.Context, out io.Writer) error {
	var keyFits bool
	m, err := asOwner(&r.Config, func() (m backup.Manifest, err error) {
		m, keyFits, err = app.Restore(ctx, r.Config, r.Path, r.AgeIdentity)
		return m, err
	})
	if err != nil {
		return err
	}
	if r.JSON {
		return printJSON(out, struct {
			backupReport
			KeyFits bool `json:"key_fits"`
		}{newBackupReport(r.Data, m), keyFits})
	}
	key := "The master key matches."
	if !keyFits {
		key = "Its master key is missing: put it at " + secret.KeyPath(r.Data) + " before you start the server."
		if _, err := os.Stat(secret.KeyPath(r.Data)); err == nil {
			key = "The key in " + secret.KeyPath(r.Data) + " is not the backup's key: put the right one there before you start the server."
		}
	}
	_, err = fmt.Fprintf(out, "%s contains the backup of %s, verified against its checksums.\n%s\n", r.Data, m.MadeAt.Format("2006-01-02 15:04:05Z"), key)
	if err == nil && len(m.Missing) > 0 {
		_, err = fmt.Fprintf(out, "Files that were missing or damaged when it was created are not in it: %s.\n", backup.Names(m.Missing))
	}
	return err
}
