package main

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"time"
)

// latencies are the times of single searches, sorted, and of the whole run.
type latencies struct {
	each  []time.Duration
	whole time.Duration
	cpu   time.Duration // of the process; more exact on a busy machine
}

func (l *latencies) at(share float64) time.Duration {
	if len(l.each) == 0 {
		return 0
	}
	return l.each[min(int(share*float64(len(l.each))), len(l.each)-1)]
}

func (l *latencies) perSecond() float64 { return float64(len(l.each)) / l.whole.Seconds() }

// cpuTime returns the CPU time that the process has used so far, on all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measureLatency asks all questions rounds times from a number of clients.
func measureLatency(find finder, questions []question, clients, rounds int) (*latencies, error) {
	var wg sync.WaitGroup
	parts := make([][]time.Duration, clients)
	failed := make([]error, clients)
	began, cpu := time.Now(), cpuTime()
	for c := range clients {
		wg.Go(func() {
			// Clients start at different questions so that they do not run in step.
			for i := c; i < rounds*len(questions); i += clients {
				q := questions[(i*7+c*31)%len(questions)]
				t := time.Now()
				if _, err := find(q.Text); err != nil {
					failed[c] = err
					return
				}
				parts[c] = append(parts[c], time.Since(t))
			}
		})
	}
	wg.Wait()
	l := &latencies{whole: time.Since(began), cpu: cpuTime() - cpu, each: slices.Concat(parts...)}
	slices.Sort(l.each)
	return l, errors.Join(failed...)
}
