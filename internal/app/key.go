package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"konak/internal/kit/clock"
	"konak/internal/kit/secret"
)

// Rotation is the result of RotateKey.
type Rotation struct {
	Sealed  int    `json:"sealed"`  // values that were sealed again
	Resumed bool   `json:"resumed"` // whether an earlier run had broken off
	KeyFile string `json:"key_file"`
	// OldKeyFile is where the old master key is kept, for backups that were made with it;
	// empty if a setting held it.
	OldKeyFile string `json:"old_key_file,omitempty"`
	Begun      bool   `json:"-"` // whether the database knows a new key, of this run or an earlier one
}

// RotateKey gives the installation a new master key and seals everything again. If the
// master key is a setting, the new one is written to target; otherwise target is empty and
// the key file of the data folder is replaced. After a crash it continues where it stopped.
// A rotation can only begin while no server runs.
func RotateKey(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source, target string) (r Rotation, err error) {
	d, err := OpenExistingDatabase(ctx, cfg, log, c)
	if err != nil {
		return r, err
	}
	a := newApp(cfg, log, c, d, nil)
	defer func() { err = errors.Join(err, a.closeDatabase()) }()
	master, err := cfg.readBox()
	if err := cfg.checkKey(ctx, d, master, err); err != nil {
		return r, err
	}
	if (cfg.MasterKey != "") != (target != "") {
		return r, errors.New("give --new-key-file if, and only if, the master key is a setting; otherwise the file in the data folder is replaced")
	}
	r.KeyFile = target
	if target == "" {
		r.KeyFile, r.OldKeyFile = secret.KeyPath(cfg.Data), secret.KeyPath(cfg.Data)+".old"
	}
	if r.Resumed, err = secret.RotationOpen(ctx, d); err != nil {
		return r, err
	}
	r.Begun = r.Resumed
	waiting := r.KeyFile // holds the new key until the database knows it
	if target == "" {
		waiting += ".new"
	}
	if _, err := os.Stat(waiting); errors.Is(err, fs.ErrNotExist) && r.Resumed {
		if r.Sealed, err = secret.FinishRotation(ctx, d, master); !errors.Is(err, secret.ErrOtherKey) {
			return r, err
		}
		r.Resumed = false // the new key was lost: there will be another
	}
	if err := a.checkStopped(ctx); err != nil {
		return r, err
	}
	if target == "" {
		if err := keepOldKey(r.KeyFile, r.OldKeyFile); err != nil {
			return r, err
		}
	}
	next, err := newKeyFile(waiting, target == "" || r.Resumed)
	if err != nil {
		return r, err
	}
	if err := secret.BeginRotation(ctx, d, master, next); err != nil {
		return r, err
	}
	r.Begun = true
	if target == "" {
		if err := os.Rename(waiting, r.KeyFile); err != nil {
			return r, err
		}
	}
	r.Sealed, err = secret.FinishRotation(ctx, d, next)
	return r, err
}

// newKeyFile creates a master key in a new file, or, if reuse is set, reads the one that an
// earlier run left there.
func newKeyFile(path string, reuse bool) (*secret.Box, error) {
	box, text := secret.NewMaster()
	err := secret.WriteKey(path, text)
	if errors.Is(err, fs.ErrExist) && reuse {
		left, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return secret.ParseBox(string(left))
	}
	if err != nil {
		return nil, fmt.Errorf("the new master key cannot be written: %w", err)
	}
	return box, nil
}

// keepOldKey gives the key file a second name, under which the old key stays when the file
// is replaced. It never overwrites the key of an earlier rotation.
func keepOldKey(path, old string) error {
	err := os.Link(path, old)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	here, err := os.Stat(path)
	if err != nil {
		return err
	}
	there, err := os.Stat(old)
	if err != nil {
		return err
	}
	if !os.SameFile(here, there) {
		return fmt.Errorf("%s holds the key of an earlier rotation; move it to where you keep such keys first", old)
	}
	return nil
}
