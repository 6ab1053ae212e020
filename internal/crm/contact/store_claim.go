package contact

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const claimColumns = `id, kind, value, value_key, source, at, proof, proven_at, proven_by`

func scanClaim(row db.Row, more ...any) (k Claim, err error) {
	err = row.Scan(append(more, &k.ID, &k.Kind, &k.Value, &k.key, &k.Source, &k.At, &k.Proof, &k.ProvenAt, &k.ProvenBy)...)
	return k, err
}

// claimsOf reads the claims of a contact, oldest first.
func claimsOf(r *db.Reader, contact uuid.UUID) ([]Claim, error) {
	return db.All(r, func(row db.Row) (Claim, error) { return scanClaim(row) }, `SELECT `+claimColumns+` FROM contact_claim
		WHERE tenant_id = $1 AND contact_id = $2 ORDER BY id`, r.Tenant(), contact)
}

func putClaim(tx *db.Tx, contact uuid.UUID, k Claim) error {
	return tx.Exec(`INSERT INTO contact_claim (tenant_id, id, contact_id, kind, value, value_key, source, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, contact_id, kind, value_key) DO NOTHING`,
		tx.Tenant(), k.ID, contact, k.Kind, k.Value, k.key, k.Source, k.At)
}

func setProof(tx *db.Tx, id uuid.UUID, proof string, by *uuid.UUID) error {
	return tx.Exec(`UPDATE contact_claim SET proof = $3, proven_at = $4, proven_by = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, proof, clock.At(tx.Now()), by)
}

// holderOfClaim finds the contact that has a claim's address or number.
func holderOfClaim(r *db.Reader, k Claim, test bool) (Ref, error) {
	table, condition := `contact_email`, `k.email_key = $3`
	if k.Kind == ClaimPhone {
		table, condition = `contact_phone`, `k.e164 = $3`
	}
	return db.One(r, scanRef, refQuery(table, condition), r.Tenant(), test, k.key)
}

// moveClaims moves the loser's claims to the winner. A claim that the winner already has
// stays with the loser, in case the merge is undone.
func moveClaims(tx *db.Tx, loser, winner uuid.UUID) error {
	return tx.Exec(`UPDATE contact_claim SET contact_id = $3 WHERE tenant_id = $1 AND contact_id = $2
		AND NOT EXISTS (SELECT 1 FROM contact_claim h WHERE h.tenant_id = $1 AND h.contact_id = $3
			AND h.kind = contact_claim.kind AND h.value_key = contact_claim.value_key)`, tx.Tenant(), loser, winner)
}

// moveClaimsBack returns the loser's claims to it in their earlier state: a wrong merge
// proves nothing.
func moveClaimsBack(tx *db.Tx, loser uuid.UUID, claims []Claim) error {
	for _, k := range claims {
		if err := tx.Exec(`UPDATE contact_claim SET contact_id = $3, proof = $4, proven_at = $5, proven_by = $6
			WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), k.ID, loser, k.Proof, k.ProvenAt, k.ProvenBy); err != nil {
			return err
		}
	}
	return nil
}

// claimants finds the contacts that claim one of the given addresses or numbers without
// proof, newest first.
func claimants(r *db.Reader, kind string, keys []string, test bool) ([]uuid.UUID, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	in, arg := db.In(r.Dialect(), 3, keys)
	return db.All(r, db.Scalar[uuid.UUID], `SELECT k.contact_id FROM contact_claim k
		JOIN contact c ON c.tenant_id = k.tenant_id AND c.id = k.contact_id
		WHERE k.tenant_id = $1 AND k.kind = $2 AND k.value_key `+in+` AND k.proof IS NULL
			AND c.test = $4 AND c.deleted_at IS NULL AND c.merged_into_id IS NULL
		ORDER BY k.id DESC LIMIT $5`, r.Tenant(), kind, arg, test, maxDuplicates+1)
}
