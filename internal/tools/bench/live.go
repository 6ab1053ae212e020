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
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

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
func measureStreams(ctx context.Context, e *env, o options) error {
	return e.onDatabases(ctx, o, streamGroup, func(h *node) error {
		fmt.Printf("\n%s, %s: from the commit to a stream, %d events a second\n", streamGroup, h.dialect(), streamRate)
		w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "streams\tp50\tp99\tlast\tevents\tmessages\tmissed\tCPU a message\t")
		for _, n := range []int{1, 100, 1000} {
			if err := h.streams(ctx, w, h, n, streamRate*streamSeconds); err != nil {
				return err
			}
		}
		if h.dialect() == db.Postgres {
			if err := e.streamsOfAnotherNode(ctx, h, w); err != nil {
				return err
			}
		}
		return w.Flush()
	})
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
		if err := h.streams(ctx, w, other, n, streamRate*streamSeconds); err != nil {
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

// streams opens n streams at a node of the same database and writes so many events.
func (h *node) streams(ctx context.Context, w io.Writer, at *node, n, events int) error {
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
	if err := h.writeEvents(ctx, events, func(number int64) { a.committed.Store(number, time.Now()) }); err != nil {
		return err
	}
	tick := time.NewTicker(time.Second / streamRate)
	defer tick.Stop()
	for began := time.Now(); a.got.Load() < int64(n*events) && time.Since(began) < 10*time.Second; {
		<-tick.C
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

// writeEvents commits n events at the rate of the streams, and calls committed with the
// number of each.
func (h *node) writeEvents(ctx context.Context, n int, committed func(number int64)) error {
	ctx = h.asOwner(ctx)
	tick := time.NewTicker(time.Second / streamRate)
	defer tick.Stop()
	for range n {
		<-tick.C
		number := made.Add(1)
		if _, err := h.app.Mail.AddException(ctx, fmt.Sprintf("a%012d@example.com", number), ""); err != nil {
			return err
		}
		committed(number)
	}
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
func measureSearch(ctx context.Context, e *env, o options) error {
	return e.onDatabases(ctx, o, searchGroup, func(h *node) error { return h.searches(ctx, large, searches) })
}

// search searches the inbox of a workspace and returns the status of the answer.
func (h *node) search(ctx context.Context, token, text string) (int, error) {
	resp, err := h.send(ctx, http.DefaultClient, token, "/api/crm/v1/conversations/search?q="+url.QueryEscape(text))
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, errors.Join(err, resp.Body.Close())
}

// searchOnce searches until the index is built and the search is answered.
func (h *node) searchOnce(ctx context.Context, token string) error {
	for {
		status, err := h.search(ctx, token, "teslimat")
		if err != nil || status == http.StatusOK {
			return err
		}
		if status != http.StatusServiceUnavailable {
			return fmt.Errorf("a search was answered %d", status)
		}
	}
}

// searches searches so many times in an inbox of a size.
func (h *node) searches(ctx context.Context, size, times int) error {
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
	begin := time.Now()
	if err := h.searchOnce(ctx, token); err != nil {
		return err
	}
	_, held := h.app.Finder.Held()
	fmt.Printf("\n%s, %s: %d conversations with two messages of 8 to 32 words, over HTTP; index made in %s, %d MiB\n",
		searchGroup, h.dialect(), size, time.Since(begin).Round(10*time.Millisecond), held>>20)
	t := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "clients\tper second\tp50\tp99\tlast\t")
	for _, clients := range []int{1, 8} {
		took := make([][]time.Duration, clients)
		begin := time.Now()
		err := atOnce(clients, func(c int) error {
			ask := newWords(uint64(100 + c))
			for range times / clients {
				q := ask.text(1 + ask.rng.IntN(3))
				from := time.Now()
				status, err := h.search(ctx, token, q)
				took[c] = append(took[c], time.Since(from))
				if err != nil || status != http.StatusOK {
					return fmt.Errorf("%q was answered %d, %w", q, status, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		all := slices.Concat(took...)
		rate := float64(len(all)) / time.Since(begin).Seconds()
		slices.Sort(all)
		fmt.Fprintf(t, "%d\t%.0f\t%s\t%s\t%s\t\n", clients, rate, quantile(all, .5), quantile(all, .99), quantile(all, 1))
	}
	return t.Flush()
}
