package api

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// Encoded is implemented by data that caches its own JSON: data that is requested often and
// changes seldom need not be encoded for every answer.
type Encoded interface {
	EncodedJSON() ([]byte, error)
}

// writeKept writes the envelope around data that already has its JSON.
func (e Envelope[T]) writeKept(w io.Writer) (bool, error) {
	d, ok := any(e.Data).(Encoded)
	if !ok {
		return false, nil
	}
	data, err := d.EncodedJSON()
	if err != nil {
		return true, err
	}
	b := envelopes.Get().(*[]byte)
	defer envelopes.Put(b)
	*b = append(append((*b)[:0], `{"data":`...), data...)
	*b = append(append(append(*b, `,"trace_id":"`...), e.TraceID...), "\"}\n"...)
	_, err = w.Write(*b)
	return true, err
}

// envelopes are the buffers of such answers: one write instead of three, and no garbage.
var envelopes = sync.Pool{New: func() any { return new([]byte) }}

// EncodeJSON encodes v as answers are encoded.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
