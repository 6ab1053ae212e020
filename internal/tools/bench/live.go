package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

const (
	streamGroup   = "Streams"
	streamRate    = 20 // events per second
	streamSeconds = 10
	searchGroup   = "Search"
	searches      = 1500
)

// measureStreams measures the time from a commit to its arrival at every open stream. The
// streams' readers are part of this process.
func measureStreams(ctx context.Context, e *env, only *regexp.Regexp) error {
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		if name := streamGroup + ", " + string(d); !only.MatchString(name) {
			continue
		}
		h, err := e.node(ctx, d)
		if errors.Is(err, errSkip) {
			fmt.Printf("\n%s, %s: skipped, %v\n", streamGroup, d, err)
			continue
		}
		if err != nil {
			return err
		}
		fmt.Printf("\n%s, %s: from the commit to a stream, %d events a second\n", streamGroup, d, streamRate)
		w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "streams\tp50\tp99\tlast\tevents\tmessages\tmissed\tCPU a message\t")
		for _, n := range []int{1, 100, 1000} {
			if err := h.streams(ctx, w, n, streamRate*streamSeconds); err != nil {
				return err
			}
		}
		if d == db.Postgres {
			if err := e.streamsOfAnotherNode(ctx, h, w); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// streamsOfAnotherNode opens the streams at a second node on the same database
// and writes at the first one.
func (e *env) streamsOfAnotherNode(ctx context.Context, h *node, w io.Writer) error {
	other, err := e.secondNode(ctx, h)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "streams of another node\t\t\t\t\t\t\t\t")
	for _, n := range []int{1, 100} {
		if err := h.streamsAt(ctx, w, other, n, streamRate*streamSeconds); err != nil {
			return err
		}
	}
	return nil
}

// arrivals are the times of one measurement.
type arrivals struct {
	committed sync.Map // number of the address → time
	mu        sync.Mutex
	took      []time.Duration
	got       atomic.Int64
}

func (a *arrivals) read(body io.Reader) {
	lines := bufio.NewReaderSize(body, 2<<10)
	var took []time.Duration
	for {
		line, err := lines.ReadSlice('\n')
		now := time.Now()
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		_, rest, ok := bytes.Cut(line, []byte(`"email":"a`))
		if !ok || len(rest) < 12 {
			continue
		}
		number, _ := strconv.ParseInt(string(rest[:12]), 10, 64)
		// The event may arrive here before the call that wrote it has returned.
		at, ok := a.committed.Load(number)
		for ; !ok; at, ok = a.committed.Load(number) {
			if now = time.Now(); errors.Is(err, io.EOF) {
				return
			}
		}
		took = append(took, max(now.Sub(at.(time.Time)), 0))
		a.got.Add(1)
	}
	a.mu.Lock()
	a.took = append(a.took, took...)
	a.mu.Unlock()
}

// streams opens n streams and writes so many events.
func (h *node) streams(ctx context.Context, w io.Writer, n, events int) error {
	return h.streamsAt(ctx, w, h, n, events)
}

// streamsAt opens the streams at a node of the same database.
func (h *node) streamsAt(ctx context.Context, w io.Writer, at *node, n, events int) error {
	a := &arrivals{}
	opened, err := newOpenStreams(ctx, at, "events", n)
	if err != nil {
		return err
	}
	defer opened.close()
	opened.read = a.read
	if err := opened.open(n); err != nil {
		return err
	}
	before := cpuTime()
	act := caller.With(ctx, &caller.Caller{Kind: caller.Agent, TenantID: h.tenant, Slug: "bench", ID: h.member})
	tick := time.NewTicker(time.Second / streamRate)
	defer tick.Stop()
	for range events {
		<-tick.C
		number := made.Add(1)
		if _, err := h.app.Mail.AddException(act, fmt.Sprintf("a%012d@example.com", number), ""); err != nil {
			return err
		}
		a.committed.Store(number, time.Now())
	}
	patience := time.After(10 * time.Second)
	for a.got.Load() < int64(n*events) {
		select {
		case <-patience:
		case <-tick.C:
			continue
		}
		break
	}
	cpu := cpuTime() - before
	opened.close()
	slices.Sort(a.took)
	got := len(a.took)
	if got == 0 {
		return errors.New("nothing arrived")
	}
	fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t\n", n, quantile(a.took, .5), quantile(a.took, .99), quantile(a.took, 1),
		events, got, n*events-got, (cpu / time.Duration(got)).Round(100*time.Nanosecond))
	return nil
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Round(10 * time.Microsecond)
}

