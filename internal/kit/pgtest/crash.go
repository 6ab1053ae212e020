package pgtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
)

// Crash stops a cluster started by Start without a checkpoint, as if the server were lost,
// and starts it again: what was committed is recovered from the log only. Only a durable
// cluster is certain to recover completely.
func (s *Server) Crash() error {
	if s.crash == nil {
		return errors.New("cannot crash a server that was started elsewhere")
	}
	return s.crash()
}

func crash(who *syscall.Credential, bin, dir string) error {
	for _, args := range [][]string{
		{"-m", "immediate", "stop"},
		{"-l", filepath.Join(dir, "log"), "start"},
	} {
		args = append([]string{"-D", filepath.Join(dir, "data"), "-w", "-t", "60", "-s"}, args...)
		// No pipes: the server would inherit them, and waiting for their end would mean
		// waiting for the server's.
		if err := command(who, dir, filepath.Join(bin, "pg_ctl"), args...).Run(); err != nil {
			return fmt.Errorf("pg_ctl %s: %w", args[len(args)-1], err)
		}
	}
	return nil
}
