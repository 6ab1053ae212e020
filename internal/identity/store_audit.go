package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// actorNames returns the names of members and API keys.
func actorNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) == 0 {
		return map[uuid.UUID]string{}, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.Map[uuid.UUID, string](r, `SELECT m.id, CASE WHEN m.name <> '' THEN m.name ELSE u.name END
		FROM membership m JOIN app_user u ON u.id = m.user_id WHERE m.tenant_id = $1 AND m.id `+in+`
		UNION ALL SELECT id, name FROM api_key WHERE tenant_id = $1 AND id `+in, r.Tenant(), arg)
}
