// Package sheets reads what old and binary office files store in unreadable form: the
// numbers and texts of their cells, and whether they have a password.
package sheets

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// ErrDamaged means that the file cannot be read.
var ErrDamaged = errors.New("sheets: the file is damaged")

// maxStream limits the size of a stream that is read.
const maxStream = 64 << 20

// maxShared is the number of bytes allowed for all streams beyond twice the file size.
const maxShared = 1 << 20

const (
	lastSector = 0xFFFFFFFA // this and above: no sector
	magic      = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
)

// compound is a file of several streams, as written by old versions of Word, Excel and
// PowerPoint.
type compound struct {
	r       io.ReaderAt
	size    int64
	shift   uint
	fat     []uint32
	miniFAT []uint32
	mini    []byte // the stream of small streams
	cutoff  uint32
	read    int64 // bytes of all streams that were read
}

type entry struct {
	name  string
	kind  byte
	start uint32
	size  uint32
}

// ReadOffice calls number and text with the numbers and texts in the cells of an old office
// file, and reports whether it has a password.
func ReadOffice(r io.ReaderAt, size int64, number func(float64), text func(string)) (encrypted bool, err error) {
	c := &compound{r: r, size: size}
	entries, err := c.open()
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		locked := false
		switch strings.ToLower(e.name) {
		case "workbook", "book":
			locked, err = c.readBook(e, number, text)
		case "worddocument":
			locked, err = c.check(e, 12, func(b []byte) bool { return binary.LittleEndian.Uint16(b[10:])&0x100 != 0 })
		case "current user":
			locked, err = c.check(e, 16, func(b []byte) bool { return binary.LittleEndian.Uint32(b[12:]) != 0xE391C05F })
		case "encryptedsummary", "encryptedpackage", "\x06dataspaces":
			locked = true
		}
		if err != nil {
			return encrypted, err
		}
		encrypted = encrypted || locked
	}
	return encrypted, nil
}

// EachStream calls found with each readable stream of an old office file, until it returns
// false.
func EachStream(r io.ReaderAt, size int64, found func(name string, data []byte) bool) {
	c := &compound{r: r, size: size}
	entries, err := c.open()
	if err != nil {
		return // recorded when the numbers are read
	}
	for _, e := range entries {
		if e.kind != streamEntry {
			continue
		}
		if data, err := c.stream(e); err == nil && !found(e.name, data) {
			return
		}
	}
}

// The kinds of entries: a stream, and the root entry, which holds the small streams.
const (
	streamEntry = 2
	rootEntry   = 5
)

// check reads a stream and returns what ask reports about it. It returns ErrDamaged if the
// stream has fewer than least bytes.
func (c *compound) check(e entry, least int, ask func([]byte) bool) (bool, error) {
	b, err := c.stream(e)
	if err != nil || len(b) < least {
		return false, ErrDamaged
	}
	return ask(b), nil
}

// readBook reads the records of a workbook.
func (c *compound) readBook(e entry, found func(float64), text func(string)) (encrypted bool, err error) {
	b, err := c.stream(e)
	if err != nil {
		return false, err
	}
	var table stringTable
	defer func() { table.each(text) }()
	for before := uint16(0); len(b) >= 4; {
		kind, size := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[2:]))
		b = b[4:]
		if size > len(b) {
			return encrypted, ErrDamaged
		}
		data := b[:size]
		b = b[size:]
		switch kind {
		case recordStrings:
			table.pieces = append(table.pieces, data)
		case recordContinue:
			if before == recordStrings {
				table.pieces = append(table.pieces, data)
				kind = recordStrings
			}
		case 0x2F: // FILEPASS: what follows is encrypted
			return true, nil
		case 0x203, 0x03: // NUMBER
			readDouble(data, 6, found)
		case 0x06, 0x206, 0x406: // FORMULA
			if len(data) >= 14 && (data[12] != 0xFF || data[13] != 0xFF) {
				readDouble(data, 6, found)
			}
		case 0x27E, 0x7E: // RK
			readRK(data, 6, found)
		case 0xBD: // MULRK
			for at := 6; at+4 < len(data); at += 6 {
				readRK(data, at, found)
			}
		}
		before = kind
	}
	return encrypted, nil
}

