package greeting

import (
	"konak/internal/kit/db"
)

const columns = `slot, mode, text, voice, name, blob_id, sha256, duration_ms, updated_at`

func scanSlot(row db.Row) (s Slot, err error) {
	err = row.Scan(&s.Slot, &s.Mode, &s.Text, &s.Voice, &s.Name, &s.blobID, &s.SHA256, &s.Duration, &s.UpdatedAt)
	return s, err
}

func listSlots(r *db.Reader) ([]Slot, error) {
	return db.All(r, scanSlot, `SELECT `+columns+` FROM phone_greeting WHERE tenant_id = $1`, r.Tenant())
}

// findSlot reads a slot; db.ErrNoRow if it is not set.
func findSlot(r *db.Reader, slot string) (Slot, error) {
	return db.One(r, scanSlot, `SELECT `+columns+` FROM phone_greeting WHERE tenant_id = $1 AND slot = $2`, r.Tenant(), slot)
}

func lockSlot(tx *db.Tx, slot string) (Slot, error) {
	return db.One(&tx.Reader, scanSlot, `SELECT `+columns+` FROM phone_greeting g WHERE tenant_id = $1 AND slot = $2`+
		tx.Dialect().ForUpdate("g"), tx.Tenant(), slot)
}

func saveSlot(tx *db.Tx, s Slot) error {
	return tx.Exec(`INSERT INTO phone_greeting (tenant_id, `+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (tenant_id, slot) DO UPDATE SET mode = $3, text = $4, voice = $5, name = $6, blob_id = $7, sha256 = $8, duration_ms = $9,
			updated_at = $10`,
		tx.Tenant(), s.Slot, s.Mode, s.Text, s.Voice, s.Name, s.blobID, s.SHA256, s.Duration, s.UpdatedAt)
}
