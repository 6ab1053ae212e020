package advisor

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxRow is the maximum length of a line in a corpus file.
const maxRow = 16 << 20

// RowError is a row that cannot be imported.
type RowError struct {
	Line int
	Err  error
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *RowError) Unwrap() error { return e.Err }

// ReadCorpus yields the provisions of a JSON Lines file, gzipped or plain. A bad row yields
// a *RowError and reading continues; any other error ends it.
func ReadCorpus(r io.Reader) iter.Seq2[*Provision, error] {
	return func(yield func(*Provision, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		var rows io.Reader = in
		if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
			z, err := gzip.NewReader(in)
			if err != nil {
				yield(nil, fmt.Errorf("corpus: %w", err))
				return
			}
			rows = z
		}
		lines := bufio.NewScanner(rows)
		lines.Buffer(make([]byte, 1<<16), maxRow)
		for n := 1; lines.Scan(); n++ {
			if len(lines.Bytes()) == 0 {
				continue
			}
			p, err := readRow(lines.Bytes())
			if err != nil {
				err = &RowError{n, err}
			} else {
				p.line = n
			}
			if !yield(p, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, fmt.Errorf("corpus: %w", err))
		}
	}
}

func readRow(row []byte) (*Provision, error) {
	if bytes.Contains(row, []byte(`\u0000`)) {
		return nil, errors.New("contains a zero character")
	}
	p := new(Provision)
	if err := json.Unmarshal(row, p); err != nil {
		return nil, errors.New("not a provision: " + err.Error())
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}
