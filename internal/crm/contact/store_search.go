package contact

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// SearchAfter returns contacts in the order of their ids, for keeping a search index.
func SearchAfter(r *db.Reader, after uuid.UUID, limit int) ([]Contact, error) {
	list, err := db.All(r, scan, `SELECT `+columns+` FROM contact
		WHERE tenant_id = $1 AND id > $2 AND deleted_at IS NULL`+onlyVisible(r)+` ORDER BY id LIMIT $3`, r.Tenant(), after, limit)
	if err != nil {
		return nil, err
	}
	return list, fill(r, list)
}

// SearchOf returns the contacts with the given ids.
func SearchOf(r *db.Reader, ids []uuid.UUID) ([]Contact, error) {
	if len(ids) == 0 {
		return []Contact{}, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	list, err := db.All(r, scan, `SELECT `+columns+` FROM contact
		WHERE tenant_id = $1 AND id `+in+` AND deleted_at IS NULL`+onlyVisible(r), r.Tenant(), arg)
	if err != nil {
		return nil, err
	}
	return list, fill(r, list)
}
