package advisor

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"konak/internal/kit/db"
)

// update is a row of a file of changes, which contains only texts, by provision.
type update struct {
	ID  string `json:"id"`
	Op  string `json:"op"`
	New string `json:"new"`
	To  string `json:"to_rev"`
}

// Updates converts a file of changes into a corpus file of the affected provisions, for a
// partial import: all other data of a provision is taken from the current corpus.
func (s *Service) Updates(ctx context.Context, src Source) (Source, error) {
	file, err := src.Open()
	if err != nil {
		return Source{}, err
	}
	defer func() { _ = file.Close() }()
	rows, err := decompress(file)
	if err != nil {
		return Source{}, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	lines := bufio.NewScanner(rows)
	lines.Buffer(make([]byte, 1<<16), maxRow)
	var faults Faults
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		p, err := s.updated(ctx, lines.Bytes())
		var bad *RowError
		switch {
		case errors.As(err, &bad):
			faults.add(&RowError{n, bad.Err})
		case err != nil:
			return Source{}, err
		default:
			if err := enc.Encode(p); err != nil {
				return Source{}, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return Source{}, fmt.Errorf("updates: %w", err)
	}
	if len(faults.Rows) > 0 {
		return Source{}, &faults
	}
	return BytesSource(src.Name, out.Bytes()), nil
}

// BytesSource returns a corpus file in memory.
func BytesSource(name string, b []byte) Source {
	return Source{name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
}

func decompress(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		return gzip.NewReader(in)
	}
	return in, nil
}

// updated returns the provision of a row after the change.
func (s *Service) updated(ctx context.Context, row []byte) (*Provision, error) {
	var u update
	if err := json.Unmarshal(row, &u); err != nil {
		return nil, &RowError{Err: errors.New("not an update: " + err.Error())}
	}
	law, at, ok := strings.Cut(u.ID, ":")
	switch {
	case !ok:
		return nil, &RowError{Err: fmt.Errorf("id %q does not name a law", u.ID)}
	case u.Op != "change" && u.Op != "add":
		return nil, &RowError{Err: fmt.Errorf("unknown op %q", u.Op)}
	case u.New == "":
		return nil, &RowError{Err: errors.New("new text is missing")}
	}
	var p *Provision
	err := s.corpus().Read(ctx, func(r *db.Reader) error {
		v, err := latestRevision(r)
		if err != nil {
			return err
		}
		now, err := versionsOf(r, v.Rev, []string{u.ID})
		if err != nil || len(now) == 1 {
			if err == nil {
				p = &now[0].Provision
			}
			return err
		}
		whole, err := lawVersions(r, v.Rev, law)
		if err == nil && len(whole) > 0 {
			p = sibling(&whole[len(whole)-1].Provision, u.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if p == nil {
		if p = ofNewLaw(law, u.ID); p == nil {
			return nil, &RowError{Err: fmt.Errorf("the corpus has no law %q", law)}
		}
	}
	if p.Kind == "" {
		if p.Kind, p.No = readPlace(at); p.Kind == "" {
			return nil, &RowError{Err: fmt.Errorf("id %q does not name a place in the law", u.ID)}
		}
	}
	p.Text, p.Stub = u.New, false
	if day(u.To) != 0 && u.To > p.LastAmended {
		p.LastAmended = u.To
	}
	return p, p.Validate()
}

// sibling returns a new provision at the end of the law of last.
func sibling(last *Provision, id string) *Provision {
	p := *last
	p.ID, p.Kind, p.No, p.Heading, p.Path = id, "", "", "", nil
	p.Status, p.Order, p.LastAmended = StatusInForce, last.Order+1, ""
	return &p
}

// ofNewLaw returns a provision of a law of which only the number is known yet.
func ofNewLaw(law, id string) *Provision {
	kind, no, ok := strings.Cut(law, "-")
	if !ok || !lawKinds[kind] || no == "" {
		return nil
	}
	p := &Provision{ID: id, LawID: law, LawNo: no, LawKind: kind, LawStatus: StatusInForce, Status: StatusInForce}
	p.LawTitle = no + " sayılı " + kindName(kind)
	return p
}

// readPlace parses the end of an id: m5/A, gec20, ek3, muk257.
func readPlace(at string) (kind, no string) {
	for _, k := range []struct{ prefix, kind string }{
		{"ekgec", KindAdditionalTemporary}, {"gec", KindTemporary}, {"ek", KindAdditional}, {"muk", KindRepeated}, {"m", KindArticle},
	} {
		if rest, ok := strings.CutPrefix(at, k.prefix); ok && rest != "" {
			return k.kind, rest
		}
	}
	return "", ""
}
