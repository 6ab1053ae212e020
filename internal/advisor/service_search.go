package advisor

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/search"
)

// Question is a search as a person asks it.
type Question struct {
	Text      string
	Kinds     []string
	Laws      []string
	Status    string // yururlukte, mulga or hepsi
	Day       string // text as of that day; "" for today
	From, To  string // gazette days
	Facets    bool
	Highlight bool
	Limit     int
	Cursor    string
}

// snippetWords is the approximate number of words in a hit's snippet.
const snippetWords = 40

// Search finds provisions.
func (s *Service) Search(ctx context.Context, q Question) (Found, error) {
	q.Text = strings.TrimSpace(q.Text)
	if err := q.check(); err != nil {
		return Found{}, err
	}
	cursor, ok := q.openCursor()
	if !ok {
		return Found{}, fault.Invalid("cursor", "invalid")
	}
	e, err := s.engineFor(ctx, q.Day)
	if err != nil || e == nil {
		return emptyAnswer(q), err
	}
	req := Request{Text: q.Text, LawKinds: q.Kinds, LawIDs: q.Laws, From: q.From, To: q.To, Facets: q.Facets, Limit: q.Limit, Cursor: cursor}
	switch q.Status {
	case "yururlukte":
		req.Status = []string{StatusInForce}
	case "mulga":
		req.Status = []string{StatusRepealed}
	}
	res, err := e.Search(req)
	if errors.Is(err, search.ErrCursor) {
		return Found{}, fault.Invalid("cursor", "invalid")
	}
	if err != nil {
		return Found{}, fmt.Errorf("advisor: search: %w", err)
	}
	out := Found{Total: res.Total, Rev: res.Revision, Query: explainQuery(res), Next: q.sealCursor(res.Next)}
	if q.Facets {
		out.Facets = facets(res)
	}
	out.Hits, err = s.hits(ctx, q, res)
	return out, err
}

func (q *Question) check() error {
	if q.Text == "" {
		return fault.Invalid("q", "required")
	}
	for field, date := range map[string]string{"tarih": q.Day, "rg_from": q.From, "rg_to": q.To} {
		if date == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			return fault.Invalid(field, "invalid_date")
		}
	}
	if q.From != "" && q.To != "" && q.From > q.To {
		return fault.Invalid("rg_to", "before_start")
	}
	return nil
}

// A cursor is the engine's cursor, which holds revision, score and id, plus a hash of the
// question: it is invalid for another question.
func (q *Question) sealCursor(next string) string {
	if next == "" {
		return ""
	}
	return next + "." + q.mark()
}

func (q *Question) openCursor() (string, bool) {
	if q.Cursor == "" {
		return "", true
	}
	next, mark, ok := strings.Cut(q.Cursor, ".")
	return next, ok && next != "" && mark == q.mark()
}

func (q *Question) mark() string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %q %q %q %q %q %q", q.Text, q.Kinds, q.Laws, q.Status, q.Day, q.From, q.To)
	return hex.EncodeToString(h.Sum(nil))
}

// engineFor returns the engine for a day; nil if no corpus exists.
func (s *Service) engineFor(ctx context.Context, day string) (*Engine, error) {
	at := s.now.Load()
	if at == nil {
		v, err := s.latest(ctx)
		if err == nil && v.Rev > 0 {
			err = fault.New(fault.Unavailable)
		}
		return nil, err
	}
	if day == "" {
		return at.engine, nil
	}
	v, err := db.Read(ctx, s.corpus(), func(r *db.Reader) (Revision, error) { return revisionOn(r, day) })
	switch {
	case err != nil:
		return nil, err
	case v.Rev == 0:
		return nil, fault.Invalid("tarih", "before_history")
	case v.Rev >= at.rev.Rev:
		return at.engine, nil
	}
	return s.pastEngine(ctx, v)
}

func emptyAnswer(q Question) Found {
	f := Found{Hits: []Hit{}, Query: Understood{Citations: []Cited{}, Laws: []HitLaw{}, Corrected: []Correction{}}}
	if q.Facets {
		f.Facets = &Facets{Kinds: []FacetCount{}, Laws: []FacetCount{}}
	}
	return f
}

// versions reads provisions by their ids, as of a revision.
func (s *Service) versions(ctx context.Context, rev int64, ids []string) (map[string]*stored, error) {
	rows, err := db.Read(ctx, s.corpus(), func(r *db.Reader) ([]*stored, error) { return versionsOf(r, rev, ids) })
	byID := make(map[string]*stored, len(rows))
	for _, v := range rows {
		byID[v.ID] = v
	}
	return byID, err
}

// hits reads the texts of the hits, as of their revision.
func (s *Service) hits(ctx context.Context, q Question, res Result) ([]Hit, error) {
	byID, err := s.versions(ctx, res.Revision, each.Map(res.Hits, func(h search.Hit) string { return h.ID }))
	if err != nil {
		return nil, fmt.Errorf("advisor: read hits: %w", err)
	}
	out := make([]Hit, 0, len(res.Hits))
	for _, h := range res.Hits {
		v := byID[h.ID]
		if v == nil {
			return nil, fmt.Errorf("advisor: revision %d has no %s", res.Revision, h.ID)
		}
		law := lawOf(res.Laws, &v.Provision)
		hit := Hit{
			ID: h.ID, Score: h.Score, Match: "text", Law: law, Provision: placeOf(&v.Provision, law.Short),
			Snippet: snippet(res.Matcher, v, q.Highlight), Status: v.Status, ValidFrom: v.ValidFrom, SourceURL: optional(v.SourceURL),
		}
		if slices.ContainsFunc(res.Reading.Citations, func(c Citation) bool { return c.Provision == h.ID }) {
			hit.Match = "citation"
		}
		out = append(out, hit)
	}
	return out, nil
}

