package limit

import (
	"io"
	"time"
)

// ByteUnit is the number of bytes that one use of a budget of bytes stands for. Reading
// anything uses at least one.
const ByteUnit = 16 << 10

// BytesADay allows n bytes at once and as many again every day.
func BytesADay(name string, n int64) Policy {
	return Policy{Name: name, Burst: int(max(n/ByteUnit, 1)), Window: 24 * time.Hour}
}

// CountBytes returns a reader of r that calls take before each ByteUnit, and fails with its
// error.
func CountBytes(r io.Reader, take func() error) io.Reader { return &countedReader{r: r, take: take} }

type countedReader struct {
	r    io.Reader
	left int // bytes left of the last unit taken
	take func() error
}

// Read implements io.Reader.
func (c *countedReader) Read(b []byte) (int, error) {
	if c.left == 0 {
		if err := c.take(); err != nil {
			return 0, err
		}
		c.left = ByteUnit
	}
	n, err := c.r.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}
