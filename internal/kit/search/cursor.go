package search

import (
	"encoding/base64"
	"encoding/binary"
	"math"
)

// cursor is the position after the last hit shown. Score and id find it again even if the
// revision has changed in between; shown limits the depth.
type cursor struct {
	revision int64
	shown    int
	score    float64
	id       string
}

func (c cursor) encode() string {
	b := binary.AppendVarint(nil, c.revision)
	b = binary.AppendUvarint(b, uint64(c.shown))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.score))
	return base64.RawURLEncoding.EncodeToString(append(b, c.id...))
}

func decodeCursor(s string) (cursor, error) {
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return c, ErrCursor
	}
	rev, n := binary.Varint(b)
	if n <= 0 {
		return c, ErrCursor
	}
	b = b[n:]
	shown, n := binary.Uvarint(b)
	if n <= 0 || shown > maxDepth || len(b[n:]) < 8 {
		return c, ErrCursor
	}
	b = b[n:]
	c = cursor{rev, int(shown), math.Float64frombits(binary.LittleEndian.Uint64(b)), string(b[8:])}
	if math.IsNaN(c.score) || c.id == "" {
		return c, ErrCursor
	}
	return c, nil
}
