package contact

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// SearchAfter returns contacts in the order of their ids, for keeping a search index.
func SearchAfter(r *db.Reader, after uuid.UUID, limit int) ([]Contact, error) {
	return readContacts(r, `id > $2 AND deleted_at IS NULL`+onlyVisible(r)+` ORDER BY id LIMIT $3`, after, limit)
}

// SearchOf returns the contacts with the given ids.
func SearchOf(r *db.Reader, ids []uuid.UUID) ([]Contact, error) {
	if len(ids) == 0 {
		return []Contact{}, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return readContacts(r, `id `+in+` AND deleted_at IS NULL`+onlyVisible(r), arg)
}

// readContacts reads the contacts of the workspace that meet a condition, with their parts.
// Its parameters begin with $2.
func readContacts(r *db.Reader, condition string, args ...any) ([]Contact, error) {
	list, err := db.All(r, scan, `SELECT `+columns+` FROM contact WHERE tenant_id = $1 AND `+condition, append([]any{r.Tenant()}, args...)...)
	if err != nil {
		return nil, err
	}
	return list, fill(r, list)
}
