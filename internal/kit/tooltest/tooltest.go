// Package tooltest finds the third-party programs that tests need.
package tooltest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Need skips the test if a program is not installed. In CI, which runs the script that
// installs it, the test fails instead.
func Need(tb testing.TB, program, script string) {
	tb.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Missing(tb, program, script)
	}
}

// Missing ends the test because something that it needs is not installed: it skips the
// test, and in CI it fails.
func Missing(tb testing.TB, what, script string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatalf("%s is not installed: run scripts/%s", what, script)
	}
	tb.Skipf("%s is not installed: run scripts/%s", what, script)
}

// RunNode runs a script with the packages of the panel, whose folder web is in root, and
// returns its output. It skips the test if node or the package pkg is not installed; in CI
// the test fails. A script that fails or writes to the error stream fails the test.
func RunNode(tb testing.TB, root, pkg, script string, args ...string) string {
	tb.Helper()
	modules, err := filepath.Abs(filepath.Join(root, "web", "node_modules"))
	if err != nil {
		tb.Fatal(err)
	}
	_, noNode := exec.LookPath("node")
	if _, noPackage := os.Stat(filepath.Join(modules, pkg)); noNode != nil || noPackage != nil {
		Missing(tb, "node with the package "+pkg, "ensure-node-modules")
	}
	cmd := exec.CommandContext(tb.Context(), "node", append([]string{"--no-warnings", script}, args...)...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil || complaint.Len() > 0 {
		tb.Fatalf("%s: %v\n%s", script, err, complaint.String())
	}
	return out.String()
}
