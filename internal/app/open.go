package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/node"
	"konak/internal/kit/secret"
	"konak/internal/kit/trace"
	"konak/migrations"
)

// Open prepares a node for serving: it locks the data folder, opens and migrates the
// database, builds the modules and their routes, and fills the demo. Nothing runs yet. It
// refuses a master key that does not belong to the database and, on the embedded database,
// a folder that another process serves.
func Open(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source) (*App, error) {
	log = slog.New(db.LimitOutageLogs(log.Handler(), c))
	a, err := openDatabase(ctx, cfg, log, c)
	if err != nil {
		return nil, err
	}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.closeDatabase())
	}
	return a, nil
}

// Migrate brings the database up to date and returns the versions that it applied. It
// creates no master key, because migrations may run as another user than the server.
func Migrate(ctx context.Context, cfg Config, log *slog.Logger) ([]int64, error) {
	a, err := openDatabase(ctx, cfg, log, clock.System{})
	if err != nil {
		return nil, err
	}
	applied, err := a.migrate(ctx)
	return applied, errors.Join(err, a.closeDatabase())
}

// OpenExisting opens an installation as it is, while a server may run, for commands that need
// the modules and no routes: the result has no API. It creates no file, applies no migration
// and refuses an installation that was never served: a mistyped folder must not look like an
// empty one.
func OpenExisting(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source) (*App, error) {
	cfg.Demo, cfg.Traces = false, trace.Config{}
	d, err := OpenExistingDatabase(ctx, cfg, log, c)
	if err != nil {
		return nil, err
	}
	a := newApp(cfg, log, c, d, nil)
	if err := a.wireExisting(ctx); err != nil {
		return nil, errors.Join(err, a.closeDatabase())
	}
	return a, nil
}

func (a *App) wireExisting(ctx context.Context) error {
	if known, err := secret.HasKeys(ctx, a.DB); err != nil {
		return err
	} else if !known {
		return errors.New("this database was never served; run `konak serve` once")
	}
	box, err := a.cfg.readBox()
	if err := a.cfg.checkKey(ctx, a.DB, box, err); err != nil {
		return err
	}
	_, err = a.wireWith(ctx, box)
	return err
}

// wireWith builds the modules with the keys that a master key opens.
func (a *App) wireWith(ctx context.Context, master *secret.Box) (*parts, error) {
	box, err := master.OpenKeys(ctx, a.DB)
	if err != nil {
		return nil, err
	}
	return a.wire(box)
}

