package advisor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// topic wakes the nodes when a new revision exists.
const topic = "advisor.corpus"

// batch is the number of versions written per transaction, so that other writers get their
// turn.
const batch = 200

// importing is one run of Import.
type importing struct {
	s        *Service
	id       uuid.UUID
	src      Source
	opt      ImportOptions
	file     *surveyed
	old      Revision
	rev      int64
	today    string
	known    map[string]known
	moved    map[string]bool // laws with changed or removed provisions
	report   Report
	pending  []fresh
	reorder  []*Provision
	progress func(Progress)
}

// Import is the gate of the corpus. It reads the file twice: once to refuse it as a whole
// if a row is faulty, once to write what differs. The last transaction makes all new texts
// visible at once.
func (s *Service) Import(ctx context.Context, src Source, opt ImportOptions) (Report, error) {
	m := &importing{s: s, src: src, opt: opt, known: map[string]known{}, moved: map[string]bool{}, progress: opt.Progress}
	if m.progress == nil {
		m.progress = func(Progress) {}
	}
	var err error
	if m.file, err = inspect(src, m.progress); err != nil {
		return Report{}, err
	}
	if err := m.begin(ctx); err != nil {
		return Report{}, err
	}
	err = m.run(ctx)
	if release := m.s.corpus().InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error { return releaseImport(tx, m.id) }); err == nil {
		err = release
	}
	return m.report, err
}

func (m *importing) begin(ctx context.Context) error {
	free := false
	err := m.s.corpus().InTx(ctx, func(tx *db.Tx) (err error) {
		m.id, m.today = tx.NewID(), tx.Now().Format(time.DateOnly)
		free, err = claimImport(tx, m.id)
		return err
	})
	if err == nil && !free {
		return ErrImporting
	}
	return err
}

func (m *importing) run(ctx context.Context) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	if err := m.write(ctx); err != nil {
		return err
	}
	if !m.opt.Partial {
		if err := m.remove(ctx); err != nil {
			return err
		}
	}
	m.report.Rows = m.file.rows
	m.report.Unchanged = m.file.rows - m.report.Added - m.report.Changed
	if m.report.Added+m.report.Changed+m.report.Removed == 0 {
		m.report.Rev = m.old.Rev
		return nil
	}
	return m.publish(ctx)
}

// prepare removes what an import that died left behind, and reads the existing provisions.
func (m *importing) prepare(ctx context.Context) error {
	var err error
	if m.old, err = db.Read(ctx, m.s.corpus(), latestRevision); err != nil {
		return err
	}
	m.rev = m.old.Rev + 1
	for left := int64(1); left > 0; {
		if err := m.step(ctx, func(tx *db.Tx) (err error) {
			left, err = undoUnfinished(tx, m.old.Rev, batch)
			return err
		}); err != nil {
			return err
		}
	}
	for after := ""; ; {
		page, err := db.Read(ctx, m.s.corpus(), func(r *db.Reader) ([]known, error) { return knownPage(r, after, 1000) })
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return nil
		}
		for _, k := range page {
			m.known[k.id] = k
		}
		after = page[len(page)-1].id
	}
}

// write reads the file again and writes what is new or different.
func (m *importing) write(ctx context.Context) error {
	n := 0
	err := eachRow(m.src, func(p *Provision, err error) error {
		if err != nil {
			return err
		}
		if n++; n%progressEvery == 0 {
			m.progress(Progress{"write", n, m.file.rows})
		}
		sum, err := fingerprint(p)
		if err != nil {
			return err
		}
		if sum != m.file.sums[p.ID] {
			return fmt.Errorf("line %d: the file changed while it was read", p.line)
		}
		k, there := m.known[p.ID]
		switch {
		case !there:
			m.report.Added++
		case k.sha != sum:
			m.report.Changed++
		case k.order != p.Order:
			m.reorder = append(m.reorder, p)
			return m.flush(ctx, batch)
		default:
			return nil
		}
		m.moved[p.LawID] = true
		m.pending = append(m.pending, fresh{p, sum, validFrom(p, k.validFrom, m.today)})
		return m.flush(ctx, batch)
	})
	if err != nil {
		return err
	}
	m.progress(Progress{"write", n, m.file.rows})
	return m.flush(ctx, 1)
}

// flush writes the pending rows if there are enough of them.
func (m *importing) flush(ctx context.Context, enough int) error {
	if len(m.pending) < enough && len(m.reorder) < enough {
		return nil
	}
	err := m.step(ctx, func(tx *db.Tx) error {
		for _, p := range m.reorder {
			if err := moveProvision(tx, p.ID, p.Order); err != nil {
				return err
			}
		}
		for _, f := range m.pending {
			if _, there := m.known[f.p.ID]; !there {
				continue
			}
			if err := closeVersion(tx, f.p.ID, m.rev, f.validFrom); err != nil {
				return err
			}
		}
		return putVersions(tx, m.rev, m.pending)
	})
	m.pending, m.reorder = m.pending[:0], m.reorder[:0]
	return err
}

// remove ends the provisions that are no longer in the file.
func (m *importing) remove(ctx context.Context) error {
	var gone []string
	for id, k := range m.known {
		if _, there := m.file.sums[id]; !there {
			gone = append(gone, id)
			m.moved[k.law] = true
		}
	}
	slices.Sort(gone)
	m.report.Removed = len(gone)
	for part := range slices.Chunk(gone, batch) {
		if err := m.step(ctx, func(tx *db.Tx) error {
			for _, id := range part {
				if err := closeVersion(tx, id, m.rev, m.today); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// publish creates the revision, in one transaction with the list of laws.
func (m *importing) publish(ctx context.Context) error {
	var counts map[string]int
	var days map[string]int64
	err := m.s.corpus().Read(ctx, func(r *db.Reader) (err error) {
		if counts, err = lawCounts(r); err != nil {
			return err
		}
		days, err = lawDays(r)
		return err
	})
	if err != nil {
		return err
	}
	m.report.Rev = m.rev
	return m.step(ctx, func(tx *db.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(m.moved)) {
			if err := m.updateLaw(tx, id, counts[id], days[id]); err != nil {
				return err
			}
		}
		tx.Wake(topic)
		v := Revision{Rev: m.rev, ID: tx.NewID(), Day: m.today, CreatedAt: clock.At(tx.Now())}
		if err := putRevision(tx, v, m.src.Name, m.report); err != nil {
			return err
		}
		return audit.Write(tx, "corpus.imported", m.src.Name, map[string]any{
			"revision": m.rev, "added": m.report.Added, "changed": m.report.Changed, "removed": m.report.Removed,
		})
	})
}

// updateLaw updates a law of the list. If the file has no newer day than the list, the
// law's day is today.
func (m *importing) updateLaw(tx *db.Tx, id string, provisions int, before int64) error {
	today := int64(day(m.today))
	law := m.file.laws[id]
	if law == nil {
		return countLaw(tx, id, provisions, today)
	}
	l := *law
	l.Provisions = provisions
	if l.day == 0 || l.day > today || before > 0 && l.day <= before {
		l.day = today
	}
	return putLaw(tx, l)
}

// step runs a transaction of the import; ErrImporting if another import took over.
func (m *importing) step(ctx context.Context, fn func(*db.Tx) error) error {
	return m.s.corpus().InTx(ctx, func(tx *db.Tx) error {
		mine, err := beatImport(tx, m.id)
		if err != nil {
			return err
		}
		if !mine {
			return ErrImporting
		}
		return fn(tx)
	})
}
