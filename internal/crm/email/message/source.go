package message

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"
)

// readWindow is the number of bytes of a mail held in memory while its parts are located.
const readWindow = 64 << 10

// source reads a mail that is not in memory. It keeps a window of it, which
// makes sequential reading fast.
//
// The first error of a read is kept in err, and nothing is read afterwards: the
// mail seems to end there. Callers check err before they use what was read.
type source struct {
	from   io.ReaderAt
	size   int64
	window int    // how many bytes are read at once
	buf    []byte // the window
	start  int64  // where the window begins
	err    error
}

// peek returns the bytes from a position to the end of the window: at least n, fewer only
// at the end of the mail. The next call overwrites them.
func (s *source) peek(at int64, n int) []byte {
	n = int(min(int64(n), s.size-at))
	if n <= 0 || s.err != nil {
		return nil
	}
	if at < s.start || at+int64(n) > s.start+int64(len(s.buf)) {
		n = int(min(int64(max(n, s.window)), s.size-at))
		s.buf, s.start = slices.Grow(s.buf[:0], n)[:n], at
		if s.err = readFullAt(s.from, s.buf, at); s.err != nil {
			return nil
		}
	}
	return s.buf[at-s.start:]
}

// read returns at most limit bytes from a position.
func (s *source) read(at, limit int64) []byte {
	limit = min(limit, s.size-at)
	if limit <= 0 || s.err != nil {
		return nil
	}
	out := make([]byte, limit)
	if s.err = readFullAt(s.from, out, at); s.err != nil {
		return nil
	}
	return out
}

// readFullAt fills b with the bytes at a position. It returns io.ErrUnexpectedEOF if there
// are fewer.
func readFullAt(from io.ReaderAt, b []byte, at int64) error {
	n, err := from.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// find returns the position of a text at or after a position, -1 if it does not occur.
func (s *source) find(text string, at int64) int64 {
	for {
		chunk := s.peek(at, len(text))
		if len(chunk) < len(text) {
			return -1
		}
		if n := bytes.Index(chunk, []byte(text)); n >= 0 {
			return at + int64(n)
		}
		at += int64(len(chunk) - len(text) + 1)
	}
}

// nextLine returns where the line after the one at a position begins, or the end of the
// mail.
func (s *source) nextLine(at int64) int64 {
	for {
		chunk := s.peek(at, 1)
		if len(chunk) == 0 {
			return s.size
		}
		if n := bytes.IndexByte(chunk, '\n'); n >= 0 {
			return at + int64(n) + 1
		}
		at += int64(len(chunk))
	}
}

// isEmptyLine reports whether the line at a position is empty.
func (s *source) isEmptyLine(at int64) bool {
	line := s.peek(at, 2)
	return bytes.HasPrefix(line, []byte("\n")) || bytes.HasPrefix(line, []byte("\r\n")) || string(line) == "\r"
}

// isBlankToLineEnd reports whether only white space follows on the line.
func (s *source) isBlankToLineEnd(at int64) bool {
	for {
		chunk := s.peek(at, 1)
		if len(chunk) == 0 {
			return true
		}
		if rest := bytes.TrimLeft(chunk, " \t\r"); len(rest) > 0 {
			return rest[0] == '\n'
		}
		at += int64(len(chunk))
	}
}

// isBlankToEnd reports whether only white space follows in the mail.
func (s *source) isBlankToEnd(at int64) bool {
	for {
		chunk := s.peek(at, utf8.UTFMax)
		if len(chunk) == 0 {
			return true
		}
		rest := bytes.TrimLeftFunc(chunk, unicode.IsSpace)
		next := at + int64(len(chunk)-len(rest))
		// A character may continue after the window, but not after the end of the mail.
		if len(rest) > 0 && (utf8.FullRune(rest) || next+int64(len(rest)) == s.size) {
			return false
		}
		at = next
	}
}

// skipMbox returns where the mail begins, after the lines that mailbox files put before it
// and after empty lines.
func (s *source) skipMbox() int64 {
	at := int64(0)
	for line := s.peek(at, 6); bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From ")); line = s.peek(at, 6) {
		at = s.nextLine(at)
	}
	for {
		chunk := s.peek(at, 1)
		rest := bytes.TrimLeft(chunk, "\r\n")
		at += int64(len(chunk) - len(rest))
		if len(rest) > 0 || len(chunk) == 0 {
			return at
		}
	}
}
