package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"konak/internal/kit/each"
)

// ErrFile reports that a file cannot be used: damaged, truncated, or written for another
// schema or analysis. The caller must rebuild the index.
var ErrFile = errors.New("search: index file is not usable")

const (
	fileMagic  = "KONAKIX2"
	maxStrings = 1 << 28 // bound on any count read, so that a damaged file cannot ask for all memory
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes the snapshot to a file: magic, schema key, revision, segments,
// and a checksum over all of it at the end.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	buf := bufio.NewWriterSize(w, 1<<16)
	e := &encoder{w: buf}
	e.bytes([]byte(fileMagic))
	e.uint64(s.schema.key())
	e.uint64(uint64(s.revision))
	e.floats(s.averages)
	e.uint64(uint64(len(s.segments)))
	for i, seg := range s.segments {
		e.segment(seg)
		e.uint64(uint64(len(s.dead[i])))
		for _, word := range s.dead[i] {
			e.uint64(word)
		}
	}
	e.uint64(uint64(e.sum))
	if e.err == nil {
		e.err = buf.Flush()
	}
	return e.n, e.err
}

// Open reads a file that WriteTo wrote. Every failure is ErrFile.
func Open(schema Schema, r io.Reader) (*Index, error) {
	if err := schema.check(); err != nil {
		return nil, err
	}
	d := &decoder{r: bufio.NewReaderSize(r, 1<<16)}
	if magic := d.bytes(len(fileMagic)); string(magic) != fileMagic {
		return nil, fmt.Errorf("%w: not an index", ErrFile)
	}
	if d.uint64() != schema.key() {
		return nil, fmt.Errorf("%w: other schema or analyzer", ErrFile)
	}
	revision := int64(d.uint64())
	averages := d.floats()
	count := d.count()
	if d.err != nil || count > maxSmall*4 || len(averages) != len(schema.Fields) {
		return nil, fmt.Errorf("%w: damaged header", ErrFile)
	}
	var segments []*segment
	var dead []bitmap
	for range count {
		segments = append(segments, d.segment(&schema))
		var b bitmap
		for range d.count() {
			b = append(b, d.uint64())
			if d.err != nil {
				break
			}
		}
		dead = append(dead, b)
	}
	sum := d.sum
	if stored := d.uint64(); d.err != nil || stored != uint64(sum) {
		return nil, fmt.Errorf("%w: checksum", ErrFile)
	}
	for i, seg := range segments {
		if !seg.sound(dead[i]) {
			return nil, fmt.Errorf("%w: inconsistent", ErrFile)
		}
		seg.finish(&schema)
	}
	x := &Index{schema: &schema}
	x.now.Store(newSnapshot(x.schema, revision, averages, segments, dead))
	return x, nil
}

// sound checks the sizes that searching relies on. The checksum protects against damage;
// this protects against a file written by a faulty program.
func (s *segment) sound(dead bitmap) bool {
	terms, docs := s.vocab.size(), len(s.ids)
	ok := terms >= 0 && len(s.start) == terms+1 && len(s.docs) == len(s.impact) &&
		len(s.forwardStart) == docs+1 && len(s.prior) == docs && (dead == nil || len(dead) == (docs+63)/64)
	if !ok || int(s.start[terms]) != len(s.docs) || wordBytes*int(s.forwardStart[docs]) != len(s.forward) || int(s.vocab.off[terms]) != len(s.vocab.text) {
		return false
	}
	for _, c := range s.attrs {
		ok = ok && len(c.of) == docs && allBelow(c.of, len(c.values))
	}
	for _, c := range s.numbers {
		ok = ok && len(c) == docs
	}
	return ok && allBelow(s.docs, docs) && slices.IsSorted(s.start) && slices.IsSorted(s.forwardStart) && slices.IsSorted(s.vocab.off)
}

func allBelow(list []uint32, n int) bool { return len(list) == 0 || int(slices.Max(list)) < n }

// encoder writes numbers little-endian and updates the checksum.
type encoder struct {
	w   io.Writer
	sum uint32
	n   int64
	err error
	buf []byte
}

func (e *encoder) bytes(b []byte) {
	if e.err != nil {
		return
	}
	e.sum = crc32.Update(e.sum, crcTable, b)
	n, err := e.w.Write(b)
	e.n, e.err = e.n+int64(n), err
}

