// Withpostgres runs a command with a private PostgreSQL cluster that all the
// test processes below it share, and removes the cluster afterwards.
//
//	withpostgres [-durable] command [argument ...]
//	withpostgres -find
//
// It exits with the command's own code. If KONAK_TEST_POSTGRES already names a
// server, that one is used. If the machine has no PostgreSQL, the command still
// runs, and its tests report what they skip; in CI that is a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"konak/internal/kit/pgtest"
)

func main() {
	durable := flag.Bool("durable", false, "write to disk as in production, for benchmarks and crash tests")
	find := flag.Bool("find", false, "only print the folder of the server's programs")
	flag.Parse()
	if *find {
		dir, err := pgtest.FindBinaries()
		if err != nil {
			fmt.Fprintln(os.Stderr, "with-postgres:", err)
			os.Exit(1)
		}
		fmt.Println(dir)
		return
	}
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: with-postgres [-durable] command [argument ...] | with-postgres -find")
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code, err := run(ctx, pgtest.Options{Durable: *durable}, flag.Args())
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "with-postgres:", err)
	}
	os.Exit(code)
}

func run(ctx context.Context, o pgtest.Options, args []string) (code int, err error) {
	if os.Getenv(pgtest.EnvURL) == "" {
		server, err := pgtest.Start(o)
		switch {
		case errors.Is(err, pgtest.ErrNoServer) && os.Getenv("CI") == "":
			fmt.Fprintln(os.Stderr, "with-postgres: PostgreSQL tests are skipped:", err)
		case err != nil:
			return 1, err
		default:
			defer func() {
				if stopped := server.Stop(); stopped != nil {
					code, err = 1, errors.Join(err, stopped)
				}
			}()
			if err := os.Setenv(pgtest.EnvURL, server.URL()); err != nil {
				return 1, err
			}
		}
	}
	return command(ctx, args)
}

func command(ctx context.Context, args []string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The command may shut down in order before it is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &ended) && ended.ExitCode() >= 0:
		return ended.ExitCode(), nil
	default:
		return 1, fmt.Errorf("%s: %w", args[0], err)
	}
}
