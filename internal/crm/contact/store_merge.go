package contact

import (
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// setMergedInto removes a contact from the address book, or puts it back.
func setMergedInto(tx *db.Tx, id uuid.UUID, into *uuid.UUID) error {
	var at *clock.Time
	if into != nil {
		at = clock.Ptr(tx.Now())
	}
	err := tx.Exec(`UPDATE contact SET merged_into_id = $3, deleted_at = $4, updated_at = $5
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, into, at, clock.At(tx.Now()))
	if err != nil || into == nil {
		return err
	}
	// The winner takes over the addresses, so their keys must be free.
	return dropParts(tx, id, "email", "phone", "tag", "term", "consent")
}

// byIDOrMerged returns a contact, or the one that it was merged into, over several merges
// if necessary. This ends, because no contact is merged into one that was merged away.
func byIDOrMerged(r *db.Reader, id uuid.UUID) (Contact, error) {
	for {
		c, err := byID(r, id)
		if !db.IsNoRow(err) {
			return c, err
		}
		id, err = db.One(r, db.Scalar[uuid.UUID], `SELECT merged_into_id FROM contact
			WHERE tenant_id = $1 AND id = $2 AND merged_into_id IS NOT NULL`, r.Tenant(), id)
		if err != nil {
			return Contact{}, err
		}
	}
}

// moveParts moves the loser's identities, claims and notes to the winner and returns the
// ids of the notes.
func moveParts(tx *db.Tx, loser, winner uuid.UUID) ([]uuid.UUID, error) {
	if err := tx.Exec(`UPDATE contact_identity SET contact_id = $3 WHERE tenant_id = $1 AND contact_id = $2`,
		tx.Tenant(), loser, winner); err != nil {
		return nil, err
	}
	if err := moveClaims(tx, loser, winner); err != nil {
		return nil, err
	}
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE contact_note SET contact_id = $3
		WHERE tenant_id = $1 AND contact_id = $2 RETURNING id`, tx.Tenant(), loser, winner)
}

// moveConsents keeps the newer consent for each channel and purpose.
func moveConsents(tx *db.Tx, winner uuid.UUID, has, comes []Consent) error {
	for _, c := range comes {
		if slices.ContainsFunc(has, func(h Consent) bool {
			return h.Channel == c.Channel && h.Purpose == c.Purpose && !h.At.Before(c.At.Time)
		}) {
			continue
		}
		if err := putConsent(tx, winner, c); err != nil {
			return err
		}
	}
	return nil
}

// moveBack returns the loser's identities, claims, notes and consents to it.
func moveBack(tx *db.Tx, winner uuid.UUID, m *moved) error {
	loser := m.Loser.ID
	if err := moveClaimsBack(tx, loser, m.Loser.Claims); err != nil {
		return err
	}
	for _, i := range m.Loser.Identities {
		account := uuid.Nil
		if i.ChannelAccountID != nil {
			account = *i.ChannelAccountID
		}
		if err := tx.Exec(`UPDATE contact_identity SET contact_id = $4
			WHERE tenant_id = $1 AND channel_account_id = $2 AND external_id = $3 AND contact_id = $5`,
			tx.Tenant(), account, i.ExternalID, loser, winner); err != nil {
			return err
		}
	}
	for _, id := range m.Notes {
		if err := tx.Exec(`UPDATE contact_note SET contact_id = $3 WHERE tenant_id = $1 AND id = $2 AND contact_id = $4`,
			tx.Tenant(), id, loser, winner); err != nil {
			return err
		}
	}
	for _, c := range m.Loser.Consents {
		if err := tx.Exec(`DELETE FROM contact_consent
			WHERE tenant_id = $1 AND contact_id = $2 AND channel = $3 AND purpose = $4 AND at = $5`,
			tx.Tenant(), winner, c.Channel, c.Purpose, c.At); err != nil {
			return err
		}
		if err := putConsent(tx, loser, c); err != nil {
			return err
		}
	}
	for _, c := range m.Winner.Consents {
		if err := tx.Exec(`INSERT INTO contact_consent (tenant_id, contact_id, channel, purpose, status, source, evidence, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, contact_id, channel, purpose) DO NOTHING`,
			tx.Tenant(), winner, c.Channel, c.Purpose, c.Status, c.Source, c.Evidence, c.At); err != nil {
			return err
		}
	}
	return nil
}

const mergeColumns = `id, winner_id, loser_id, merged_by, merged_at, undone_at`

func scanMerge(row db.Row, more ...any) (m Merge, err error) {
	err = row.Scan(append([]any{&m.ID, &m.WinnerID, &m.LoserID, &m.MergedBy, &m.MergedAt, &m.UndoneAt}, more...)...)
	return m, err
}

func putMerge(tx *db.Tx, m Merge, what moved) error {
	return tx.Exec(`INSERT INTO contact_merge (tenant_id, id, winner_id, loser_id, moved, merged_by, merged_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, tx.Tenant(), m.ID, m.WinnerID, m.LoserID, db.AsJSON(what), m.MergedBy, m.MergedAt)
}

func lockMerge(tx *db.Tx, id uuid.UUID) (m Merge, what moved, err error) {
	m, err = db.One(&tx.Reader, func(row db.Row) (Merge, error) { return scanMerge(row, db.FromJSON(&what)) }, `SELECT `+mergeColumns+`, moved FROM contact_merge WHERE tenant_id = $1 AND id = $2`+
		tx.Dialect().ForUpdate("contact_merge"), tx.Tenant(), id)
	return m, what, err
}

func markUndone(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE contact_merge SET undone_at = $3, moved = '{}' WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, clock.At(tx.Now()))
}

func merges(r *db.Reader, winner uuid.UUID, p db.Page) (db.List[Merge], error) {
	rows, err := db.All(r, func(row db.Row) (Merge, error) { return scanMerge(row) }, `SELECT `+mergeColumns+` FROM contact_merge
		WHERE tenant_id = $1 AND winner_id = $2 AND (merged_at, id) < ($3, $4)
		ORDER BY merged_at DESC, id DESC LIMIT $5`, r.Tenant(), winner, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Merge) db.Key { return db.Key{Sort: m.MergedAt.UnixMicro(), ID: m.ID} }), err
}
