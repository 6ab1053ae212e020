package advisor_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"konak/internal/advisor"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
)

// amendment is a row of a file of changes.
type amendment struct {
	ID, Op, Old, New string
}

// lines calls fn with each line of a compressed file.
func lines(t *testing.T, path string, fn func([]byte)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 8<<20)
	for scan.Scan() {
		fn(scan.Bytes())
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
}

// before returns the corpus as it was before the changes, which the file already contains.
func before(t *testing.T, path string, changes map[string]amendment) advisor.Source {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	lines(t, path, func(line []byte) {
		var p advisor.Provision
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		switch c := changes[p.ID]; c.Op {
		case "add":
			return
		case "change":
			p.Text = c.Old
		}
		if err := enc.Encode(p); err != nil {
			t.Fatal(err)
		}
	})
	return advisor.BytesSource("before.jsonl", out.Bytes())
}

// If the real corpus is available, a real revision of it is imported while eight clients
// search and read. Every answer is entirely from the old or entirely from the new corpus.
func TestRealCorpus(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("KONAK_TEST_ADVISOR_DATA")
	if folder == "" {
		t.Skip("KONAK_TEST_ADVISOR_DATA names no folder with corpus.jsonl.gz and updates.jsonl.gz")
	}
	changes, ids := map[string]amendment{}, []string{}
	lines(t, filepath.Join(folder, "updates.jsonl.gz"), func(line []byte) {
		var c amendment
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		changes[c.ID], ids = c, append(ids, c.ID)
	})
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	first, err := s.Advisor.Import(t.Context(), before(t, filepath.Join(folder, "corpus.jsonl.gz"), changes), advisor.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.Settle()
	t.Logf("imported %+v", first)

	done := make(chan struct{})
	var wg sync.WaitGroup
	for client := range 8 {
		wg.Go(func() {
			for i := client; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if !whole(t, w.Owner, changes[ids[i%len(ids)]], first.Rev) {
					return
				}
			}
		})
	}
	src, err := s.Advisor.Updates(t.Context(), advisor.Source{Name: "updates", Open: func() (io.ReadCloser, error) {
		return os.Open(filepath.Join(folder, "updates.jsonl.gz"))
	}})
	if err != nil {
		t.Fatal(err)
	}
	next, err := s.Advisor.Import(t.Context(), src, advisor.ImportOptions{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Settle()
	close(done)
	wg.Wait()
	t.Logf("updated %+v", next)
	added, changed := 0, 0
	for _, id := range ids {
		c := changes[id]
		a := ask(w.Owner, "q", citation(c), "limit", "3", "durum", "hepsi")
		if a.CorpusRev != next.Rev || len(a.Data) == 0 || a.Data[0].ID != id {
			t.Errorf("%s is not found in revision %d: %v", id, a.CorpusRev, a.ids())
		}
		var p advisor.ProvisionPage
		w.Owner.Get(maddeler + url.PathEscape(id)).Want(200).Data(&p)
		if p.Text != c.New {
			t.Errorf("%s has another text", id)
		}
		if c.Op == "add" {
			added++
			continue
		}
		changed++
		if len(p.Versions) != 2 || p.Versions[0].Text != c.New || p.Versions[1].Text != c.Old {
			t.Errorf("%s has %d versions", id, len(p.Versions))
		}
	}
	if next.Added != added || next.Changed != changed {
		t.Errorf("%d added and %d changed: %+v", added, changed, next)
	}
}

// whole reads one changed provision and searches for it, and reports whether each answer is
// from one revision.
func whole(t *testing.T, c *apptest.Client, a amendment, first int64) bool {
	found := ask(c, "q", citation(a), "limit", "3")
	if a.Op == "add" && slices.Contains(found.ids(), a.ID) != (found.CorpusRev > first) {
		t.Errorf("%s in revision %d: %v", a.ID, found.CorpusRev, found.ids())
		return false
	}
	answer := c.Get(maddeler + url.PathEscape(a.ID))
	if answer.Status == 404 && a.Op == "add" {
		return true
	}
	var p advisor.ProvisionPage
	answer.Want(200).Data(&p)
	want := a.Old
	if p.CorpusRev > first {
		want = a.New
	}
	if p.Text != want {
		t.Errorf("%s in revision %d is a text of another", a.ID, p.CorpusRev)
		return false
	}
	return true
}

// citation returns the usual citation of a provision.
func citation(a amendment) string {
	law, at, _ := strings.Cut(strings.TrimPrefix(a.ID, "kanun-"), ":")
	if no, ok := strings.CutPrefix(at, "gec"); ok {
		return law + " sayılı kanun geçici madde " + no
	}
	return law + " sayılı kanun madde " + strings.TrimPrefix(at, "m")
}
