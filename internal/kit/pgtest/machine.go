package pgtest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// places are the folders where distributions put servers that are not on PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/lib/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
}

// FindBinaries returns the folder that contains initdb, pg_ctl and postgres: the one on
// PATH, or else the newest one that the distribution installed.
func FindBinaries() (string, error) {
	if found, err := exec.LookPath("pg_ctl"); err == nil && complete(filepath.Dir(found)) {
		return filepath.Abs(filepath.Dir(found))
	}
	var found []string
	for _, pattern := range places {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		found = append(found, slices.DeleteFunc(dirs, func(dir string) bool { return !complete(dir) })...)
	}
	if len(found) == 0 {
		return "", ErrNoServer
	}
	return slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(major(a), major(b)) }), nil
}

func complete(dir string) bool {
	for _, name := range []string{"initdb", "pg_ctl", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

var number = regexp.MustCompile(`\d+`)

// major parses the version in a folder's name; a name without one counts as the oldest.
func major(dir string) int {
	n, _ := strconv.Atoi(number.FindString(dir))
	return n
}

// runAs returns the user as which the server runs, or nil for the caller.
func runAs() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("PostgreSQL refuses to run as root and this machine has neither a user postgres nor a user nobody")
}

// longestSocket is the path length that the shortest sockaddr_un in use allows.
const longestSocket = 103

// memoryFolder is the folder whose files Linux keeps in memory. Copying a database from its
// template takes a quarter of the CPU time there that it takes on a disk, since most of the
// work is creating a thousand small files.
const memoryFolder = "/dev/shm"

// memoryNeeded is the amount that must be free there: several clusters may run at once.
const memoryNeeded = 4 << 30

// makeFolder creates the cluster's folder, in memory if it need not be durable and there is
// enough. Only its owner can access it, which makes it safe to trust everybody who reaches
// the socket.
func makeFolder(owner *syscall.Credential, durable bool) (string, error) {
	base := os.TempDir()
	if !durable && freeIn(memoryFolder) >= memoryNeeded {
		base = memoryFolder
	}
	if !canHoldCluster(base, owner) {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "konak-pg-")
	if err != nil {
		return "", err
	}
	if owner != nil {
		if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
			_ = os.Remove(dir)
			return "", fmt.Errorf("give the cluster's folder to its user: %w", err)
		}
	}
	return dir, nil
}

// freeIn returns the number of free bytes in a folder; 0 if there is no such folder.
func freeIn(folder string) uint64 {
	var at syscall.Statfs_t
	if err := syscall.Statfs(folder, &at); err != nil {
		return 0
	}
	return at.Bavail * uint64(at.Bsize)
}

// canHoldCluster reports whether the owner's cluster can be in the folder: the path must be short
// enough for a socket and, for a user other than the caller, accessible.
func canHoldCluster(base string, owner *syscall.Credential) bool {
	const rest = "/konak-pg-0123456789/.s.PGSQL.5432.lock"
	if !filepath.IsAbs(base) || len(base)+len(rest) > longestSocket {
		return false
	}
	if owner == nil {
		return true
	}
	for dir := base; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