var unmark = strings.NewReplacer("<em>", "", "</em>", "")

func snippet(m *search.Matcher, v *stored, highlight bool) string {
	text := v.Text
	if text == "" {
		text = v.Heading
	}
	cut := m.Snippet(text, snippetWords)
	if !highlight {
		cut = unmark.Replace(cut)
	}
	return cut
}

func lawOf(laws *Laws, p *Provision) HitLaw {
	l := HitLaw{ID: p.LawID, No: p.LawNo, Title: p.LawTitle, Kind: p.LawKind}
	if laws != nil {
		if known := laws.Law(p.LawID); known != nil {
			l.Short = known.Short
		}
	}
	return l
}

func placeOf(p *Provision, short string) HitProvision {
	path := p.Path
	if path == nil {
		path = []string{}
	}
	return HitProvision{Kind: p.Kind, No: p.No, Label: p.Label(short), Heading: p.Heading, Path: path}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func explainQuery(res Result) Understood {
	u := Understood{
		Citations: each.Map(res.Reading.Citations, func(c Citation) Cited {
			return Cited{Law: hitLaw(res.Laws, c.LawID), Kind: c.Kind, No: c.No, Provision: optional(c.Provision)}
		}),
		Laws:      each.Map(res.Reading.Laws, func(id string) HitLaw { return hitLaw(res.Laws, id) }),
		Corrected: []Correction{},
	}
	for word, instead := range res.Corrected {
		u.Corrected = append(u.Corrected, Correction{word, instead})
	}
	slices.SortFunc(u.Corrected, func(a, b Correction) int { return strings.Compare(a.Word, b.Word) })
	return u
}

func hitLaw(laws *Laws, id string) HitLaw {
	if l := laws.Law(id); l != nil {
		return HitLaw{ID: l.ID, No: l.No, Title: l.Title, Short: l.Short, Kind: l.Kind}
	}
	return HitLaw{ID: id}
}

// maxFacet is the maximum number of laws in a facet.
const maxFacet = 50

func facets(res Result) *Facets {
	laws := res.Facets[AttrLaw]
	return &Facets{
		Kinds: each.Map(res.Facets[AttrLawKind], func(c search.Count) FacetCount { return FacetCount{c.Value, kindName(c.Value), c.Hits} }),
		Laws: each.Map(laws[:min(len(laws), maxFacet)], func(c search.Count) FacetCount {
			return FacetCount{c.Value, hitLaw(res.Laws, c.Value).Title, c.Hits}
		}),
	}
}

// Laws returns the laws, most recently updated first.
func (s *Service) Laws(ctx context.Context, p db.Page) (db.List[ListedLaw], error) {
	return db.Read(ctx, s.corpus(), func(r *db.Reader) (db.List[ListedLaw], error) {
		return listLaws(r, p)
	})
}

// maxVersions is the maximum number of texts on a provision's page.
const maxVersions = 50

// Provision returns the page of one provision.
func (s *Service) Provision(ctx context.Context, id string) (ProvisionPage, error) {
	var page ProvisionPage
	if !utf8.ValidString(id) || strings.Contains(id, "\x00") {
		return page, fault.New(fault.NotFound) // a database cannot store such a text
	}
	err := s.corpus().Read(ctx, func(r *db.Reader) error {
		rev, err := latestRevision(r)
		if err != nil {
			return err
		}
		found, err := versionsOf(r, rev.Rev, []string{id})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.New(fault.NotFound)
		}
		first, err := firstRevision(r)
		if err != nil {
			return err
		}
		law, err := lawVersions(r, rev.Rev, found[0].LawID)
		if err != nil {
			return err
		}
		versions, err := history(r, rev.Rev, id, maxVersions)
		page = s.page(found[0], law, versions, rev.Rev)
		page.HistoryFrom, page.CorpusRev = clock.At(first.CreatedAt.Time), rev.Rev
		return err
	})
	return page, err
}

func (s *Service) page(v *stored, law, versions []*stored, rev int64) ProvisionPage {
	var laws *Laws
	if at := s.now.Load(); at != nil {
		laws = at.engine.Laws()
	}
	of := lawOf(laws, &v.Provision)
	p := ProvisionPage{
		ID: v.ID, Law: of, LawStatus: v.LawStatus, Provision: placeOf(&v.Provision, of.Short), Text: v.Text, Status: v.Status,
		ValidFrom: v.ValidFrom, AcceptedDate: v.AcceptedDate, GazetteDate: v.GazetteDate, GazetteNo: v.GazetteNo,
		SourceURL: optional(v.SourceURL), Source: v.Source, Versions: []Version{},
		Outline: each.Map(law, func(n *stored) Neighbour { return Neighbour{n.ID, placeOf(&n.Provision, of.Short), n.Status} }),
	}
	if at := slices.IndexFunc(p.Outline, func(n Neighbour) bool { return n.ID == v.ID }); at >= 0 {
		if at > 0 {
			p.Previous = api.Some(p.Outline[at-1])
		}
		if at+1 < len(p.Outline) {
			p.Next = api.Some(p.Outline[at+1])
		}
	}
	for _, old := range versions {
		one := Version{ValidFrom: old.ValidFrom, ValidTo: old.ValidTo, Text: old.Text, SHA256: hex.EncodeToString(old.SHA256)}
		if old.RevTo != nil && *old.RevTo > rev {
			one.ValidTo = nil // set by an import that is not finished
		}
		p.Versions = append(p.Versions, one)
	}
	return p
}
