package advisor

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"konak/internal/kit/search"
)

// maxPreface is the maximum size of the part of an engine file before the index.
const maxPreface = 1 << 28

// preface is what an engine needs in addition to its index.
type preface struct {
	Revision int64
	Laws     []Law
	Places   [][4]string // law, kind, number, provision
	Cited    map[string]int
}

// WriteTo writes the engine to a file that Open can load without a corpus.
func (e *Engine) WriteTo(w io.Writer) (int64, error) {
	st := e.state.Load()
	p := preface{Revision: st.snap.Revision(), Cited: st.cited}
	for _, law := range st.laws.byID {
		p.Laws = append(p.Laws, *law)
	}
	for at, id := range st.laws.places {
		p.Places = append(p.Places, [4]string{at.law, at.kind, at.no, id})
	}
	body, err := json.Marshal(p)
	if err != nil {
		return 0, fmt.Errorf("advisor: %w", err)
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(body))
	n, err := w.Write(append(head, body...))
	if err != nil {
		return int64(n), err
	}
	m, err := st.snap.WriteTo(w)
	return int64(n) + m, err
}

// Open reads a file written by WriteTo. If the file is damaged, truncated, of another
// analyzer version or not of the wanted revision, it returns search.ErrFile: the caller
// then builds the engine from the corpus.
func Open(rules Rules, revision int64, r io.Reader) (*Engine, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", search.ErrFile, err)
	}
	size := binary.LittleEndian.Uint32(head[:4])
	if size > maxPreface {
		return nil, fmt.Errorf("%w: damaged preface", search.ErrFile)
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil || len(body) != int(size) || crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, fmt.Errorf("%w: damaged preface", search.ErrFile)
	}
	var p preface
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, fmt.Errorf("%w: %w", search.ErrFile, err)
	}
	if p.Revision != revision {
		return nil, fmt.Errorf("%w: revision %d, want %d", search.ErrFile, p.Revision, revision)
	}
	e, err := newEngine(rules)
	if err != nil {
		return nil, err
	}
	if e.index, err = search.Open(rules.schema(), r); err != nil {
		return nil, err
	}
	if e.index.Rev() != revision {
		return nil, fmt.Errorf("%w: revisions differ", search.ErrFile)
	}
	b := newLawsBuilder()
	for i := range p.Laws {
		b.laws.byID[p.Laws[i].ID] = &p.Laws[i]
	}
	for _, at := range p.Places {
		b.laws.places[place{at[0], at[1], at[2]}] = at[3]
	}
	st := &state{snap: e.index.Snapshot(), cited: p.Cited}
	if st.laws, err = b.build(); err != nil {
		return nil, err
	}
	e.state.Store(st)
	return e, nil
}
