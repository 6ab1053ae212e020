package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"konak/internal/kit/db"
)

const (
	startLimit   = 10 * time.Second
	processGroup = "Process"
	starts       = 5
	startTarget  = 500 * time.Millisecond
	idleTarget   = 80 // MB
)

// measureProcess starts the real binary on an existing database.
func measureProcess(ctx context.Context, e *env, o options) error {
	if !o.only.MatchString(processGroup) {
		return nil
	}
	dir, err := e.folder()
	if err != nil {
		return err
	}
	binary := filepath.Join(dir, "konak")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/konak")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	fmt.Printf("\n%s, an existing database, median of %d starts\n", processGroup, starts)
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		err := e.measureStart(ctx, binary, dialect)
		if errors.Is(err, errSkip) {
			fmt.Printf("  %s: skipped, %v\n", dialect, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *env) measureStart(ctx context.Context, binary string, dialect db.Dialect) error {
	data, err := e.folder()
	if err != nil {
		return err
	}
	args := []string{
		"serve", "--demo", "--listen=127.0.0.1:0", "--private-listen=off", "--log-level=warn", "--data=" + data,
	}
	if dialect == db.Postgres {
		url, err := e.postgres(ctx)
		if err != nil {
			return err
		}
		args = append(args, "--db="+url)
	}
	var times []time.Duration
	var memory int
	for i := range starts + 1 {
		took, mb, err := start(ctx, binary, args, i == starts)
		if err != nil {
			return err
		}
		if i > 0 { // the first run created the database
			times = append(times, took)
		}
		memory = max(memory, mb)
	}
	slices.Sort(times)
	fmt.Printf("  %-9s first answer after %s (target %s), resident when idle %d MB (target %d MB)\n",
		dialect, times[len(times)/2].Round(time.Millisecond), startTarget, memory, idleTarget)
	return nil
}

var panelLine = regexp.MustCompile(`Panel\s+http://[^:]+:(\d+)`)

// start runs the binary until it has answered once, and a moment longer if its memory is to
// be measured.
func start(ctx context.Context, binary string, args []string, idle bool) (took time.Duration, mb int, err error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	logs := &bytes.Buffer{}
	cmd.Stderr = logs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	port := ""
	for lines := bufio.NewScanner(out); port == "" && lines.Scan(); {
		if m := panelLine.FindStringSubmatch(lines.Text()); m != nil {
			port = m[1]
		}
	}
	defer func() {
		err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, logs)
		}
	}()
	for status := 0; status != http.StatusOK; took = time.Since(begin) {
		resp, err := http.Get("http://127.0.0.1:" + port + "/readyz")
		if err != nil {
			return 0, 0, err
		}
		if err := resp.Body.Close(); err != nil {
			return 0, 0, err
		}
		if status = resp.StatusCode; took > startLimit {
			return 0, 0, fmt.Errorf("/readyz still answers %d after %s", status, took)
		}
	}
	if idle {
		select {
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		case <-time.After(3 * time.Second):
		}
		mb = memoryOf(strconv.Itoa(cmd.Process.Pid), "VmRSS")
	}
	return took, mb, nil
}

// memoryOf returns a figure of the memory of a process in MB, 0 if the system does not
// report it.
func memoryOf(process, figure string) int {
	b, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		var kb int
		if _, err := fmt.Sscanf(line, figure+": %d kB", &kb); err == nil {
			return kb / 1024
		}
	}
	return 0
}
