package finder

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"konak/internal/kit/search"
)

func (s *Service) path(tenant uuid.UUID, k int) string {
	return filepath.Join(s.Dir, tenant.String()+"."+kinds[k].name)
}

// load reads a workspace's files. Both must be complete and of the same event; otherwise it
// returns an error.
func (s *Service) load(tenant uuid.UUID) (*state, error) {
	st := &state{}
	for k := range kinds {
		x, err := s.read(tenant, k)
		if err != nil {
			return nil, err
		}
		if k > 0 && x.Rev() != st.revision {
			return nil, errors.New("finder: the files were written at different times")
		}
		st.index[k], st.built[k], st.revision = x, x.Snapshot().Len(), x.Rev()
	}
	return st, nil
}

func (s *Service) read(tenant uuid.UUID, k int) (*search.Index, error) {
	f, err := os.Open(s.path(tenant, k))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return search.Open(kinds[k].schema, bufio.NewReaderSize(f, 1<<20))
}

// save writes the files of a workspace's indexes, if they are large enough and have
// changed. A failure only costs the next start some time.
func (s *Service) save(w *workspaceIndexes) {
	// The snapshots are of one moment; searches do not wait while they are written.
	var snaps [kindCount]*search.Snapshot
	w.mu.Lock()
	st, saved := w.state.Load(), w.saved
	for k, x := range st.index {
		snaps[k] = x.Snapshot()
	}
	w.mu.Unlock()
	if st.revision == saved || st.records() < worthSaving {
		return
	}
	for k, snap := range snaps {
		if err := s.write(w.tenant, k, snap); err != nil {
			s.Log.Warn("a search index could not be saved", "tenant", w.tenant, "error", err)
			return
		}
	}
	w.mu.Lock()
	w.saved = st.revision
	w.mu.Unlock()
}

// write replaces a file atomically: an interrupted write leaves the old one.
func (s *Service) write(tenant uuid.UUID, k int, snap *search.Snapshot) (err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Dir, "new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := snap.WriteTo(f); err != nil {
		return fmt.Errorf("finder: write: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path(tenant, k))
}
