package advisor

import (
	"bufio"
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

//go:embed data/laws.txt data/synonyms.txt
var data embed.FS

// Law is a statute, decree, regulation or communiqué.
type Law struct {
	ID     string
	No     string
	Title  string
	Kind   string
	Status string
	Short  string // abbreviation such as TTK, "" if there is none
}

// place is the position of a provision.
type place struct{ law, kind, no string }

// Laws finds the laws of a corpus by id, number and name, and their provisions by place. It
// is immutable once built.
type Laws struct {
	byID   map[string]*Law
	byNo   map[string][]*Law
	names  map[string][]lawName // by first stem, longest name first
	places map[place]string     // → provision id
}

// lawName is a name of a law, as stems.
type lawName struct {
	stems []string
	law   *Law
}

// alias is a line of data/laws.txt.
type alias struct {
	names    []string
	kind, no string
}

// lawsBuilder collects laws while provisions are read.
type lawsBuilder struct{ laws *Laws }

func newLawsBuilder() *lawsBuilder {
	return &lawsBuilder{&Laws{
		byID: map[string]*Law{}, byNo: map[string][]*Law{},
		names: map[string][]lawName{}, places: map[place]string{},
	}}
}

func (b *lawsBuilder) add(p *Provision) {
	l := b.laws
	if l.byID[p.LawID] == nil {
		law := &Law{ID: p.LawID, No: p.LawNo, Title: p.LawTitle, Kind: p.LawKind, Status: p.LawStatus}
		l.byID[p.LawID] = law
	}
	at := place{p.LawID, p.Kind, placeNo(p.Kind, p.No)}
	if _, taken := l.places[at]; !taken {
		l.places[at] = p.ID
	}
}

// build indexes the laws by number and name. Among laws with the same number or title,
// those in force come first, then statutes, then the rest by id.
func (b *lawsBuilder) build() (*Laws, error) {
	l := b.laws
	all := slices.SortedFunc(maps.Values(l.byID), func(x, y *Law) int {
		return cmp.Or(lawRank(x)-lawRank(y), strings.Compare(x.ID, y.ID))
	})
	for _, law := range all {
		if law.No != "" {
			l.byNo[law.No] = append(l.byNo[law.No], law)
		}
	}
	file, err := data.Open("data/laws.txt")
	if err != nil {
		return nil, fmt.Errorf("advisor: %w", err)
	}
	defer func() { _ = file.Close() }()
	aliases, err := parseAliases(file)
	if err != nil {
		return nil, err
	}
	for _, a := range aliases {
		law := l.numbered(a.no, func(k string) bool { return k == a.kind })
		if law == nil {
			continue
		}
		law.Short = a.names[0]
		for _, name := range a.names {
			l.name(name, law)
		}
	}
	for _, law := range all {
		l.name(law.Title, law)
	}
	for _, names := range l.names {
		slices.SortStableFunc(names, func(x, y lawName) int { return len(y.stems) - len(x.stems) })
	}
	return l, nil
}

// with returns a copy with provisions added and removed.
func (l *Laws) with(put []*Provision, remove []string) (*Laws, error) {
	b := newLawsBuilder()
	for id, law := range l.byID {
		clone := *law
		b.laws.byID[id] = &clone
	}
	gone := make(map[string]bool, len(remove))
	for _, id := range remove {
		gone[id] = true
	}
	for at, id := range l.places {
		if !gone[id] {
			b.laws.places[at] = id
		}
	}
	for _, p := range put {
		b.add(p)
	}
	return b.build()
}

func lawRank(l *Law) int {
	n := 0
	if l.Status != StatusInForce {
		n = 10
	}
	if l.Kind != "kanun" && l.Kind != "anayasa" {
		n++
	}
	return n
}

func (l *Laws) name(name string, law *Law) {
	stems := nameStems(name)
	if len(stems) == 0 {
		return
	}
	for _, n := range l.names[stems[0]] {
		if slices.Equal(n.stems, stems) {
			return // a higher-ranked law has the name already
		}
	}
	l.names[stems[0]] = append(l.names[stems[0]], lawName{stems, law})
}

func nameStems(name string) []string {
	var out []string
	var scan trtext.Scanner
	scan.Reset(name)
	for scan.Next() {
		out = append(out, citeStem(scan.Term()))
	}
	return out
}

// legalWords are words that end the names of laws and provisions. They are matched in all
// their forms, because a general stemmer gives some of those forms different stems.
var legalWords = []string{"kanun", "anayasa", "kararname", "yonetmelik", "teblig", "madde", "mahkeme"}

// citeStem returns the stem of a word in a name or citation.
func citeStem(word []byte) string {
	for _, w := range legalWords {
		if bytes.HasPrefix(word, []byte(w)) {
			return w
		}
	}
	if bytes.HasPrefix(word, []byte("yonetmelig")) {
		return "yonetmelik"
	}
	return string(trtext.Stem(word))
}

// numbered returns the first-ranked law with a number and a matching kind.
func (l *Laws) numbered(no string, kind func(string) bool) *Law {
	for _, law := range l.byNo[no] {
		if kind(law.Kind) {
			return law
		}
	}
	return nil
}

// Law returns the law with an id; nil if it does not exist.
func (l *Laws) Law(id string) *Law { return l.byID[id] }

// Provision returns the id of the provision at a place of a law; "" if it does not exist.
// If an article is cited with a letter that it does not have (usually a paragraph), the
// letter is ignored.
func (l *Laws) Provision(lawID, kind, no string) string {
	no = fold(no)
	if id := l.places[place{lawID, kind, no}]; id != "" {
		return id
	}
	if base, _, ok := strings.Cut(no, "/"); ok {
		return l.places[place{lawID, kind, base}]
	}
	return ""
}

func parseAliases(r io.Reader) ([]alias, error) {
	var out []alias
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		names, law, ok := strings.Cut(line, "=")
		kind, no, two := strings.Cut(strings.TrimSpace(law), " ")
		if !ok || !two || !lawKinds[kind] {
			return nil, fmt.Errorf("laws: line %d is not \"name, name = kind number\": %q", n, line)
		}
		a := alias{kind: kind, no: no}
		for name := range strings.SplitSeq(names, ",") {
			a.names = append(a.names, strings.TrimSpace(name))
		}
		out = append(out, a)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("laws: %w", err)
	}
	return out, nil
}

// placeNo returns the number of a provision as people cite it. Some sources include the
// kind in it ("G2" for temporary article 2).
func placeNo(kind, no string) string {
	no = fold(no)
	if kind != KindArticle && kind != KindSection && len(no) > 1 && no[0] >= 'a' && no[1] >= '0' && no[1] <= '9' {
		return no[1:]
	}
	return no
}

func fold(s string) string { return trtext.Fold(s) }
