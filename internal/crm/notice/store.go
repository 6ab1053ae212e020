package notice

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// preferencesOf returns an agent's preferences, or the defaults if they set none.
func preferencesOf(r *db.Reader, agent uuid.UUID) (Preferences, error) {
	kept, err := db.OneOr(r, db.AsJSON(defaults), db.Scalar[db.JSON[Preferences]], `SELECT preferences FROM notice_preference
		WHERE tenant_id = $1 AND agent_id = $2`, r.Tenant(), agent)
	return kept.V, err
}

func savePreferences(tx *db.Tx, agent uuid.UUID, p Preferences) error {
	return tx.Exec(`INSERT INTO notice_preference (tenant_id, agent_id, preferences, updated_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, agent_id) DO UPDATE SET preferences = $3, updated_at = $4`,
		tx.Tenant(), agent, db.AsJSON(p), clock.At(tx.Now()))
}
