package sipphone_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/sandbox/sipphone"
)

// patience is how long a test waits for expected events.
const patience = 30 * time.Second

func start(t *testing.T, cfg sipphone.Config) *sipphone.Phone {
	t.Helper()
	cfg.Clock = clock.System{}
	p, err := sipphone.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// dial calls a number at a phone and returns the reported states of the call.
func dial(t *testing.T, from, at *sipphone.Phone, number string) <-chan string {
	t.Helper()
	told := make(chan string, 10)
	err := from.Call(sipphone.Call{Server: at.Addr().String(), To: number, From: "+905551112233", Tell: func(s string) { told <- s }})
	if err != nil {
		t.Fatal(err)
	}
	return told
}

func want(t *testing.T, told <-chan string, begins ...string) {
	t.Helper()
	for _, b := range begins {
		select {
		case got := <-told:
			if !strings.HasPrefix(got, b) {
				t.Fatalf("told %q, want %q", got, b)
			}
		case <-time.After(patience):
			t.Fatalf("%q is not told", b)
		}
	}
}

// A call is answered, ends when its time is over, and is refused if there are too many or
// the number is a refusing one.
func TestCalls(t *testing.T) {
	t.Parallel()
	at := start(t, sipphone.Config{Calls: 1, Talk: 100 * time.Millisecond, Takes: func(number string) sipphone.Manner {
		switch number {
		case "+900":
			return sipphone.Manner{Refuse: 486}
		case "+901":
			return sipphone.Manner{Ring: time.Hour}
		}
		return sipphone.Manner{Ring: time.Millisecond}
	}})
	from := start(t, sipphone.Config{Calls: 2})
	want(t, dial(t, from, at, "+902;key=value"), "ringing", "answered", "ended")
	want(t, dial(t, from, at, "+900"), "refused: 486")
	rings := dial(t, from, at, "+901")
	want(t, rings, "ringing")
	want(t, dial(t, from, at, "+902"), "refused: 486") // one call too many there
	if err := from.Call(sipphone.Call{Server: at.Addr().String(), To: "+903", From: "+1"}); err != nil {
		t.Errorf("a second call: %v", err)
	}
	from.HangUp("+905551112233")
	want(t, rings, "no answer")
}

// A phone makes no more concurrent calls than allowed.
func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	at := start(t, sipphone.Config{Takes: func(string) sipphone.Manner { return sipphone.Manner{Ring: time.Hour} }})
	from := start(t, sipphone.Config{Calls: 1})
	want(t, dial(t, from, at, "+901"), "ringing")
	if err := from.Call(sipphone.Call{Server: at.Addr().String(), To: "+902", From: "+1"}); !errors.Is(err, sipphone.ErrBusy) {
		t.Errorf("one call too many: %v", err)
	}
}

// A phone does not talk to other machines.
func TestLoopbackOnly(t *testing.T) {
	t.Parallel()
	if p, err := sipphone.Start(sipphone.Config{Clock: clock.System{}, Listen: "0.0.0.0:0"}); err == nil {
		t.Error("it listens everywhere", p.Close())
	}
	p := start(t, sipphone.Config{})
	if err := p.Call(sipphone.Call{Server: "192.0.2.1:5060", To: "+902", From: "+901"}); err == nil {
		t.Error("it calls another machine")
	}
	want(t, dial(t, p, start(t, sipphone.Config{}), "+902"), "refused: 404") // nobody there takes calls
}
