package advisor

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The index file saves a node the work of indexing when it starts. It is named after the
// revision's id and is only a copy: if anything is wrong with it, the engine is built from
// the database.

const indexSuffix = ".advisor-index"

func (s *Service) indexPath(v Revision) string {
	return filepath.Join(s.folder, v.ID.String()+indexSuffix)
}

// open reads the engine of a revision from its file; nil if that is not possible.
func (s *Service) open(v Revision) *Engine {
	file, err := os.Open(s.indexPath(v))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		var e *Engine
		e, err = Open(DefaultRules(), v.Rev, bufio.NewReaderSize(file, 1<<20))
		err = errors.Join(err, file.Close())
		if err == nil {
			return e
		}
	}
	s.log.Warn("the index file cannot be used; rebuilding the index", "error", err)
	return nil
}

// save writes the index file under a temporary name and renames it, so that the real name
// never belongs to a half-written file. A failure only makes the next start slower.
func (s *Service) save(e *Engine, v Revision) {
	if err := s.write(e, v); err != nil {
		s.log.Warn("the index file was not written", "error", err)
		return
	}
	files, err := filepath.Glob(filepath.Join(s.folder, "*"+indexSuffix))
	if err != nil {
		return
	}
	for _, f := range files {
		if f != s.indexPath(v) {
			_ = os.Remove(f)
		}
	}
}

func (s *Service) write(e *Engine, v Revision) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(s.folder, ".writing-*"+indexSuffix)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	_, err = e.WriteTo(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), s.indexPath(v))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
