// Command evalsearch measures the advisor's search on a corpus and a set of
// questions: quality per set, with and without diacritics, with a typo,
// citations, latency, memory, and what each ranking rule is worth. It prints
// Markdown. See docs/advisor-ranking.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"time"

	"konak/internal/advisor"
	"konak/internal/kit/each"
	"konak/internal/kit/search"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "evalsearch:", err)
		os.Exit(1)
	}
}

type options struct {
	corpus, qrels string
	ablation      bool
	times         int
	citations     int
	misses        bool
	rivals        bool
}

func run(args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("evalsearch", flag.ContinueOnError)
	flags.StringVar(&o.corpus, "corpus", "", "corpus file (JSON Lines, gzip allowed)")
	flags.StringVar(&o.qrels, "qrels", "", "questions file (JSON Lines)")
	flags.BoolVar(&o.ablation, "ablation", false, "measure every rule by switching it off")
	flags.IntVar(&o.times, "times", 1, "index the corpus this many times over, for latency at size")
	flags.IntVar(&o.citations, "citations", 6000, "citations to make up and look for")
	flags.BoolVar(&o.misses, "misses", false, "print the citations that were missed")
	flags.BoolVar(&o.rivals, "rivals", true, "measure SQLite FTS5, and PostgreSQL if KONAK_TEST_POSTGRES is set, as well")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := readProvisions(o.corpus)
	if err != nil {
		return err
	}
	questions, err := readQuestions(o.qrels)
	if err != nil {
		return err
	}
	switch {
	case o.ablation:
		return ablation(out, list, questions)
	case o.times > 1:
		return atSize(out, list, questions, o.times)
	}
	return report(out, list, questions, o)
}

