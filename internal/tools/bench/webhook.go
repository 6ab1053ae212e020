package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

const (
	webhookGroup = "Webhooks"
	hookRate     = 50 // events per second when time is measured
	hookSeconds  = 6
	hookPath     = "/api/erp/v1/webhooks"
	hookEvent    = "dlp.exception.created"
)

// hooks is a node whose workspaces have endpoints at our receiver.
type hooks struct {
	*node
	receiver *hookReceiver
	keys     []string // an API key of each workspace
	tenants  []uuid.UUID
}

// hookReceiver stands for the customers' servers. It is part of this process, so its work
// is in every figure.
type hookReceiver struct {
	addr    string
	got     atomic.Int64
	waitFor atomic.Int64
	done    chan struct{}
	mu      sync.Mutex
	arrived map[string]time.Time // by the event's number, when times are measured
}

func (r *hookReceiver) expect(n int64) {
	r.mu.Lock()
	r.arrived = map[string]time.Time{}
	r.mu.Unlock()
	r.got.Store(0)
	r.done = make(chan struct{})
	r.waitFor.Store(n)
}

// ServeHTTP implements http.Handler.
func (r *hookReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	now := time.Now()
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	if req.URL.Path == "/slow" {
		select {
		case <-time.After(4 * time.Second):
		case <-req.Context().Done():
		}
		return
	}
	if req.URL.Path == "/timed" {
		_, after, _ := bytes.Cut(b, []byte(`"number":"`))
		number, _, _ := bytes.Cut(after, []byte(`"`))
		r.mu.Lock()
		if _, again := r.arrived[string(number)]; !again {
			r.arrived[string(number)] = now
		}
		r.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
	if r.got.Add(1) == r.waitFor.Load() {
		close(r.done)
	}
}

// openHooks opens a node with the given number of workspaces, each with one endpoint.
func (e *env) openHooks(ctx context.Context, dialect db.Dialect, workspaces int) (*hooks, error) {
	h := &hooks{receiver: &hookReceiver{}}
	var err error
	if h.receiver.addr, err = e.serveHTTP(&http.Server{Handler: h.receiver}); err != nil {
		return nil, err
	}
	if h.node, err = e.openEmptyNode(ctx, dialect, clock.System{}); err != nil {
		return nil, err
	}
	if h.addr, err = e.serveHTTP(&http.Server{Handler: h.app.API.Handler()}); err != nil {
		return nil, err
	}
	for i := range workspaces {
		if err := h.workspace(ctx, i, "/", hookEvent); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// workspace adds a workspace with an endpoint at a path of the receiver.
func (h *hooks) workspace(ctx context.Context, i int, path, event string) error {
	slug := fmt.Sprintf("bench%d", i)
	w, _, err := createWorkspace(ctx, h.app, slug)
	if err != nil {
		return err
	}
	key, err := h.app.Identity.CreateKey(ctx, w.ID, "bench", false, []perm.Permission{perm.EventsEmit})
	if err != nil {
		return err
	}
	h.keys, h.tenants = append(h.keys, key.Reveal()), append(h.tenants, w.ID)
	token, err := signIn(ctx, h.app, slug)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"address": "http://" + h.receiver.addr + path, "events": []string{event}})
	if err != nil {
		return err
	}
	return h.post(ctx, hookPath, token, string(body))
}

// post sends a request to the node with a session or an API key.
func (h *node) post(ctx context.Context, path, token, body string) error {
	_, err := request(ctx, http.DefaultClient, http.MethodPost, "http://"+h.addr+path, bearer(token), body)
	return err
}

var filler = strings.Repeat("x", 500)

// emission returns a request of about 500 bytes that announces an event.
func emission(number int64) string {
	return fmt.Sprintf(`{"event":"%s","data":{"id":"1","number":"%012d","text":"%s"}}`, hookEvent, number, filler[:420])
}

// work runs the node's workers; the returned function stops them.
func (h *hooks) work(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { h.app.Work(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// accept sends events over the API as fast as it answers, spread over the
// workspaces.
func (h *hooks) accept(clients int, n int64) error {
	var sent atomic.Int64
	return atOnce(clients, func(i int) error {
		op, closing, err := dial(h.addr, "POST", hookPath+"/emit", h.keys[i%len(h.keys)], func() string { return emission(made.Add(1)) })
		if err != nil {
			return err
		}
		defer closing()
		for err == nil && sent.Add(1) <= n {
			err = op()
		}
		return err
	})
}

// atOnce runs fn for n callers at once and returns their errors.
func atOnce(n int, fn func(caller int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (r *hookReceiver) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d of %d deliveries arrived: %w", r.got.Load(), r.waitFor.Load(), ctx.Err())
	}
}

// fill announces events without the API, many to a transaction, spread over the
// workspaces.
func (h *hooks) fill(ctx context.Context, n int) error {
	const batch = 500
	for i := 0; n > 0; i++ {
		tenant := h.tenants[i%len(h.tenants)]
		ctx := caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant, Slug: "bench"})
		of := min(n, batch)
		err := h.app.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
			for range of {
				object := map[string]string{"id": "1", "number": fmt.Sprintf("%012d", made.Add(1)), "text": filler[:420]}
				if _, err := event.Emit(tx, event.Change{Type: hookEvent, Object: object, Emitted: true}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		n -= of
	}
	return nil
}

// measureWebhooks prints the performance of the webhook engine next to the most that the
// machine could do. Its parts have names, e.g. "Webhooks postgres 50 queue", so that each
// can be selected.
func measureWebhooks(ctx context.Context, e *env, o options) error {
	if !strings.Contains(o.only.String(), webhookGroup) && !o.only.MatchString(webhookGroup) {
		return nil
	}
	fmt.Printf("\n%s, %d events of 500 bytes, receiver and callers in this process\n", webhookGroup, o.events)
	if o.only.MatchString(webhookGroup + " raw") {
		if err := rawPosts(ctx, e, o.events); err != nil {
			return err
		}
	}
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		for _, p := range hookParts {
			if !o.only.MatchString(fmt.Sprintf("%s %s %s", webhookGroup, dialect, p.name)) {
				continue
			}
			err := p.run(ctx, e, dialect, o)
			if errors.Is(err, errSkip) {
				fmt.Printf("  %s: skipped, %v\n", dialect, err)
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

type hookPart struct {
	name string
	run  func(context.Context, *env, db.Dialect, options) error
}

var hookParts = []hookPart{
	{"raw", func(ctx context.Context, e *env, d db.Dialect, o options) error { return e.rawMarks(ctx, d, o.events) }},
	{"1 queue", withNode(1, (*hooks).queue)},
	{"1 flow", withNode(1, (*hooks).flow)},
	{"50 queue", withNode(50, (*hooks).queue)},
	{"50 flow", withNode(50, (*hooks).flow)},
	{"latency", withNode(1, (*hooks).latency)},
}

func withNode(endpoints int, run func(*hooks, context.Context, db.Dialect, options) error) func(context.Context, *env, db.Dialect, options) error {
	return func(ctx context.Context, e *env, dialect db.Dialect, o options) (err error) {
		if dialect == db.Postgres {
			if _, err := e.postgres(ctx); err != nil {
				return err
			}
		}
		// Each part runs in its own node, which is gone before the next one.
		one := newEnv()
		one.server = e.server
		defer func() {
			err = errors.Join(err, one.close())
			forget()
		}()
		h, err := one.openHooks(ctx, dialect, endpoints)
		if err != nil {
			return err
		}
		forget()
		return run(h, ctx, dialect, o)
	}
}

// forget returns unused memory to the system and resets the peak, so that the peak of
// memory is that of what follows.
func forget() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // if the kernel supports it
}

// queue measures events that wait when the workers begin.
func (h *hooks) queue(ctx context.Context, dialect db.Dialect, o options) error {
	n := float64(o.events)
	h.receiver.expect(int64(o.events))
	if err := h.fill(ctx, o.events); err != nil {
		return err
	}
	began, begin := cpuTime(), time.Now()
	stop := h.work(ctx)
	err := h.receiver.wait(ctx)
	took := time.Since(begin)
	stop()
	if err == nil {
		fmt.Printf("  %-8s %2d endpoints  a waiting queue: %6.0f delivered/s, %.3f ms CPU each\n",
			dialect, len(h.tenants), n/took.Seconds(), ms(cpuTime()-began)/n)
	}
	return err
}

// flow measures events that are accepted over HTTP and delivered meanwhile, by a process
// that has sent nothing yet and by the same one afterwards: at first only few deliveries to
// an endpoint may be in progress.
func (h *hooks) flow(ctx context.Context, dialect db.Dialect, o options) error {
	n := float64(o.events)
	defer h.work(ctx)()
	for _, state := range []string{"cold", "warm"} {
		h.receiver.expect(int64(o.events))
		began, begin := cpuTime(), time.Now()
		if err := h.accept(max(o.clients, len(h.keys)), int64(o.events)); err != nil {
			return err
		}
		accepted := time.Since(begin)
		if err := h.receiver.wait(ctx); err != nil {
			return err
		}
		took := time.Since(begin)
		fmt.Printf("  %-8s %2d endpoints, %s: accepted %6.0f/s over HTTP, delivered %6.0f/s, %.3f ms CPU each, peak memory %d MB\n",
			dialect, len(h.tenants), state, n/accepted.Seconds(), n/took.Seconds(), ms(cpuTime()-began)/n, memoryOf("self", "VmHWM"))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// latency measures the time from the commit of an event to its receipt at a steady rate,
// alone and next to an endpoint that takes four seconds.
func (h *hooks) latency(ctx context.Context, dialect db.Dialect, _ options) error {
	n := len(h.keys)
	if err := h.workspace(ctx, 1000, "/timed", hookEvent); err != nil {
		return err
	}
	if err := h.workspace(ctx, 1001, "/slow", hookEvent); err != nil {
		return err
	}
	timed, slow := h.keys[n], h.keys[n+1]
	stop := h.work(ctx)
	defer stop()
	p50, p99, err := h.measureLatency(ctx, timed)
	if err != nil {
		return err
	}
	fmt.Printf("  %-8s at %d events/s from commit to receipt: p50 %.1f ms, p99 %.1f ms\n", dialect, hookRate, p50, p99)
	for range 400 {
		if err := h.post(ctx, hookPath+"/emit", slow, emission(made.Add(1))); err != nil {
			return err
		}
	}
	p50, p99, err = h.measureLatency(ctx, timed)
	if err != nil {
		return err
	}
	fmt.Printf("  %-8s the same beside a neighbour with 400 events that answers in 4 s: p50 %.1f ms, p99 %.1f ms\n", dialect, p50, p99)
	return nil
}

func (h *hooks) measureLatency(ctx context.Context, key string) (p50, p99 float64, err error) {
	const n = hookRate * hookSeconds
	h.receiver.expect(n)
	sent := make(map[string]time.Time, n)
	tick := time.NewTicker(time.Second / hookRate)
	defer tick.Stop()
	for range n {
		<-tick.C
		number := made.Add(1)
		if err := h.post(ctx, hookPath+"/emit", key, emission(number)); err != nil {
			return 0, 0, err
		}
		sent[fmt.Sprintf("%012d", number)] = time.Now()
	}
	if err := h.receiver.wait(ctx); err != nil {
		return 0, 0, err
	}
	h.receiver.mu.Lock()
	defer h.receiver.mu.Unlock()
	var all []float64
	for number, at := range sent {
		// The answer is sent after the commit, so an event may arrive before it.
		all = append(all, max(ms(h.receiver.arrived[number].Sub(at)), 0))
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*99/100], nil
}
