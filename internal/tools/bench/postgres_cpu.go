package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which the system reports the CPU time of other processes.
const tick = 10 * time.Millisecond

// postgresWorked returns the CPU time so far of the PostgreSQL processes for the databases
// of this run, if they run on this machine. Processes that have ended are not included.
func (e *env) postgresWorked() time.Duration {
	if len(e.names) == 0 {
		return 0
	}
	var sum time.Duration
	processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range processes {
		title, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(title), "postgres: ") {
			continue
		}
		if words := strings.Fields(string(title)); slices.ContainsFunc(e.names, func(n string) bool { return slices.Contains(words, n) }) {
			sum += processWorked(filepath.Dir(name))
		}
	}
	return sum
}

// processWorked returns the CPU time of a process, from its folder in /proc.
func processWorked(folder string) time.Duration {
	b, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	var ticks int
	for _, i := range []int{11, 12} { // user and system
		if i >= len(fields) {
			return 0
		}
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// perOperation formats PostgreSQL's part of the work.
func perOperation(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprint(d.Round(time.Microsecond))
}
