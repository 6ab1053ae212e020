package outbound

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"konak/internal/kit/clock"
)

// What a peer may send before the protocol asks for more: from the greeting, with the TLS
// handshake, to the end of signing in, or for one command.
const (
	MaxAnswer  = 64 << 10
	AnswerTime = time.Minute
)

// ErrTooMuch means that a peer sent more than was asked for.
var ErrTooMuch = errors.New("the server's answer is too large")

// Conn is an outgoing connection. It closes by itself, even during a read, when the context
// with which it was dialled ends, and when the peer sends more bytes or takes longer than
// Renew allows. It counts the bytes on the wire, below TLS.
type Conn struct {
	net.Conn
	left    atomic.Int64
	ended   atomic.Pointer[error] // why this side closed it
	timer   *time.Timer
	release func() bool
}

func newConn(ctx context.Context, raw net.Conn) *Conn {
	c := &Conn{Conn: raw}
	c.left.Store(MaxAnswer)
	c.timer = time.AfterFunc(AnswerTime, func() { c.end(context.DeadlineExceeded) })
	c.release = context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	return c
}

// Renew lets the peer send n bytes within d from now on. The protocol calls it before each
// command; what was left of the previous budget is dropped.
func (c *Conn) Renew(n int64, d time.Duration) {
	c.left.Store(n)
	if c.timer.Stop() {
		c.timer.Reset(d)
	}
}

// end closes the connection for a reason.
func (c *Conn) end(why error) {
	c.ended.CompareAndSwap(nil, &why)
	_ = c.Conn.Close()
}

// Read implements net.Conn. It returns ErrTooMuch when the budget is used up,
// and the context's error when the time is over.
func (c *Conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	left := c.left.Load()
	if left <= 0 {
		c.end(ErrTooMuch)
		return 0, ErrTooMuch
	}
	n, err := c.Conn.Read(b[:min(int64(len(b)), left)])
	c.left.Add(int64(-n))
	return n, c.Explain(err)
}

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, c.Explain(err)
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.timer.Stop()
	c.release()
	return c.Conn.Close()
}

// Explain returns why this side closed the connection, for libraries that hide the cause of
// an error; err if this side did not close it.
func (c *Conn) Explain(err error) error {
	if why := c.ended.Load(); err != nil && why != nil {
		return *why
	}
	return err
}

// stallingConn gives up if the peer sends nothing for a while.
type stallingConn struct {
	net.Conn
	patience func() time.Duration
}

// Read implements net.Conn.
func (c stallingConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(clock.Deadline(c.patience())); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// Write implements net.Conn. The transport waits for the next answer as soon as the last
// one has ended, so the peer's time starts again with each request.
func (c stallingConn) Write(b []byte) (int, error) {
	if err := c.SetReadDeadline(clock.Deadline(c.patience())); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// LimitBody lets at most n bytes of an answer be read; after that, reads return ErrTooMuch.
func LimitBody(resp *http.Response, n int64) {
	resp.Body = &limitedBody{ReadCloser: resp.Body, left: n}
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (l *limitedBody) Read(b []byte) (int, error) {
	if l.left <= 0 {
		// An answer that ends exactly at the limit is not an error.
		n, err := l.ReadCloser.Read(make([]byte, 1))
		if n > 0 {
			return 0, ErrTooMuch
		}
		return 0, err
	}
	n, err := l.ReadCloser.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}
