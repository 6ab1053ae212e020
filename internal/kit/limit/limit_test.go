package limit_test

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/limit"
)

var start = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func TestBurstAndPace(t *testing.T) {
	t.Parallel()
	c := clock.NewFake(start)
	m := limit.NewMemory(c, 1)
	p := limit.Policy{Name: "credential", Burst: 3, Window: time.Minute}
	k := limit.OfText("somebody")
	for want := 2; want >= 0; want-- {
		if r := m.Take(t.Context(), p, k); !r.Allowed || r.Remaining != want {
			t.Fatalf("%+v, want %d left", r, want)
		}
	}
	r := m.Take(t.Context(), p, k)
	if r.Allowed || r.RetryAfter != 20*time.Second || limit.Seconds(r.RetryAfter) != 20 {
		t.Fatalf("past the burst: %+v", r)
	}
	if !m.Take(t.Context(), p, limit.OfText("somebody else")).Allowed {
		t.Error("another key is held up")
	}
	c.Advance(r.RetryAfter)
	if !m.Take(t.Context(), p, k).Allowed || m.Take(t.Context(), p, k).Allowed {
		t.Error("the pace is not one in twenty seconds")
	}
}

// No window ever allows more than twice the burst, and a refusal correctly says when to
// come back.
func TestWindowNeverAllowsMoreThanTwiceBurst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := clock.NewFake(start)
		m := limit.NewMemory(c, 1)
		p := limit.Policy{Name: "p", Burst: rapid.IntRange(1, 10).Draw(t, "burst"), Window: time.Minute}
		k := limit.OfText("k")
		var allowed []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "uses") {
			c.Advance(time.Duration(rapid.Int64Range(0, 20_000_000).Draw(t, "µs")) * time.Microsecond)
			r := m.Take(t.Context(), p, k)
			if !r.Allowed {
				c.Advance(time.Duration(limit.Seconds(r.RetryAfter)) * time.Second)
				if !m.Take(t.Context(), p, k).Allowed {
					t.Fatalf("refused again after %v", r.RetryAfter)
				}
			}
			allowed = append(allowed, c.Now())
			n := 0
			for _, at := range allowed {
				if c.Now().Sub(at) < p.Window {
					n++
				}
			}
			if n > 2*p.Burst {
				t.Fatalf("%d in a window of %d", n, p.Burst)
			}
		}
	})
}

// Each of many keys has its own burst.
func TestManyKeys(t *testing.T) {
	t.Parallel()
	c := clock.NewFake(start)
	m := limit.NewMemory(c, 1)
	p := limit.Policy{Name: "ip", Burst: 5, Window: time.Second}
	for i := range 50_000 {
		var a [16]byte
		a[0], a[1], a[5], a[6], a[7] = 0x20, 0x01, byte(i>>16), byte(i>>8), byte(i)
		if !m.Take(t.Context(), p, limit.OfIP(netip.AddrFrom16(a).String())).Allowed {
			t.Fatal("a fresh address is refused")
		}
	}
}

func TestOfIP(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"},
		{"::ffff:192.0.2.1", "192.0.2.1"},
		{"fe80::1%eth0", "fe80::2%eth1"},
	}
	for _, c := range same {
		if limit.OfIP(c[0]) != limit.OfIP(c[1]) {
			t.Errorf("%s and %s are told apart", c[0], c[1])
		}
	}
	if limit.OfIP("192.0.2.1") == limit.OfIP("192.0.2.2") || limit.OfIP("2001:db8:1:2::1") == limit.OfIP("2001:db8:1:3::1") {
		t.Error("two addresses are one")
	}
}

// A clock that is set back holds nobody up for longer than a window: a holder who had used
// up everything continues at the even pace.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		for name, l := range map[string]limit.Limiter{
			"memory": limit.NewMemory(c, 1), "shared": limit.NewShared(d, slog.New(slog.DiscardHandler), 1),
		} {
			p := limit.Policy{Name: name, Burst: 10, Window: 5 * time.Minute, Strict: true}
			k := limit.OfText("x")
			c.Set(dbtest.Start)
			for range p.Burst {
				l.Take(t.Context(), p, k)
			}
			c.Set(dbtest.Start.Add(-24 * time.Hour))
			if r := l.Take(t.Context(), p, k); r.Allowed || r.RetryAfter > 30*time.Second || r.Reset > 5*time.Minute {
				t.Errorf("%s: after the clock was set back %+v", name, r)
			}
			allowed := 0
			for range p.Burst {
				c.Advance(30 * time.Second)
				for range 2 {
					if l.Take(t.Context(), p, k).Allowed {
						allowed++
					}
				}
			}
			if allowed < p.Burst-1 || allowed > p.Burst { // the first node to ask corrects the count
				t.Errorf("%s: %d were allowed in the window after that", name, allowed)
			}
			c.Advance(5 * time.Minute)
			if r := l.Take(t.Context(), p, k); !r.Allowed || r.Remaining != 9 {
				t.Errorf("%s: after a window %+v", name, r)
			}
		}
	})
}
