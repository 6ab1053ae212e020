// Bench measures a node against the raw limits of the machine it runs on,
// both in one run: a bare net/http handler, and for a write the same statements
// behind one. Absolute figures differ from machine to machine, the shares only a
// little.
//
//	bench [-slice 400ms] [-rounds 9] [-clients 32] [-only regexp] [-against program]
//
// -only is matched against "group: benchmark", so that a single one can be measured.
// -against names another build of this program: both are measured in turns.
//
// PostgreSQL is the server that KONAK_TEST_POSTGRES names, or a private durable
// cluster. To add a benchmark, add a row to the table in table.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.DurationVar(&o.slice, "slice", 400*time.Millisecond, "how long one measurement lasts")
	flag.IntVar(&o.rounds, "rounds", 9, "measurements of each benchmark, in turns; the median counts")
	flag.IntVar(&o.clients, "clients", 32, "callers at once")
	flag.IntVar(&o.events, "events", 20_000, "events that the webhook engine is given")
	flag.StringVar(&o.only, "only", "", "regular expression of the benchmarks to measure")
	flag.StringVar(&o.against, "against", "", "another build of this program to compare with, in turns")
	flag.BoolVar(&o.answer, "answer", false, "measure what is asked for by name on standard input, for -against")
	flag.StringVar(&o.profile, "profile", "", "file to write a CPU profile to")
	flag.StringVar(&o.postfix, "postfix", os.Getenv("KONAK_BENCH_POSTFIX"), "host:port of a Postfix on this machine that takes mail for other.example, to compare with; scripts/with-postfix starts one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	slice         time.Duration
	rounds        int
	clients       int
	events        int
	only, profile string
	against       string
	answer        bool
	postfix       string
}

func run(ctx context.Context, o options) (err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	e := &env{postfix: o.postfix}
	defer func() { err = errors.Join(err, e.close()) }()
	if o.answer {
		return answer(ctx, e, o, os.Stdin, os.Stdout)
	}
	fmt.Printf("%s, %d cores, %d clients, median of %d × %s\n", runtime.Version(), runtime.NumCPU(), o.clients, o.rounds, o.slice)
	if o.against != "" {
		return compare(ctx, o, only)
	}
	for _, g := range table {
		if g = g.part(only); len(g.marks) == 0 {
			continue
		}
		if err := g.run(ctx, e, o); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	if strings.Contains(o.only, webhookGroup) || only.MatchString(webhookGroup) {
		if err := measureWebhooks(ctx, e, o, only); err != nil {
			return fmt.Errorf("%s: %w", webhookGroup, err)
		}
	}
	if err := measureStreams(ctx, e, only); err != nil {
		return fmt.Errorf("%s: %w", streamGroup, err)
	}
	if err := measureSearch(ctx, e, only); err != nil {
		return fmt.Errorf("%s: %w", searchGroup, err)
	}
	if err := measureBeside(ctx, e, only); err != nil {
		return fmt.Errorf("%s: %w", besideGroup, err)
	}
	if err := measureAssistant(ctx, e, only); err != nil {
		return fmt.Errorf("%s: %w", assistantGroup, err)
	}
	if err := measureCalls(ctx, only); err != nil {
		return fmt.Errorf("%s: %w", callGroup, err)
	}
	if only.MatchString(processGroup) {
		return measureProcess(ctx, e)
	}
	return nil
}
