package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"text/tabwriter"
	"time"
)

// matchingNames returns the benchmarks whose name, "group: benchmark", matches the
// expression.
func matchingNames(only *regexp.Regexp) (names []string, marks map[string]mark) {
	marks = map[string]mark{}
	for _, g := range table {
		for _, m := range g.marks {
			if name := g.name + ": " + m.name; only.MatchString(name) {
				names, marks[name] = append(names, name), m
			}
		}
	}
	return names, marks
}

// answer runs the benchmarks named on in, one per line, and writes a sample for each to
// out.
func answer(ctx context.Context, e *env, o options, in io.Reader, out io.Writer) error {
	_, marks := matchingNames(regexp.MustCompile(""))
	for lines := bufio.NewScanner(in); lines.Scan(); {
		m, ok := marks[lines.Text()]
		if !ok {
			return fmt.Errorf("there is no benchmark %q", lines.Text())
		}
		s, err := m.measure(ctx, e, o)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(out).Encode(s); err != nil {
			return err
		}
	}
	return nil
}

// child is a benchmark program that was started with -answer.
type child struct {
	ask  io.WriteCloser
	out  *json.Decoder
	wait func() error
}

func startChild(ctx context.Context, binary string, o options) (*child, error) {
	cmd := exec.CommandContext(ctx, binary, "-answer", "-slice", o.slice.String(), "-clients", fmt.Sprint(o.clients))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &child{in, json.NewDecoder(out), cmd.Wait}, cmd.Start()
}

func (c *child) measure(name string) (s sample, err error) {
	if _, err = fmt.Fprintln(c.ask, name); err == nil {
		err = c.out.Decode(&s)
	}
	return s, err
}

// compare measures this program and another build of it in turns, so that other work of the
// machine affects both, and prints this one's share.
func compare(ctx context.Context, o options) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var programs [2]*child
	for i, binary := range []string{o.against, self} {
		if programs[i], err = startChild(ctx, binary, o); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, programs[i].ask.Close(), programs[i].wait()) }()
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "per second\tbefore\tshare\tCPU each\tbefore\tPostgreSQL's\tbefore\t\t")
	names, _ := matchingNames(o.only)
	for _, name := range names {
		var samples [2][]sample
		shares := make([]float64, o.rounds)
		for round := range o.rounds {
			for turn := range programs {
				p := (round + turn) % 2
				s, err := programs[p].measure(name)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				samples[p] = append(samples[p], s)
			}
			shares[round] = 100 * samples[1][round].Rate / samples[0][round].Rate
		}
		rate := func(s sample) float64 { return s.Rate }
		cpu := func(s sample) time.Duration { return s.CPU.Round(time.Microsecond) }
		postgres := func(s sample) time.Duration { return s.Postgres.Round(time.Microsecond) }
		fmt.Fprintf(w, "%.0f\t%.0f\t%.0f %%\t%s\t%s\t%s\t%s\t\t%s\n", median(samples[1], rate), median(samples[0], rate), median(shares, same),
			median(samples[1], cpu), median(samples[0], cpu), perOperation(median(samples[1], postgres)), perOperation(median(samples[0], postgres)), name)
	}
	return w.Flush()
}