// words draws words unevenly, as people use them.
type words struct {
	list []string
	draw *rand.Zipf
	rng  *rand.Rand
}

func newWords(seed uint64) *words {
	syllables := []string{"ka", "le", "mi", "to", "şe", "bur", "dan", "gü", "ner", "yı", "zel", "kö", "par", "sı", "lan", "çe", "ğin", "ör", "ut", "mak"}
	w := &words{rng: rand.New(rand.NewPCG(seed, 7))}
	w.list = []string{"sipariş", "teslimat", "kargo", "fatura", "iade", "ürün", "ödeme", "adres", "bugün", "yarın", "lütfen", "merhaba", "teşekkürler", "koltuk", "masa", "renk"}
	make1 := rand.New(rand.NewPCG(1, 1)) // the same words for every seed
	for len(w.list) < 8000 {
		word := ""
		for range 2 + make1.IntN(3) {
			word += syllables[make1.IntN(len(syllables))]
		}
		w.list = append(w.list, word)
	}
	w.draw = rand.NewZipf(w.rng, 1.1, 8, uint64(len(w.list)-1))
	return w
}

func (w *words) text(n int) string {
	var b bytes.Buffer
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.list[w.draw.Uint64()])
	}
	return b.String()
}

// measureSearch measures searches in a large inbox over HTTP.
func measureSearch(ctx context.Context, e *env, only *regexp.Regexp) error {
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		if name := searchGroup + ", " + string(d); !only.MatchString(name) {
			continue
		}
		h, err := e.node(ctx, d)
		if errors.Is(err, errSkip) {
			fmt.Printf("\n%s, %s: skipped, %v\n", searchGroup, d, err)
			continue
		}
		if err != nil {
			return err
		}
		if err := h.searches(ctx, d, large, searches); err != nil {
			return err
		}
	}
	return nil
}

// searches searches so many times in an inbox of a size.
func (h *node) searches(ctx context.Context, d db.Dialect, size, times int) error {
	w, _, err := createWorkspace(ctx, h.app, "library")
	if err != nil {
		return err
	}
	token, err := signIn(ctx, h.app, "library")
	if err != nil {
		return err
	}
	source := newWords(3)
	if err := fillTexts(ctx, h.app.DB, w.ID, size, func() (string, string) { return source.text(3), source.text(8 + source.rng.IntN(25)) }); err != nil {
		return err
	}
	search := func(q string) (int, error) {
		resp, err := h.send(ctx, http.DefaultClient, token, "/api/crm/v1/conversations/search?q="+url.QueryEscape(q))
		if err != nil {
			return 0, err
		}
		defer func() { _ = resp.Body.Close() }()
		_, err = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, err
	}
	begin := time.Now()
	for status := 0; status != http.StatusOK; {
		if status, err = search("teslimat"); err != nil {
			return err
		}
		if status != http.StatusOK && status != http.StatusServiceUnavailable {
			return fmt.Errorf("a search returned %d", status)
		}
	}
	_, held := h.app.Finder.Held()
	fmt.Printf("\n%s, %s: %d conversations with two messages of 8 to 32 words, over HTTP; index made in %s, %d MiB\n",
		searchGroup, d, size, time.Since(begin).Round(10*time.Millisecond), held>>20)
	t := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "clients\tper second\tp50\tp99\tlast\t")
	for _, clients := range []int{1, 8} {
		var mu sync.Mutex
		var took []time.Duration
		var wg sync.WaitGroup
		var failed error
		begin := time.Now()
		for c := range clients {
			ask := newWords(uint64(100 + c))
			wg.Go(func() {
				for range times / clients {
					q := ask.text(1 + ask.rng.IntN(3))
					from := time.Now()
					status, err := search(q)
					mu.Lock()
					if took = append(took, time.Since(from)); err != nil || status != http.StatusOK {
						failed = fmt.Errorf("%q was answered %d, %w", q, status, err)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if failed != nil {
			return failed
		}
		rate := float64(len(took)) / time.Since(begin).Seconds()
		slices.Sort(took)
		fmt.Fprintf(t, "%d\t%.0f\t%s\t%s\t%s\t\n", clients, rate, quantile(took, .5), quantile(took, .99), quantile(took, 1))
	}
	return t.Flush()
}
