package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"konak/internal/kit/each"
)

// group is a group of benchmarks that are compared with the first of them, the raw limit.
type group struct {
	name  string
	marks []mark
}

// mark is one benchmark.
type mark struct {
	name string
	// target is the lowest acceptable share of the group's limit; 0 for none.
	target float64
	open   opener
}

// opener prepares the work of one caller; close may be nil.
type opener func(ctx context.Context, e *env, caller int) (op func() error, close func(), err error)

// sample is the result of one measurement.
type sample struct {
	Rate     float64
	P50, P99 time.Duration
	// CPU is the CPU time of this process, including the callers, for one operation. On a
	// machine that others use too it says more than the rate. Postgres is the CPU time that
	// PostgreSQL's processes for our databases used in addition.
	CPU, Postgres time.Duration
}

// part returns the group with its limit and the benchmarks that match the expression.
func (g group) part(only *regexp.Regexp) group {
	marks := g.marks[:1:1]
	for _, m := range g.marks[1:] {
		if only.MatchString(g.name + ": " + m.name) {
			marks = append(marks, m)
		}
	}
	if len(marks) == 1 && !only.MatchString(g.name+": "+marks[0].name) {
		marks = nil
	}
	return group{g.name, marks}
}

// run measures the group's marks in turns, so that other work of the machine affects all of
// them.
func (g group) run(ctx context.Context, e *env, o options) error {
	samples := make([][]sample, len(g.marks))
	for range o.rounds {
		for i, m := range g.marks {
			s, err := m.measure(ctx, e, o)
			if errors.Is(err, errSkip) {
				fmt.Printf("\n%s: skipped, %v\n", g.name, err)
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	fmt.Printf("\n%s\n", g.name)
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "per second\tp50\tp99\tCPU each\tPostgreSQL's\tof the limit\tby CPU\ttarget\t\t")
	for i, m := range g.marks {
		// Each measurement is compared with the limit's measurement of the same round.
		shares, byCPU := make([]float64, o.rounds), make([]float64, o.rounds)
		for r, s := range samples[i] {
			limit := samples[0][r]
			shares[r], byCPU[r] = 100*s.Rate/limit.Rate, 100*float64(limit.CPU+limit.Postgres)/float64(s.CPU+s.Postgres)
		}
		target := ""
		if m.target > 0 {
			target = fmt.Sprintf("%.0f %%", 100*m.target)
		}
		fmt.Fprintf(w, "%.0f\t%s\t%s\t%s\t%s\t%.0f %%\t%.0f %%\t%s\t\t%s\n",
			median(samples[i], func(s sample) float64 { return s.Rate }),
			median(samples[i], func(s sample) time.Duration { return s.P50 }).Round(10*time.Microsecond),
			median(samples[i], func(s sample) time.Duration { return s.P99 }).Round(10*time.Microsecond),
			median(samples[i], func(s sample) time.Duration { return s.CPU }).Round(100*time.Nanosecond),
			perOperation(median(samples[i], func(s sample) time.Duration { return s.Postgres })),
			median(shares, same), median(byCPU, same), target, m.name)
	}
	return w.Flush()
}

func same(f float64) float64 { return f }

func median[T any, N cmp.Ordered](list []T, of func(T) N) N {
	values := each.Map(list, of)
	slices.Sort(values)
	return values[len(values)/2]
}

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure lets the callers work for one slice. The first tenth is not counted: connections,
// caches and statements are created in it.
func (m mark) measure(ctx context.Context, e *env, o options) (sample, error) {
	ops := make([]func() error, o.clients)
	for i := range ops {
		op, closing, err := m.open(ctx, e, i)
		if err != nil {
			return sample{}, err
		}
		if closing != nil {
			defer closing()
		}
		ops[i] = op
	}
	began, beganPostgres, done := cpuTime(), e.postgresWorked(), 0
	begin := time.Now().Add(o.slice / 10)
	end := begin.Add(o.slice)
	times, errs := make([][]time.Duration, o.clients), make([]error, o.clients)
	counts := make([]int, o.clients)
	var wg sync.WaitGroup
	for i, op := range ops {
		wg.Go(func() {
			for last := time.Now(); last.Before(end) && ctx.Err() == nil; {
				if errs[i] = op(); errs[i] != nil {
					return
				}
				counts[i]++
				now := time.Now()
				if last.After(begin) {
					times[i] = append(times[i], now.Sub(last))
				}
				last = now
			}
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return sample{}, err
	}
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	if len(all) == 0 {
		return sample{}, errors.New("nothing was done in one slice; choose a longer one")
	}
	for _, n := range counts {
		done += n
	}
	return sample{
		Rate: float64(len(all)) / o.slice.Seconds(),
		P50:  all[len(all)/2], P99: all[len(all)*99/100],
		CPU: (cpuTime() - began) / time.Duration(done), Postgres: (e.postgresWorked() - beganPostgres) / time.Duration(done),
	}, nil
}
