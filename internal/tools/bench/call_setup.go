package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sipexchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/secret"
)

const (
	// setupCalls is the number of calls to set up, and setupAtOnce the number of them at a
	// time.
	setupCalls, setupAtOnce = 2000, 20
)

// setupTenant is the workspace of all calls of the measurement.
var setupTenant = uuid.MustParse("0190a000-0000-7000-8000-00000000000a")

// measureSetup makes one exchange call another, which answers, and then hangs up. It prints
// the number of calls set up per second. Both are in this process, and each writes the
// events of its legs to its store.
func measureSetup(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "konak-bench-calls")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	calls, err := startBenchExchange(ctx, dir+"/calls", 22000)
	if err != nil {
		return err
	}
	defer func() { _ = calls.Close(context.Background()) }()
	answers, err := startBenchExchange(ctx, dir+"/answers", 24000)
	if err != nil {
		return err
	}
	defer func() { _ = answers.Close(context.Background()) }()
	trunk := uuid.New()
	if err := errors.Join(
		answers.PutDevice(ctx, exchange.Device{Tenant: setupTenant, Username: "line", Extension: "100", HA1: secret.Of(sipexchange.HA1("line", sipexchange.Realm, "secret"))}),
		calls.PutTrunk(ctx, exchange.Trunk{Tenant: setupTenant, ID: trunk, Server: answers.Addr().String(), Username: "line", Password: secret.Of("secret")}),
	); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var answering sync.WaitGroup
	answering.Go(func() {
		_ = followEvents(ctx, answers, func(e exchange.Event) {
			if e.Type == exchange.LegIncomingEvent {
				_ = answers.Answer(ctx, setupTenant, e.Leg)
			}
		})
	})
	defer answering.Wait()
	defer stop()

	places := make(chan struct{}, setupAtOnce)
	before, elapsed := cpuTime(), clock.Stopwatch()
	var dialling sync.WaitGroup
	dialling.Go(func() {
		for range setupCalls {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if err := calls.Originate(ctx, exchange.Originate{Tenant: setupTenant, Leg: uuid.New(), Trunk: trunk, Number: "444"}); err != nil {
				stop()
				return
			}
		}
	})
	ended, answered := 0, 0
	done, finish := context.WithCancel(ctx)
	err = followEvents(done, calls, func(e exchange.Event) {
		switch e.Type {
		case exchange.LegAnsweredEvent:
			answered++
			_ = calls.Hangup(ctx, setupTenant, e.Leg, exchange.CauseNormal)
		case exchange.LegEndedEvent:
			<-places
			if ended++; ended == setupCalls {
				finish()
			}
		}
	})
	took, used := elapsed(), cpuTime()-before
	finish()
	dialling.Wait()
	if answered < setupCalls {
		return fmt.Errorf("%d of %d calls were answered: %w", answered, setupCalls, err)
	}
	fmt.Printf("  set up and ended: %.0f calls/s, %s of processor each for both exchanges\n", setupCalls/took.Seconds(), (used / setupCalls).Round(10*time.Microsecond))
	return nil
}

func startBenchExchange(ctx context.Context, dir string, port int) (*sipexchange.Exchange, error) {
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, 32))
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	limits := sipexchange.DefaultLimits
	limits.Messages, limits.MessagesPerAddress = 1_000_000, 1_000_000
	x, err := sipexchange.New(sipexchange.Config{
		Dir: dir, Box: box, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), FirstPort: port, LastPort: port + 1998, Limits: limits,
	})
	if err != nil {
		return nil, err
	}
	sockets, err := sipexchange.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return x, x.Start(ctx, sockets)
}

// followEvents passes the events of an exchange to fn until the context ends.
func followEvents(ctx context.Context, x *sipexchange.Exchange, fn func(exchange.Event)) error {
	for after := int64(0); ctx.Err() == nil; {
		events, err := x.Events(ctx, after, 200)
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.Cursor
			fn(e)
		}
		if len(events) == 0 {
			select {
			case <-ctx.Done():
			case <-x.Wake():
			}
		}
	}
	return ctx.Err()
}