// OpenExistingDatabase opens a database that exists and is up to date.
func OpenExistingDatabase(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source) (*db.DB, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if !cfg.HasDatabase() {
		return nil, fmt.Errorf("there is no database in %s; set the folder with --data, or the server's settings with --config FILE; `konak serve` creates a new one", cfg.Data)
	}
	d, err := db.Open(ctx, cfg.databaseOptions(log, c))
	if err != nil {
		return nil, err
	}
	pending, err := d.Pending(ctx, migrations.Files)
	if err == nil && pending {
		err = errors.New("migrations of this version are not applied to the database: start this version, or run `konak migrate`")
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func newApp(cfg Config, log *slog.Logger, c clock.Source, d *db.DB, n *node.Node) *App {
	return &App{cfg: cfg, log: log, clock: c, DB: d, node: n, metrics: prometheus.NewRegistry()}
}

// openDatabase locks the data folder and opens the database, creating it if necessary.
func openDatabase(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source) (*App, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if err := cfg.makeFolder(); err != nil {
		return nil, err
	}
	n, err := cfg.lockFolder(log)
	if err != nil {
		return nil, err
	}
	a := newApp(cfg, log, c, nil, n)
	if err = cfg.prepareData(); err == nil {
		a.DB, err = db.Open(ctx, cfg.databaseOptions(log, c))
	}
	if err == nil {
		err = a.DB.CheckRowSecurity(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, a.closeDatabase())
	}
	return a, nil
}

func (c *Config) databaseOptions(log *slog.Logger, source clock.Source) db.Options {
	return db.Options{URL: c.DatabaseURL(), Clock: source, Log: log, RowSecurity: c.RowSecurity, Sync: c.SQLiteSync}
}

// lockFolder locks the data folder for this process. On the embedded database it is an
// error if the folder is locked already: agents on two servers would not see each other's
// changes. On PostgreSQL, and if the system has no locks, it returns nil.
func (c *Config) lockFolder(log *slog.Logger) (*node.Node, error) {
	n, err := node.Take(c.Data)
	if errors.Is(err, node.ErrTaken) && c.embedded() {
		return nil, fmt.Errorf("another konak runs on the data folder %s, and the embedded database supports one process; "+
			"stop it, choose another --data, or use PostgreSQL (--db) for several", c.Data)
	}
	if err != nil {
		log.Warn("the data folder cannot be locked; leases of an earlier process are freed when they expire", "reason", err)
		return nil, nil
	}
	return n, nil
}

// embedded reports whether the data is in an embedded database.
func (c *Config) embedded() bool { return c.DB == "" || strings.HasPrefix(c.DB, "sqlite:") }

// closeDatabase closes what openDatabase opened.
func (a *App) closeDatabase() error {
	var err error
	if a.DB != nil {
		err = a.DB.Close()
	}
	if a.node != nil {
		err = errors.Join(err, a.node.Close())
	}
	return err
}

func (a *App) build(ctx context.Context) error {
	box, err := a.cfg.readBox()
	// Nothing is changed if the key does not fit.
	if err := a.cfg.checkKey(ctx, a.DB, box, err); err != nil {
		return err
	}
	if _, err := a.migrate(ctx); err != nil {
		return err
	}
	if box == nil {
		if box, err = secret.LoadBox(a.cfg.Data); err != nil {
			return err
		}
		a.log.Info("created a master key; keep a copy of it", "file", secret.KeyPath(a.cfg.Data))
	}
	if err := a.cfg.explainKey(box.RecordKey(ctx, a.DB)); err != nil {
		return err
	}
	p, err := a.wireWith(ctx, box)
	if err == nil {
		err = a.wireAPI(p)
	}
	if err != nil {
		return err
	}
	if a.cfg.Demo {
		if err := a.fillDemo(ctx); err != nil {
			return err
		}
		return a.demoCustomers(ctx)
	}
	return nil
}

// migrate applies missing migrations and logs what it found.
func (a *App) migrate(ctx context.Context) ([]int64, error) {
	fresh, err := a.DB.IsNew(ctx)
	if err != nil {
		return nil, err
	}
	applied, err := a.DB.Migrate(ctx, migrations.Files)
	if err != nil {
		return nil, err
	}
	where := "the address of --db"
	if a.cfg.DB == "" {
		where = filepath.Join(a.cfg.Data, databaseFile)
		if full, err := filepath.Abs(where); err == nil {
			where = full
		}
	}
	switch {
	case fresh:
		a.log.Info("a new database was created", "database", where)
	case len(applied) > 0:
		a.log.Info("migrations were applied", "database", where, "first", applied[0], "last", applied[len(applied)-1], "count", len(applied))
	}
	return applied, nil
}

// readBox returns the master key of the setting or of the data folder. The error is
// fs.ErrNotExist if neither has one.
func (c *Config) readBox() (*secret.Box, error) {
	if c.MasterKey == "" {
		return secret.ReadBox(c.Data)
	}
	box, err := secret.ParseBox(c.MasterKey)
	if err != nil {
		return nil, fmt.Errorf("--master-key: %w", err)
	}
	return box, nil
}

// CheckKey returns nil if the master key fits the database, or if one can still be created
// for it.
func (c *Config) CheckKey(ctx context.Context, d *db.DB) error {
	box, err := c.readBox()
	return c.checkKey(ctx, d, box, err)
}

// checkKey compares the result of readBox with the database. A missing key is an error only
// if the database has secrets sealed with one.
func (c *Config) checkKey(ctx context.Context, d *db.DB, box *secret.Box, readErr error) error {
	if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
		return readErr
	}
	if readErr == nil {
		err := box.CheckKey(ctx, d)
		if errors.Is(err, secret.ErrNoKeys) {
			return nil
		}
		return c.explainKey(err)
	}
	if known, err := secret.HasKeys(ctx, d); err != nil || !known {
		return err
	}
	return fmt.Errorf("%s is missing, but the database has secrets encrypted with it: restore the file, "+
		"or give this database's key with --master-key; all nodes must have the same key", secret.KeyPath(c.Data))
}

// explainKey adds to the error of a master key that does not fit where the key came from
// and what to do.
func (c *Config) explainKey(err error) error {
	if !errors.Is(err, secret.ErrOtherKey) {
		return err
	}
	from := secret.KeyPath(c.Data)
	if c.MasterKey != "" {
		from = "--master-key"
	}
	return fmt.Errorf("%s: %w, so its secrets cannot be decrypted; restore the key that belongs to it; all nodes must have the same key", from, err)
}
