package dlp

import (
	"bytes"
	"io"
	"os"
)

// spool stores the content of a part: in memory up to spoolMemory, on disk above.
type spool struct {
	memory []byte
	file   *os.File
	size   int64
}

const spoolMemory = 1 << 20

// readSpool reads r to its end or to a limit. The returned spool holds what was read, even
// with an error: errTooLarge, errTime, or the error of the reader or the disk.
func (x *extractor) readSpool(r io.Reader) (*spool, error) {
	p := &spool{}
	buf := make([]byte, 64<<10)
	for {
		if x.ctx.Err() != nil {
			return p, errTime
		}
		n, err := r.Read(buf)
		if n > 0 {
			if x.bytes += int64(n); x.bytes > x.limits.Bytes {
				return p, errTooLarge
			}
			if werr := p.write(buf[:n], x.limits.TempDir); werr != nil {
				return p, werr
			}
		}
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
}

func (p *spool) write(b []byte, dir string) error {
	if p.file == nil && p.size+int64(len(b)) <= spoolMemory {
		p.memory = append(p.memory, b...)
		p.size += int64(len(b))
		return nil
	}
	if p.file == nil {
		f, err := os.CreateTemp(dir, "scan-*")
		if err != nil {
			return err
		}
		_ = os.Remove(f.Name()) // the open file stays readable and disappears when closed
		p.file = f
		if _, err := f.Write(p.memory); err != nil {
			return err
		}
		p.memory = nil
	}
	n, err := p.file.Write(b)
	p.size += int64(n)
	return err
}

// ReadAt implements io.ReaderAt.
func (p *spool) ReadAt(b []byte, off int64) (int, error) {
	if p.file != nil {
		return p.file.ReadAt(b, off)
	}
	return bytes.NewReader(p.memory).ReadAt(b, off)
}

func (p *spool) reader() io.Reader { return io.NewSectionReader(p, 0, p.size) }

// head returns the first n bytes of the content.
func (p *spool) head(n int) []byte {
	b := make([]byte, min(int64(n), p.size))
	n, _ = p.ReadAt(b, 0)
	return b[:n]
}

func (p *spool) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}
