package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The roles that every test database has.
const (
	OwnerRole = "konak_owner"
	AppRole   = "konak_app"
)

// patience limits the time of one administrative statement: on a busy machine a CREATE
// DATABASE may wait for many others.
const patience = 2 * time.Minute

// longestName is the length at which PostgreSQL silently truncates names.
const longestName = 63

// lockKey is the advisory lock under which roles and templates are created, since many test
// processes do it at once on one server.
const lockKey = 0x6b6f6e616b

// Database is one database of a test.
type Database struct {
	Name string
	// Owner is the URL for the role that owns the database and runs migrations.
	Owner string
	// App is the URL for the role that the product uses: not a superuser, without
	// BYPASSRLS, not the owner of anything.
	App string
}

// StartFor starts a server for one test and stops it when the test ends. Without PostgreSQL
// on the machine the test is skipped.
func StartFor(tb testing.TB, o Options) *Server {
	tb.Helper()
	server, err := Start(o)
	if errors.Is(err, ErrNoServer) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := server.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return server
}

// NewDatabase creates a database for one test on the shared server and drops it when the
// test ends. template is empty or a result of Template. The test is skipped if the machine
// has no PostgreSQL.
func NewDatabase(tb testing.TB, template string) Database {
	tb.Helper()
	return shared(tb).NewDatabase(tb, template)
}

// Template returns the name of a database to copy from, see Server.Template. The test is
// skipped if the machine has no PostgreSQL.
func Template(tb testing.TB, key string, build func(ownerURL string) error) string {
	tb.Helper()
	name, err := shared(tb).Template(tb.Context(), key, build)
	if err != nil {
		tb.Fatal(err)
	}
	return name
}

func shared(tb testing.TB) *Server {
	tb.Helper()
	s, err := Shared()
	if errors.Is(err, ErrNoServer) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// NewDatabase creates a database for one test and drops it when the test ends.
func (s *Server) NewDatabase(tb testing.TB, template string) Database {
	tb.Helper()
	db, err := s.CreateDatabase(tb.Context(), template)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		// The test's context has ended by now.
		if err := s.DropDatabase(context.Background(), db.Name); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// CreateDatabase creates a database with a unique name. It is for callers without a
// testing.TB; they drop it themselves.
func (s *Server) CreateDatabase(ctx context.Context, template string) (Database, error) {
	if err := s.roles(); err != nil {
		return Database{}, err
	}
	db := s.database("konak_t_" + randomHex())
	statement := "CREATE DATABASE " + ident(db.Name) + " OWNER " + ident(OwnerRole)
	if template != "" {
		// Copying the files costs half of what logging every page does.
		statement += " TEMPLATE " + ident(template) + " STRATEGY file_copy"
	}
	return db, s.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

// DropDatabase drops a database together with the connections that still use it.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	return s.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+ident(name)+" WITH (FORCE)")
		return err
	})
}

// Template returns the name of a database to copy from. The first caller with a key builds
// it; every other caller on the same server, in whatever process, finds it. The key must
// therefore change with what build does: a hash of the migrations. build is passed the
// owner's URL of an empty database and must close its connections. A template lives as long
// as its server.
func (s *Server) Template(ctx context.Context, key string, build func(ownerURL string) error) (string, error) {
	if err := s.roles(); err != nil {
		return "", err
	}
	name := "konak_template_" + key
	if len(name) > longestName {
		return "", fmt.Errorf("template key %q is longer than %d bytes", key, longestName-len(name)+len(key))
	}
	if _, ok := s.templates.Load(name); ok {
		return name, nil
	}
	err := s.locked(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var there bool
		const exists = "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)"
		if err := conn.QueryRow(ctx, exists, name).Scan(&there); err != nil || there {
			return err
		}
		// It is built under another name, so that a builder that dies half-way leaves
		// nothing that looks finished.
		draft, err := s.CreateDatabase(ctx, "")
		if err != nil {
			return err
		}
		if err := build(draft.Owner); err != nil {
			return errors.Join(fmt.Errorf("build template: %w", err), s.DropDatabase(ctx, draft.Name))
		}
		// Copying fails while a connection to the original is open.
		if _, err := conn.Exec(ctx, "ALTER DATABASE "+ident(draft.Name)+" ALLOW_CONNECTIONS false"); err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "ALTER DATABASE "+ident(draft.Name)+" RENAME TO "+ident(name))
		return err
	})
	if err == nil {
		s.templates.Store(name, true)
	}
	return name, err
}

// createRoles creates the two roles if they do not exist. New roles are not superusers and
// do not bypass row security.
func (s *Server) createRoles() error {
	// The roles get the administrator's own password, so that every process knows it and
	// none is weaker than what the server already has.
	password := "NULL"
	if p, ok := s.admin.User.Password(); ok {
		password = literal(p)
	}
	statements := make([]string, 0, 6)
	for _, role := range []string{OwnerRole, AppRole} {
		statements = append(statements,
			"DO $$ BEGIN CREATE ROLE "+role+"; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
			"ALTER ROLE "+role+" LOGIN PASSWORD "+password,
		)
	}
	statements = append(statements,
		// An administrator who is not a superuser may only assign databases to a role that
		// it is a member of.
		"GRANT "+OwnerRole+" TO CURRENT_USER",
		// This lets a connection of the owner restrict itself with SET ROLE.
		"GRANT "+AppRole+" TO "+OwnerRole,
	)
	return s.locked(context.Background(), func(ctx context.Context, conn *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("test roles: %w", err)
			}
		}
		// Only a superuser may set NOSUPERUSER, so the roles are checked instead.
		const above = "SELECT count(*) FROM pg_roles WHERE rolname IN ($1, $2) AND (rolsuper OR rolbypassrls)"
		var n int
		if err := conn.QueryRow(ctx, above, OwnerRole, AppRole).Scan(&n); err != nil {
			return fmt.Errorf("test roles: %w", err)
		}
		if n > 0 {
			return fmt.Errorf("test roles: %s or %s bypasses row security on this server", OwnerRole, AppRole)
		}
		return nil
	})
}

// locked runs fn while no other process creates roles or templates.
func (s *Server) locked(ctx context.Context, fn func(context.Context, *pgx.Conn) error) error {
	return s.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		// Closing the connection releases the lock, even after a crash.
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lockKey)); err != nil {
			return err
		}
		return fn(ctx, conn)
	})
}

// do runs fn on a separate connection. Administrative work is rare, and a pool would hold
// connections that the tests need.
func (s *Server) do(ctx context.Context, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return fmt.Errorf("test server: %w", err)
	}
	err = fn(ctx, conn)
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

func (s *Server) database(name string) Database {
	as := func(role string) string {
		u := *s.admin
		u.Path = "/" + name
		u.User = url.User(role)
		if p, ok := s.admin.User.Password(); ok {
			u.User = url.UserPassword(role, p)
		}
		return u.String()
	}
	return Database{Name: name, Owner: as(OwnerRole), App: as(AppRole)}
}

func randomHex() string {
	b := make([]byte, 10)
	_, _ = rand.Read(b) // never fails: the runtime ends the program instead
	return hex.EncodeToString(b)
}

func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal quotes a string for a server with standard_conforming_strings on, the default.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