func (e *encoder) uint64(v uint64) { e.bytes(binary.LittleEndian.AppendUint64(nil, v)) }

func (e *encoder) text(s string) {
	e.uint64(uint64(len(s)))
	e.bytes([]byte(s))
}

func (e *encoder) texts(list []string) {
	e.uint64(uint64(len(list)))
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) uint32s(list []uint32) {
	e.uint64(uint64(len(list)))
	for part := range slices.Chunk(list, 1<<13) {
		e.buf = e.buf[:0]
		for _, v := range part {
			e.buf = binary.LittleEndian.AppendUint32(e.buf, v)
		}
		e.bytes(e.buf)
	}
}

func (e *encoder) floats(list []float64) {
	e.uint64(uint64(len(list)))
	for _, v := range list {
		e.uint64(math.Float64bits(v))
	}
}

func (e *encoder) segment(s *segment) {
	e.text(s.vocab.text)
	e.uint32s(s.vocab.off)
	e.uint32s(s.start)
	e.uint32s(s.docs)
	e.text(string(s.impact))
	e.uint32s(s.forwardStart)
	e.text(string(s.forward))
	e.texts(s.ids)
	e.uint32s(each.Map(s.prior, math.Float32bits))
	for _, c := range s.attrs {
		e.texts(c.values)
		e.uint32s(c.of)
	}
	for _, c := range s.numbers {
		e.uint32s(each.Map(c, func(v int32) uint32 { return uint32(v) }))
	}
}

// decoder reads what encoder writes. After the first error it returns zeros.
type decoder struct {
	r   io.Reader
	sum uint32
	err error
	buf []byte
}

// bytes reads n bytes in steps, so that a wrong length fails at the end of the file rather
// than in the allocator.
func (d *decoder) bytes(n int) []byte {
	d.buf = d.buf[:0]
	for d.err == nil && len(d.buf) < n {
		step := min(n-len(d.buf), 1<<20)
		at := len(d.buf)
		d.buf = append(d.buf, make([]byte, step)...)
		_, d.err = io.ReadFull(d.r, d.buf[at:])
	}
	if d.err != nil {
		return nil
	}
	d.sum = crc32.Update(d.sum, crcTable, d.buf)
	return d.buf
}

func (d *decoder) uint64() uint64 {
	b := d.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (d *decoder) count() int {
	n := d.uint64()
	if n > maxStrings {
		d.err = ErrFile
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.bytes(d.count())) }

func (d *decoder) texts() []string {
	n := d.count()
	list := make([]string, 0, min(n, 1<<16))
	for range n {
		if d.err != nil {
			return nil
		}
		list = append(list, d.text())
	}
	return list
}

func (d *decoder) uint32s() []uint32 {
	n := d.count()
	list := make([]uint32, 0, min(n, 1<<20))
	for len(list) < n && d.err == nil {
		b := d.bytes(4 * min(n-len(list), 1<<13))
		for ; len(b) >= 4; b = b[4:] {
			list = append(list, binary.LittleEndian.Uint32(b))
		}
	}
	return slices.Clone(list) // without spare capacity
}

func (d *decoder) floats() []float64 {
	var list []float64
	for range d.count() {
		if d.err != nil {
			return nil
		}
		list = append(list, math.Float64frombits(d.uint64()))
	}
	return list
}

func (d *decoder) segment(schema *Schema) *segment {
	s := &segment{}
	s.vocab.text = d.text()
	s.vocab.off = d.uint32s()
	s.start = d.uint32s()
	s.docs = d.uint32s()
	s.impact = []uint8(d.text())
	s.forwardStart = d.uint32s()
	s.forward = words(d.text())
	s.ids = d.texts()
	for _, bits := range d.uint32s() {
		s.prior = append(s.prior, math.Float32frombits(bits))
	}
	for range schema.Attrs {
		s.attrs = append(s.attrs, attrColumn{values: d.texts(), of: d.uint32s()})
	}
	for range schema.Numbers {
		var col []int32
		for _, v := range d.uint32s() {
			col = append(col, int32(v))
		}
		s.numbers = append(s.numbers, col)
	}
	return s
}
