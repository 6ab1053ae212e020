package identity

import (
	"crypto/sha256"

	"konak/internal/kit/db"
)

func (s *Service) forgetTokens(tx *db.Tx, hashes ...[]byte) {
	tx.AfterCommit(func() {
		s.epoch.Add(1)
		for _, h := range hashes {
			s.cache.Invalidate([sha256.Size]byte(h))
		}
	})
}
