package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

// Globals are the tables without their own tenant key and without row security: those that
// must be read before the tenant is known, and the regulation corpus, which is the same
// public text for everybody. A test compares this list with the schema.
var Globals = []string{
	"tenant", "app_user", "membership", "session", "api_key",
	"sign_up", "first_owner_link", "password_reset", "mfa_ticket", "recovery_code", "passkey", "passkey_challenge", "captcha_used",
	"installation_mark", checksumTable, "installation_key", "serving_node", "limit_use", "limit_act", "handover", "exchange_lease", "oauth_client", "phone_cursor", "mail_sts_policy",
	"advisor_revision", "advisor_import", "advisor_law", "advisor_provision", "provision_version",
}

// Migrate applies the missing migrations, in any order of numbers, under a lock. It returns
// the versions that it applied. It refuses a database whose migrations differ from files,
// see CheckMigrations.
func (d *DB) Migrate(ctx context.Context, files fs.FS) (applied []int64, err error) {
	defer func() { err = d.explain(err) }()
	opts := []goose.ProviderOption{
		goose.WithAllowOutofOrder(true), goose.WithDisableGlobalRegistry(true),
	}
	dialect := goose.DialectSQLite3
	plain := files
	files = unwrapped{files, d.dialect}
	if d.dialect == Postgres {
		dialect = goose.DialectPostgres
		unlock, err := d.lockMigrations(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	handle := d.write
	if d.dialect == SQLite {
		// The writer holds the only connection of its pool, so migrations have their own
		// connection.
		var err error
		if handle, err = d.migrationConn(); err != nil {
			return nil, err
		}
		defer func() { _ = handle.Close() }()
	}
	if err := d.CheckMigrations(ctx, plain); err != nil {
		return nil, err
	}
	p, err := goose.NewProvider(dialect, handle, files, opts...)
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	results, err := p.Up(ctx)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == insufficientPrivilege {
		return nil, fmt.Errorf("the role of --db cannot create or change tables in this database: GRANT CREATE ON SCHEMA public to it, or make it their owner: %w", pg)
	}
	if err != nil {
		return nil, fmt.Errorf("db: migrate: %w", err)
	}
	if err := d.recordChecksums(ctx, handle, plain); err != nil {
		return nil, err
	}
	applied = make([]int64, len(results))
	for i, r := range results {
		applied[i] = r.Source.Version
	}
	if d.rls {
		return applied, d.enableRowSecurity(ctx)
	}
	return applied, nil
}

// lockMigrations waits until no other node migrates this database. The lock belongs to a
// transaction, because behind PgBouncer a session may be shared.
func (d *DB) lockMigrations(ctx context.Context) (unlock func(), err error) {
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("db: migrate: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '0', true),
		pg_advisory_xact_lock(hashtextextended('migrations', 0))`); err != nil {
		_ = tx.Rollback()
		return nil, fmt.Errorf("db: migrate: %w", err)
	}
	return func() { _ = tx.Rollback() }, nil
}

// unwrapped reads migrations as one database needs them: with the content of comments that
// begin with its name, and without those of the other database.
type unwrapped struct {
	fs.FS
	dialect Dialect
}

var (
	forPostgres = regexp.MustCompile(`(?s)/\*postgres\s(.*?)\*/`)
	forSQLite   = regexp.MustCompile(`(?s)/\*sqlite\s(.*?)\*/`)
)

// Open implements fs.FS.
func (u unwrapped) Open(name string) (fs.File, error) {
	f, err := u.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return f, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	mine, others := forSQLite, forPostgres
	if u.dialect == Postgres {
		mine, others = forPostgres, forSQLite
	}
	return unwrappedFile{f, bytes.NewReader(mine.ReplaceAll(others.ReplaceAll(text, nil), []byte("$1")))}, nil
}

type unwrappedFile struct {
	fs.File
	text *bytes.Reader
}

// Read implements fs.File.
func (f unwrappedFile) Read(b []byte) (int, error) { return f.text.Read(b) }

// insufficientPrivilege is PostgreSQL's code for a statement that the role may not run.
const insufficientPrivilege = "42501"

// versionTable is where goose records which migrations were applied.
const versionTable = "goose_db_version"

// IsNew reports whether no migration was ever applied. It changes nothing.
func (d *DB) IsNew(ctx context.Context) (bool, error) {
	found, err := d.HasTable(ctx, versionTable)
	return !found, err
}

// Pending reports whether there are migrations to apply. It returns the errors of
// CheckMigrations, and changes nothing.
func (d *DB) Pending(ctx context.Context, files fs.FS) (pending bool, err error) {
	defer func() { err = d.explain(err) }()
	// Goose would create its table if it did not exist.
	if fresh, err := d.IsNew(ctx); err != nil || fresh {
		return fresh, err
	}
	if err := d.CheckMigrations(ctx, files); err != nil {
		return false, err
	}
	dialect := goose.DialectSQLite3
	if d.dialect == Postgres {
		dialect = goose.DialectPostgres
	}
	p, err := goose.NewProvider(dialect, d.read, files, goose.WithAllowOutofOrder(true), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return false, err
	}
	return p.HasPending(ctx)
}

// HasTable reports whether the database has a table of this name.
func (d *DB) HasTable(ctx context.Context, name string) (bool, error) {
	query := `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1`
	if d.dialect == Postgres {
		query = `SELECT count(*) FROM pg_class t WHERE t.relname = $1 AND ` + isTable
	}
	var n int
	if err := d.read.QueryRowContext(ctx, query, name).Scan(&n); err != nil {
		return false, fmt.Errorf("db: look for table %s: %w", name, d.explain(err))
	}
	return n > 0, nil
}

// ErrRowSecurityBypassed reports that row security is requested, but the role sees every
// row anyway.
var ErrRowSecurityBypassed = errors.New("the role of --db is a superuser or has BYPASSRLS, so PostgreSQL shows it every row despite --row-security; " +
	"use a role without either (CREATE ROLE konak LOGIN), or leave --row-security out")

// CheckRowSecurity returns ErrRowSecurityBypassed if the database was opened with row
// security but the role is not bound by it.
func (d *DB) CheckRowSecurity(ctx context.Context) error {
	if !d.rls {
		return nil
	}
	var bypassed bool
	err := d.read.QueryRowContext(ctx, `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`).Scan(&bypassed)
	if err != nil {
		return fmt.Errorf("db: row security: %w", err)
	}
	if bypassed {
		return ErrRowSecurityBypassed
	}
	return nil
}

// enableRowSecurity protects every table that has a tenant_id and is not global. With FORCE
// it applies to the owner of the tables too.
func (d *DB) enableRowSecurity(ctx context.Context) error {
	tables, err := d.unguardedTables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if slices.Contains(Globals, t) {
			continue
		}
		for _, q := range []string{
			`ALTER TABLE "` + t + `" ENABLE ROW LEVEL SECURITY`,
			`ALTER TABLE "` + t + `" FORCE ROW LEVEL SECURITY`,
			`DROP POLICY IF EXISTS one_tenant ON "` + t + `"`,
			`CREATE POLICY one_tenant ON "` + t + `" USING (
				current_setting('app.system', true) = 'on' OR
				tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)`,
		} {
			if _, err := d.write.ExecContext(ctx, q); err != nil {
				return fmt.Errorf("db: row security on %s: %w", t, err)
			}
		}
	}
	return nil
}

// unguardedTables returns the tables that have a tenant_id but no forced row security yet.
func (d *DB) unguardedTables(ctx context.Context) ([]string, error) {
	rows, err := d.read.QueryContext(ctx, `SELECT c.relname FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relforcerowsecurity
		ORDER BY c.relname`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var t string
		if err := rows.Scan(&t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, rows.Err()
}

// Grant lets another role use the tables, for installations where the serving role does not
// own the schema.
func (d *DB) Grant(ctx context.Context, role string) error {
	for _, what := range []string{"ALL TABLES", "ALL SEQUENCES"} {
		if _, err := d.write.ExecContext(ctx, `GRANT ALL ON `+what+` IN SCHEMA public TO "`+role+`"`); err != nil {
			return fmt.Errorf("db: grant: %w", err)
		}
	}
	return nil
}
