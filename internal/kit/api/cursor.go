package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

const (
	keyLen = 8 + 16
	macLen = 8
)

// SealCursor returns the cursor at which a list continues: the key of the last row and a
// MAC over it, the list and the tenant, so that a forged cursor, or one of another list or
// workspace, is refused.
func (a *API) SealCursor(ctx context.Context, list string, k db.Key) string {
	b := make([]byte, 8, keyLen+macLen)
	binary.BigEndian.PutUint64(b, uint64(k.Sort))
	b = append(b, k.ID[:]...)
	b = append(b, a.cursorMAC(ctx, list, b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// OpenCursor reads a cursor of SealCursor. It returns false if it is not a cursor of the
// list.
func (a *API) OpenCursor(ctx context.Context, list, cursor string) (db.Key, bool) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) != keyLen+macLen || !hmac.Equal(b[keyLen:], a.cursorMAC(ctx, list, b[:keyLen])) {
		return db.Key{}, false
	}
	k := db.Key{Sort: int64(binary.BigEndian.Uint64(b))}
	copy(k.ID[:], b[8:keyLen])
	return k, true
}

func (a *API) cursorMAC(ctx context.Context, list string, b []byte) []byte {
	tenant := caller.From(ctx).TenantID
	m := hmac.New(sha256.New, a.cfg.CursorKey)
	m.Write([]byte("cursor\x00" + list + "\x00"))
	m.Write(tenant[:])
	m.Write(b)
	return m.Sum(nil)[:macLen]
}
