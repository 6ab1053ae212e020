// Package tooltest finds the programs of others that tests are run with.
package tooltest

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips the test where a program is not installed. In CI, which runs the script
// that installs it, the test fails instead.
func Need(tb testing.TB, program, script string) {
	tb.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Missing(tb, program, script)
	}
}

// Missing ends the test because something of a program is not installed: it skips the
// test, and in CI it fails.
func Missing(tb testing.TB, what, script string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatalf("%s is not installed: run scripts/%s", what, script)
	}
	tb.Skipf("%s is not installed: run scripts/%s", what, script)
}
