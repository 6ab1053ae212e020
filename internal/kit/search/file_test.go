package search

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFileRoundTrip(t *testing.T) {
	t.Parallel()
	x := build(t, randomDocs(200, 3)...)
	if err := x.Apply(9, Change{Put: []Document{doc("n:1", "Yeni", "yepyeni bir konu")}, Delete: []string{"w0:1"}}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := x.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	y, err := Open(testSchema(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"kira ceza", "yepyeni konu", "mahkemenin süresi"} {
		ax, _ := x.Search(Query{Text: q})
		ay, _ := y.Search(Query{Text: q})
		if fmt.Sprint(ax.Hits, ax.Total, ax.Revision) != fmt.Sprint(ay.Hits, ay.Total, ay.Revision) {
			t.Errorf("%q differs after reading", q)
		}
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		bad := bytes.Clone(file)
		bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		if _, err := Open(testSchema(), bytes.NewReader(bad)); !errors.Is(err, ErrFile) {
			t.Fatalf("damaged file: %v", err)
		}
		if _, err := Open(testSchema(), bytes.NewReader(file[:rng.IntN(len(file))])); !errors.Is(err, ErrFile) {
			t.Fatalf("cut file: %v", err)
		}
	}
	other := testSchema()
	other.Fields[0].Weight = 2
	if _, err := Open(other, bytes.NewReader(file)); !errors.Is(err, ErrFile) {
		t.Errorf("other schema: %v", err)
	}
}

func FuzzSearch(f *testing.F) {
	x := build(f, append(sample(), randomDocs(100, 8)...)...)
	syn, err := ParseSynonyms(strings.NewReader("maaş => ücret"))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"kira bedeli", "", "'''", "\xff\xff", strings.Repeat("kira ", 500), "maaş < > & 5237/141", "İIıi"} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, cursor string) {
		a, err := x.Search(Query{Text: text, Cursor: cursor, Synonyms: syn, Facets: []string{"work"}})
		if err != nil && !errors.Is(err, ErrCursor) {
			t.Fatal(err)
		}
		if err == nil {
			a.Matcher.Snippet(text, 10)
			if h := a.Matcher.Highlight(text); strings.Count(h, "<") != 2*strings.Count(h, "<em>") {
				t.Fatalf("unescaped: %q", h)
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	var b bytes.Buffer
	if _, err := build(f, sample()...).Snapshot().WriteTo(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := Open(testSchema(), bytes.NewReader(file))
		if err == nil {
			if _, err := x.Search(Query{Text: "kira"}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
