package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"konak/internal/kit/backup"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// BackupOptions sets how a backup is made.
type BackupOptions struct {
	// Target is a new folder, or a new file NAME.tar or NAME.tar.age.
	Target string
	// Previous is an earlier backup in a folder whose files are not copied again.
	Previous string
	// Recipients are the age recipients; only they can read NAME.tar.age.
	Recipients []string
	// WithKey includes the master key in the backup: anybody who has it can read every
	// secret.
	WithKey bool
}

// Backup copies the embedded database and its files; a server may be running.
func Backup(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source, o BackupOptions) (backup.Manifest, error) {
	if !cfg.embedded() {
		return backup.Manifest{}, errors.New("konak backup copies the embedded database; for PostgreSQL use pg_dump (docs/operating.md)")
	}
	if err := cfg.checkOutside(o.Target); err != nil {
		return backup.Manifest{}, err
	}
	to, err := backup.ParseRecipients(o.Recipients)
	if err != nil {
		return backup.Manifest{}, err
	}
	d, err := OpenExistingDatabase(ctx, cfg, log, c)
	if err != nil {
		return backup.Manifest{}, err
	}
	defer func() { _ = d.Close() }()
	src := cfg.backupSource(d)
	if o.WithKey {
		if src.Key, err = cfg.keyText(); err != nil {
			return backup.Manifest{}, err
		}
	}
	if backup.IsFile(o.Target) {
		if o.Previous != "" {
			return backup.Manifest{}, errors.New("--previous works only for backups in a folder: a file contains everything")
		}
		return backup.WriteFile(ctx, src, o.Target, to)
	}
	if len(to) > 0 {
		return backup.Manifest{}, errors.New("an encrypted backup must be a file NAME.tar.age")
	}
	return backup.WriteFolder(ctx, src, o.Target, o.Previous)
}

// checkOutside refuses a backup in the data folder: it would be part of the next one, and
// be lost together with the original.
func (c *Config) checkOutside(target string) error {
	data, err := filepath.Abs(c.Data)
	if err != nil {
		return err
	}
	if target, err = filepath.Abs(target); err != nil {
		return err
	}
	if rel, err := filepath.Rel(data, target); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s is in the data folder; choose a place outside it, preferably on another disk", target)
	}
	return nil
}

// backupSource returns the contents of a backup, without the key.
func (c *Config) backupSource(d *db.DB) backup.Source {
	src := backup.Source{Version: Version, Now: d.Clock().Now(), Database: d.CopyTo, Counted: backup.CountedFiles, Files: c.FilesFolder()}
	if c.S3URL != "" {
		src.Files = ""
	}
	return src
}

// keyText returns the master key as its file or its setting has it.
func (c *Config) keyText() (string, error) {
	if c.MasterKey != "" {
		return c.MasterKey, nil
	}
	text, err := os.ReadFile(secret.KeyPath(c.Data))
	return string(text), err
}

// Restore writes a backup into a data folder that holds nothing but a master key, or does
// not exist. Every file is compared with the manifest before the first is copied. It
// returns the manifest, and whether the master key of cfg fits.
func Restore(ctx context.Context, cfg Config, source, identityFile string) (m backup.Manifest, keyFits bool, err error) {
	if !cfg.embedded() {
		return m, false, errors.New("konak restore restores an embedded database; leave --db out")
	}
	if err := backup.CheckEmpty(cfg.Data); err != nil {
		return m, false, err
	}
	err = backup.WithFolder(ctx, source, identityFile, filepath.Dir(cfg.Data), func(folder string) error {
		if m, err = backup.Compare(ctx, folder); err != nil {
			return err
		}
		if err := cfg.makeFolder(); err != nil {
			return err
		}
		return m.Fill(ctx, folder, cfg.Data)
	})
	if err != nil {
		return m, false, err
	}
	if err := cfg.prepareData(); err != nil {
		return m, false, err
	}
	d, err := db.Open(ctx, db.Options{URL: cfg.DatabaseURL()})
	if err != nil {
		return m, false, err
	}
	return m, cfg.CheckKey(ctx, d) == nil, d.Close()
}

// schedule returns how backups are made automatically; nil if they are not.
func (c *Config) schedule() *backup.Schedule {
	if c.BackupFolder == "" {
		return nil
	}
	return &backup.Schedule{Folder: c.BackupFolder, Every: c.BackupEvery, Keep: int(c.BackupKeep)}
}

// readNewestBackup measures when the newest backup was made, if the server makes any.
func (a *App) readNewestBackup(context.Context) ([]float64, error) {
	s := a.cfg.schedule()
	if s == nil {
		return nil, nil
	}
	at, err := s.Newest()
	if at.IsZero() {
		return oneValue(0, err)
	}
	return oneValue(float64(at.Unix()), err)
}

// backUpOnSchedule makes a backup whenever one is due, until ctx ends.
func (a *App) backUpOnSchedule(ctx context.Context) {
	jobs.Loop{Name: "backup", DB: a.DB, Log: a.log, Every: backupCheckEvery, Step: a.StepBackup}.Run(ctx)
}

// StepBackup makes a backup if one is due, removes surplus old ones, and returns the number
// made.
func (a *App) StepBackup(ctx context.Context) (int, error) {
	s := a.cfg.schedule()
	if s == nil {
		return 0, nil
	}
	target, previous, err := s.Next(a.clock.Now())
	if err != nil || target == "" {
		return 0, err
	}
	if err := s.Clean(); err != nil { // an interrupted one may have this name
		return 0, err
	}
	m, err := backup.WriteFolder(ctx, a.cfg.backupSource(a.DB), target, previous)
	if err != nil {
		return 0, err
	}
	a.log.Info("backup created", "folder", target, "files", len(m.Files)-1)
	if len(m.Missing) > 0 {
		a.log.Error("files of the database are missing or damaged, and not in the backup", "count", len(m.Missing), "files", backup.Names(m.Missing))
	}
	return 1, s.Clean()
}
