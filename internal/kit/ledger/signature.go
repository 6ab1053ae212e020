package ledger

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// SignedHead is the last line of a day, signed with a key of the installation that is not
// in the database: somebody who rewrites the lines cannot rewrite the signature.
type SignedHead struct {
	Day       string `json:"day" format:"date" example:"2026-11-15"`
	Seq       int64  `json:"seq" example:"12"`
	Hash      string `json:"hash"`
	Signature string `json:"signature" doc:"Ed25519 signature in base64 over konak-ledger, the workspace's id, day, seq and hash, joined by line feeds"`
	PublicKey string `json:"public_key" doc:"Public key of the installation, in base64; keep a copy elsewhere"`

	day int64
}

// signBatch is the number of ledgers signed in one round.
const signBatch = 100

func dayOf(t time.Time) int64 { return t.Unix() / 86400 }

// signingKey returns the installation's key for heads.
func (l *Ledger) signingKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(l.box.Derive("ledger head"))
}

// signedText returns the text that a signature covers.
func (h *SignedHead) signedText(tenant uuid.UUID) []byte {
	return fmt.Appendf(nil, "konak-ledger\n%s\n%s\n%d\n%s", tenant, h.Day, h.Seq, h.Hash)
}

// complete fills in the fields that are not stored.
func (h *SignedHead) complete(l *Ledger) {
	h.Day = time.Unix(h.day*86400, 0).UTC().Format(time.DateOnly)
	h.PublicKey = base64.StdEncoding.EncodeToString(l.signingKey().Public().(ed25519.PublicKey))
}

// isSigned reports whether the signature is the installation's.
func (h *SignedHead) isSigned(l *Ledger, tenant uuid.UUID) bool {
	signature, err := base64.StdEncoding.DecodeString(h.Signature)
	return err == nil && ed25519.Verify(l.signingKey().Public().(ed25519.PublicKey), h.signedText(tenant), signature)
}

// SignHeads signs the head of each ledger that has new lines, once a day, and returns the
// number signed.
func (l *Ledger) SignHeads(ctx context.Context, d *db.DB) (n int, err error) {
	today := dayOf(d.Clock().Now())
	tenants, err := db.Read(ctx, d.System("janitor"), func(r *db.Reader) ([]uuid.UUID, error) { return unsignedLedgers(r, today, signBatch) })
	if err != nil {
		return 0, fmt.Errorf("ledger: sign: %w", err)
	}
	for _, tenant := range tenants {
		err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
			h := SignedHead{day: today}
			if h.Seq, h.Hash, err = lockHead(tx); err != nil {
				return err
			}
			h.complete(l)
			h.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(l.signingKey(), h.signedText(tenant)))
			return putSignature(tx, &h)
		})
		if err != nil {
			return n, fmt.Errorf("ledger: sign: %w", err)
		}
		n++
	}
	return n, nil
}