// open reads the tables of a file and returns its directory entries.
func (c *compound) open() ([]entry, error) {
	head := make([]byte, 512)
	if n, _ := c.r.ReadAt(head, 0); n < len(head) || string(head[:8]) != magic {
		return nil, ErrDamaged
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
	c.shift, c.cutoff = uint(head[30]), word(56)
	if c.shift != 9 && c.shift != 12 {
		return nil, ErrDamaged
	}
	if err := c.readFAT(head[76:], word(68)); err != nil {
		return nil, err
	}
	dir, err := c.chain(word(48), maxStream)
	if err != nil {
		return nil, err
	}
	if word(60) < lastSector {
		table, err := c.chain(word(60), maxStream)
		if err != nil {
			return nil, err
		}
		c.miniFAT = words(table)
	}
	var out []entry
	for ; len(dir) >= 128; dir = dir[128:] {
		length := int(binary.LittleEndian.Uint16(dir[64:]))
		if dir[66] == 0 || length > 64 {
			continue
		}
		units := make([]uint16, max(0, length/2-1))
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(dir[2*i:])
		}
		e := entry{string(utf16.Decode(units)), dir[66], binary.LittleEndian.Uint32(dir[116:]), binary.LittleEndian.Uint32(dir[120:])}
		if e.kind == rootEntry && e.start < lastSector {
			if c.mini != nil {
				return nil, ErrDamaged // there must be only one
			}
			if c.mini, err = c.chain(e.start, maxStream); err != nil {
				return nil, err
			}
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, ErrDamaged
	}
	return out, nil
}

func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// readFAT reads the sector table, whose own sectors are listed in the header and in further
// sectors.
func (c *compound) readFAT(named []byte, more uint32) error {
	most := int(c.size >> c.shift)
	for range most + 1 {
		list := words(named)
		if len(list) > 109 || c.shift == 12 && len(list) > 110 {
			list = list[:len(list)-1] // the last entry points to the next list
		}
		for _, sector := range list {
			if sector >= lastSector {
				continue
			}
			b, err := c.sector(sector)
			if err != nil || len(c.fat) > most+1024 {
				return ErrDamaged
			}
			c.fat = append(c.fat, words(b)...)
		}
		if more >= lastSector {
			return nil
		}
		b, err := c.sector(more)
		if err != nil {
			return err
		}
		named, more = b, binary.LittleEndian.Uint32(b[len(b)-4:])
	}
	return ErrDamaged
}

// sector reads one sector. The last one of a file may be incomplete.
func (c *compound) sector(n uint32) ([]byte, error) {
	b := make([]byte, 1<<c.shift)
	if got, _ := c.r.ReadAt(b, (int64(n)+1)<<c.shift); got == 0 {
		return nil, ErrDamaged
	}
	return b, nil
}

// chain reads the chain of sectors that begins with at.
func (c *compound) chain(at uint32, most int) (out []byte, err error) {
	for at < lastSector {
		if int64(at) >= int64(len(c.fat)) || int64(len(out)) > c.size || len(out) > maxStream {
			return nil, ErrDamaged
		}
		if len(out) >= most {
			break
		}
		b, err := c.sector(at)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
		at = c.fat[at]
	}
	return out, nil
}

// stream reads a stream. It returns ErrDamaged once all streams together are more than
// twice as long as the file plus maxShared: they then share sectors.
func (c *compound) stream(e entry) ([]byte, error) {
	if c.read += int64(e.size); c.read > 2*c.size+maxShared {
		return nil, ErrDamaged
	}
	if e.size >= c.cutoff {
		b, err := c.chain(e.start, int(min(e.size, maxStream)))
		if err != nil || e.size > maxStream || len(b) < int(e.size) {
			return nil, ErrDamaged
		}
		return b[:e.size], nil
	}
	var out []byte
	for at := e.start; at < lastSector && len(out) < int(e.size); at = c.miniFAT[at] {
		from := int64(at) * 64
		if int64(at) >= int64(len(c.miniFAT)) || from+64 > int64(len(c.mini)) {
			return nil, ErrDamaged
		}
		out = append(out, c.mini[from:from+64]...)
	}
	if len(out) < int(e.size) {
		return nil, ErrDamaged
	}
	return out[:e.size], nil
}
