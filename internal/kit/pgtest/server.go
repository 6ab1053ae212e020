package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// EnvURL names the variable through which one server is shared by many test
// processes. Its role must be allowed to create databases and roles.
const EnvURL = "KONAK_TEST_POSTGRES"

// ErrNoServer means that this machine has no PostgreSQL server binaries.
var ErrNoServer = errors.New("no PostgreSQL server binaries found; run scripts/ensure-postgres")

// Options configure a private cluster.
type Options struct {
	// Durable keeps fsync, synchronous_commit and full_page_writes on, as in production.
	// Tests that kill processes and benchmarks need it; everything else is several times
	// faster without it.
	Durable bool
}

// Server is a PostgreSQL server on which tests may create databases.
type Server struct {
	crash func() error
	admin *url.URL
	roles func() error
	stop  func() error
	// templates caches the names known to exist: every test asks, and looking takes a lock
	// that all test processes share.
	templates sync.Map
}

// Shared returns the server of this test run: the one that EnvURL names, or a
// private cluster that lives as long as this process.
var Shared = sync.OnceValues(func() (*Server, error) {
	if raw := os.Getenv(EnvURL); raw != "" {
		return Connect(raw)
	}
	return Start(Options{})
})

// URL returns the administrator's URL of the shared server.
func URL() (string, error) {
	s, err := Shared()
	if err != nil {
		return "", err
	}
	return s.URL(), nil
}

// Connect uses a server that is already running.
func Connect(raw string) (*Server, error) {
	admin, err := url.Parse(raw)
	if err != nil || (admin.Scheme != "postgres" && admin.Scheme != "postgresql") {
		// The error of url.Parse is not wrapped: it would print the password.
		return nil, fmt.Errorf("%s is not a postgres:// URL", EnvURL)
	}
	return newServer(admin), nil
}

func newServer(admin *url.URL) *Server {
	s := &Server{admin: admin}
	s.roles = sync.OnceValue(s.createRoles)
	s.stop = func() error { return nil }
	return s
}

// URL returns the administrator's URL.
func (s *Server) URL() string { return s.admin.String() }

// Stop ends a cluster started by Start and removes its folder. It does nothing for a server
// of Connect.
func (s *Server) Stop() error { return s.stop() }

// watch starts the cluster in folder $2 with the binaries of $1 and stops it when its input
// ends. Writing to a caller that has died meanwhile must not end the script.
const watch = `
exec 2>&1
trap '' PIPE
bin=$1 dir=$2
if "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 60 -s start; then
	echo ready
	read -r _
else
	tail -n 20 "$dir/log"
fi
exec >/dev/null 2>&1
"$bin/pg_ctl" -D "$dir/data" -m immediate -w -t 60 -s stop
cd / && rm -rf "$dir"
`

// Start creates and starts a private cluster.
func Start(o Options) (_ *Server, err error) {
	bin, err := FindBinaries()
	if err != nil {
		return nil, err
	}
	who, err := runAs()
	if err != nil {
		return nil, err
	}
	dir, err := makeFolder(who, o.Durable)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("start PostgreSQL from %s: %w", bin, err)
			_ = os.RemoveAll(dir)
		}
	}()

	// The C locale sorts text by bytes, as SQLite does, on every machine.
	initdb := command(who, dir, filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"),
		"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := appendFile(filepath.Join(dir, "data", "postgresql.conf"), settings(dir, o)); err != nil {
		return nil, err
	}

	watchdog := command(who, dir, "/bin/sh", "-c", watch, "sh", bin, dir)
	// The watchdog gets its own session, so that an interrupt typed at the terminal reaches
	// the tests first and the server only through the closing pipe.
	watchdog.SysProcAttr.Setsid = true
	leash, err := watchdog.StdinPipe()
	if err != nil {
		return nil, err
	}
	answer, err := watchdog.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := watchdog.Start(); err != nil {
		return nil, err
	}
	said := bufio.NewReader(answer)
	if line, _ := said.ReadString('\n'); line != "ready\n" {
		rest, _ := io.ReadAll(said)
		_ = leash.Close()
		return nil, errors.Join(fmt.Errorf("server did not start: %s%s", line, rest), watchdog.Wait())
	}

	s := newServer(&url.URL{
		Scheme:   "postgres",
		User:     url.User("postgres"),
		Path:     "/postgres",
		RawQuery: url.Values{"host": {dir}}.Encode(),
	})
	s.crash = func() error { return crash(who, bin, dir) }
	s.stop = sync.OnceValue(func() error {
		_ = leash.Close()
		if err := watchdog.Wait(); err != nil {
			return fmt.Errorf("stop PostgreSQL in %s: %w", dir, err)
		}
		return nil
	})
	return s, nil
}

func settings(dir string, o Options) string {
	lines := []string{
		"listen_addresses = ''",
		"unix_socket_directories = '" + dir + "'",
		"max_connections = 300",
		// Containers often have a tiny /dev/shm, which parallel queries need.
		"max_parallel_workers_per_gather = 0",
		"max_prepared_transactions = 0",
		"timezone = 'UTC'",
		"log_timezone = 'UTC'",
	}
	if !o.Durable {
		lines = append(lines,
			"fsync = off",
			"synchronous_commit = off",
			"full_page_writes = off",
			"autovacuum_naptime = 10min",
		)
	}
	return strings.Join(lines, "\n") + "\n"
}

// command runs a program of the cluster as its user, in its folder and without the caller's
// environment, whose PGDATA, PGPORT and the like would take effect.
func command(who *syscall.Credential, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	return cmd
}

func appendFile(name, text string) (err error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.WriteString(text)
	return err
}
