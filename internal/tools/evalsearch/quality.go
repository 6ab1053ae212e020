package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
)

// question is a row of the questions file.
type question struct {
	ID       string   `json:"qid"`
	Text     string   `json:"query"`
	Relevant []string `json:"relevant"`
	Set      string   `json:"set"`
}

func readQuestions(path string) ([]question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []question
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(q.Relevant) > 0 {
			out = append(out, q)
		}
	}
	return out, lines.Err()
}

// finder is a search to be measured: it returns the ids found for a question, best first.
type finder func(text string) ([]string, error)

// depth is the number of hits requested, since recall is measured at 100.
const depth = 100

// quality holds the measures of one system on all sets.
type quality struct {
	sets   map[string]*measure
	people measure // questions written by people, whatever their set
}

type measure struct {
	n      int
	ndcg   float64
	recall float64
}

func (m *measure) add(ndcg, recall float64) {
	m.n++
	m.ndcg += ndcg
	m.recall += recall
}

func (m measure) meanNDCG() float64   { return m.ndcg / float64(max(m.n, 1)) }
func (m measure) meanRecall() float64 { return m.recall / float64(max(m.n, 1)) }

// peopleSets are the sets that people wrote.
var peopleSets = map[string]bool{"human": true, "kmk": true}

func measureQuality(find finder, questions []question, change func(string) string) (*quality, error) {
	q := &quality{sets: map[string]*measure{}}
	for _, x := range questions {
		ids, err := find(change(x.Text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.ID, err)
		}
		n, r := ndcg(ids, x.Relevant, 10), recall(ids, x.Relevant)
		if q.sets[x.Set] == nil {
			q.sets[x.Set] = &measure{}
		}
		q.sets[x.Set].add(n, r)
		if peopleSets[x.Set] {
			q.people.add(n, r)
		}
	}
	return q, nil
}

func same(s string) string { return s }

// ndcg returns the normalised discounted cumulative gain of the first k hits.
func ndcg(ids, relevant []string, k int) float64 {
	want := map[string]bool{}
	for _, id := range relevant {
		want[id] = true
	}
	gain, ideal := 0.0, 0.0
	for i, id := range ids[:min(k, len(ids))] {
		if want[id] {
			gain += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(k, len(want)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	return gain / ideal
}

func recall(ids, relevant []string) float64 {
	want := map[string]bool{}
	for _, id := range relevant {
		want[id] = true
	}
	found := 0
	for _, id := range ids {
		if want[id] {
			found++
		}
	}
	return float64(found) / float64(len(want))
}

// macro returns the mean over sets, each set with the same weight.
func (q *quality) macro() (ndcg, recall float64) {
	for _, m := range q.sets {
		ndcg += m.meanNDCG()
		recall += m.meanRecall()
	}
	n := float64(max(len(q.sets), 1))
	return ndcg / n, recall / n
}

// micro returns the mean over questions.
func (q *quality) micro() float64 {
	sum, n := 0.0, 0
	for _, m := range q.sets {
		sum += m.ndcg
		n += m.n
	}
	return sum / float64(max(n, 1))
}

func (q *quality) names() []string { return slices.Sorted(maps.Keys(q.sets)) }