func readProvisions(path string) ([]*advisor.Provision, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []*advisor.Provision
	for p, err := range advisor.ReadCorpus(f) {
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func sequence(list []*advisor.Provision) iter.Seq2[*advisor.Provision, error] {
	return func(yield func(*advisor.Provision, error) bool) {
		for _, p := range list {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func finderOf(e *advisor.Engine, exact bool) finder {
	return func(text string) ([]string, error) {
		r, err := e.Search(advisor.Request{Text: text, Limit: depth, Status: []string{advisor.StatusInForce}, Exact: exact})
		if err != nil {
			return nil, err
		}
		return each.Map(r.Hits, func(h search.Hit) string { return h.ID }), nil
	}
}

// built is an engine and what it took to build it.
type built struct {
	engine *advisor.Engine
	took   time.Duration
	heap   uint64
}

func build(rules advisor.Rules, list []*advisor.Provision) (*built, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	e, err := advisor.Build(rules, 1, sequence(list))
	if err != nil {
		return nil, err
	}
	b := &built{engine: e, took: time.Since(began)}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.heap = after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	return b, nil
}

func report(out io.Writer, list []*advisor.Provision, questions []question, o options) error {
	b, err := build(advisor.DefaultRules(), list)
	if err != nil {
		return err
	}
	var file counter
	began := time.Now()
	if _, err := b.engine.WriteTo(&file); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d provisions, %d questions. Index built in %.1f s, %d MB of heap; file of %d MB written in %.1f s.\n\n",
		len(list), len(questions), b.took.Seconds(), b.heap>>20, file>>20, time.Since(began).Seconds())
	if err := qualityTable(out, b.engine, questions); err != nil {
		return err
	}
	cites := madeCitations(list, b.engine.Laws(), o.citations)
	share, missed, err := citationAccuracy(finderOf(b.engine, false), cites)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nCitations: %.2f %% of %d come first.\n", 100*share, len(cites))
	if o.misses {
		for _, c := range missed {
			fmt.Fprintf(out, "- %s (%s)\n", c.text, c.want)
		}
	}
	if err := latencyTable(out, b.engine, list, questions); err != nil {
		return err
	}
	if !o.rivals {
		return nil
	}
	return rivalTable(context.Background(), out, list, questions)
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func qualityTable(out io.Writer, e *advisor.Engine, questions []question) error {
	var names []string
	for _, v := range []struct {
		name   string
		change func(string) string
		exact  bool
	}{
		{"as asked", same, false},
		{"without diacritics", undiacritic, false},
		{"one typo", typo, false},
		{"one typo, no speller", typo, true},
	} {
		q, err := measureQuality(finderOf(e, v.exact), questions, v.change)
		if err != nil {
			return err
		}
		if names == nil {
			names = q.names()
			fmt.Fprintf(out, "| nDCG@10 | macro | R@100 | people | micro | %s |\n|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)+5))
		}
		row(out, v.name, q, names)
	}
	return nil
}

func row(out io.Writer, name string, q *quality, names []string) {
	ndcg, recall := q.macro()
	fmt.Fprintf(out, "| %s | %.3f | %.3f | %.3f | %.3f |", name, ndcg, recall, q.people.meanNDCG(), q.micro())
	for _, n := range names {
		fmt.Fprintf(out, " %.3f |", q.sets[n].meanNDCG())
	}
	fmt.Fprintln(out)
}

func latencyTable(out io.Writer, e *advisor.Engine, list []*advisor.Provision, questions []question) error {
	find := finderOf(e, false)
	fmt.Fprint(out, "\n| questions | clients | p50 ms | p99 ms | max ms | searches/s | CPU ms/search |\n|---|---|---|---|---|---|---|\n")
	for _, m := range []struct {
		name      string
		questions []question
		clients   int
	}{
		{"as asked", questions, 1},
		{"as asked", questions, 8},
		{"hostile", hostile(list, questions, 3000), 1},
	} {
		l, err := measureLatency(find, m.questions, m.clients, 3)
		if err != nil {
			return err
		}
		ms := func(share float64) float64 { return float64(l.at(share).Microseconds()) / 1000 }
		fmt.Fprintf(out, "| %s | %d | %.2f | %.2f | %.2f | %.0f | %.2f |\n", m.name, m.clients, ms(.5), ms(.99), ms(1), l.perSecond(),
			float64(l.cpu.Microseconds())/1000/float64(len(l.each)))
	}
	return nil
}

// atSize repeats the corpus under other ids to see how latency grows.
func atSize(out io.Writer, list []*advisor.Provision, questions []question, times int) error {
	var all []*advisor.Provision
	for n := range times {
		for _, p := range list {
			clone := *p
			if n > 0 {
				clone.ID = fmt.Sprintf("%s#%d", p.ID, n)
				clone.LawID = fmt.Sprintf("%s#%d", p.LawID, n)
			}
			all = append(all, &clone)
		}
	}
	b, err := build(advisor.DefaultRules(), all)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d provisions. Index built in %.1f s, %d MB of heap.\n", len(all), b.took.Seconds(), b.heap>>20)
	return latencyTable(out, b.engine, list, questions)
}

func ablation(out io.Writer, list []*advisor.Provision, questions []question) error {
	fmt.Fprint(out, "| without | macro | change | people | change | micro | change |\n|---|---|---|---|---|---|---|\n")
	var base *quality
	for i, r := range append([]rule{{"nothing left out", func(*advisor.Rules) {}}}, rulesOff()...) {
		rules := advisor.DefaultRules()
		r.off(&rules)
		e, err := advisor.Build(rules, 1, sequence(list))
		if err != nil {
			return err
		}
		q, err := measureQuality(finderOf(e, false), questions, same)
		if err != nil {
			return err
		}
		if i == 0 {
			base = q
		}
		m, _ := q.macro()
		bm, _ := base.macro()
		p, bp := q.people.meanNDCG(), base.people.meanNDCG()
		fmt.Fprintf(out, "| %s | %.3f | %+.3f | %.3f | %+.3f | %.3f | %+.3f |\n", r.name, m, m-bm, p, p-bp, q.micro(), q.micro()-base.micro())
	}
	return nil
}
