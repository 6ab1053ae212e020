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
	"syscall"
	"time"
)

func main() {
	o := options{only: regexp.MustCompile("")}
	flag.DurationVar(&o.slice, "slice", 400*time.Millisecond, "how long one measurement lasts")
	flag.IntVar(&o.rounds, "rounds", 9, "measurements of each benchmark, in turns; the median counts")
	flag.IntVar(&o.clients, "clients", 32, "callers at once")
	flag.IntVar(&o.events, "events", 20_000, "events that the webhook engine is given")
	flag.TextVar(o.only, "only", o.only, "regular expression of the benchmarks to measure")
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
	slice            time.Duration
	rounds           int
	clients          int
	events           int
	only             *regexp.Regexp
	profile, against string
	answer           bool
	postfix          string
}

func run(ctx context.Context, o options) (err error) {
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
	e := newEnv()
	e.postfix = o.postfix
	defer func() { err = errors.Join(err, e.close()) }()
	if o.answer {
		return answer(ctx, e, o, os.Stdin, os.Stdout)
	}
	fmt.Printf("%s, %d cores, %d clients, median of %d × %s\n", runtime.Version(), runtime.NumCPU(), o.clients, o.rounds, o.slice)
	if o.against != "" {
		return compare(ctx, o)
	}
	for _, g := range table {
		if g = g.part(o.only); len(g.marks) == 0 {
			continue
		}
		if err := g.run(ctx, e, o); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context, *env, options) error
	}{
		{webhookGroup, measureWebhooks},
		{streamGroup, measureStreams},
		{searchGroup, measureSearch},
		{besideGroup, measureBeside},
		{assistantGroup, measureAssistant},
		{callGroup, measureCalls},
		{processGroup, measureProcess},
	} {
		if err := part.measure(ctx, e, o); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
