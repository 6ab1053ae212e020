package advisor

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Source is a corpus file that can be read from the beginning more than once.
type Source struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// ImportOptions control how a corpus file is imported.
type ImportOptions struct {
	// Partial changes only the provisions in the file; otherwise those missing from it are
	// removed.
	Partial bool
	// Progress is called from time to time with the import's progress; may be nil.
	Progress func(Progress)
}

// Progress is the progress of an import.
type Progress struct {
	Phase string // "check" or "write"
	Done  int
	Total int // 0 while unknown
}

// Report is the result of an import.
type Report struct {
	Rev       int64 // of the corpus after the import
	Rows      int
	Added     int
	Changed   int
	Removed   int
	Unchanged int
}

// Faults are the rows because of which a file is refused. Nothing of it is imported: a full
// import would remove the provisions it cannot read.
type Faults struct {
	Rows []*RowError // the first few
	More int
}

// maxFaults is the number of faulty rows that are reported one by one.
const maxFaults = 20

func (f *Faults) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows cannot be taken in; nothing was changed", len(f.Rows)+f.More)
	for _, r := range f.Rows {
		b.WriteString("\n  " + r.Error())
	}
	if f.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", f.More)
	}
	return b.String()
}

func (f *Faults) add(e *RowError) {
	if len(f.Rows) < maxFaults {
		f.Rows = append(f.Rows, e)
	} else {
		f.More++
	}
}

// Reasons why an import does not run.
var (
	ErrImporting = errors.New("another import is running; wait until it ends")
	ErrEmptyFile = errors.New("the file contains no provisions; nothing was changed")
)

// fingerprint hashes what distinguishes two versions of a provision. Its position in the
// file and the file's origin do not count.
func fingerprint(p *Provision) ([32]byte, error) {
	q := *p
	q.Order, q.Source, q.Licence = 0, "", ""
	b, err := json.Marshal(q)
	return sha256.Sum256(b), err
}

// surveyed is the result of the first pass over a file.
type surveyed struct {
	sums map[string][32]byte
	laws map[string]*ListedLaw
	rows int
}

// inspect reads the whole file and refuses it if a row is faulty. It keeps no texts.
func inspect(src Source, progress func(Progress)) (*surveyed, error) {
	out := &surveyed{sums: map[string][32]byte{}, laws: map[string]*ListedLaw{}}
	var faults Faults
	err := eachRow(src, func(p *Provision, err error) error {
		var bad *RowError
		if errors.As(err, &bad) {
			faults.add(bad)
			return nil
		}
		if err != nil {
			return err
		}
		out.rows++
		if _, twice := out.sums[p.ID]; twice {
			faults.add(&RowError{p.line, fmt.Errorf("duplicate id %q", p.ID)})
			return nil
		}
		sum, err := fingerprint(p)
		if err != nil {
			return err
		}
		out.sums[p.ID] = sum
		out.law(p)
		if out.rows%progressEvery == 0 {
			progress(Progress{Phase: "check", Done: out.rows})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(faults.Rows) > 0:
		return nil, &faults
	case out.rows == 0:
		return nil, ErrEmptyFile
	}
	progress(Progress{Phase: "check", Done: out.rows, Total: out.rows})
	return out, nil
}

// progressEvery is the number of rows between two progress reports.
const progressEvery = 5000

func (s *surveyed) law(p *Provision) {
	l := s.laws[p.LawID]
	if l == nil {
		l = &ListedLaw{
			ID: p.LawID, No: p.LawNo, Title: p.LawTitle, Kind: p.LawKind, Status: p.LawStatus,
			GazetteDate: p.GazetteDate, GazetteNo: p.GazetteNo, SourceURL: p.SourceURL,
		}
		s.laws[p.LawID] = l
	}
	l.day = max(l.day, int64(day(p.GazetteDate)), int64(day(p.LastAmended)))
}

func eachRow(src Source, fn func(*Provision, error) error) error {
	file, err := src.Open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for p, err := range ReadCorpus(file) {
		if err := fn(p, err); err != nil {
			return err
		}
	}
	return nil
}

// validFrom returns the day from which a text is valid: that of its last amendment, or of
// its publication. A text that changed without a newer day is valid from the day of the
// import.
func validFrom(p *Provision, before, today string) string {
	since := p.LastAmended
	if day(since) == 0 {
		since = p.GazetteDate
	}
	if day(since) == 0 || since > today || before != "" && since <= before {
		return today
	}
	return since
}

func dayText(n int64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100)
}
