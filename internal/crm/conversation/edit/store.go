package edit

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

func putEdition(tx *db.Tx, item uuid.UUID, e Edition) error {
	return tx.Exec(`INSERT INTO item_edit (tenant_id, id, item_id, body, editor_kind, editor_id, edited_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, tx.Tenant(), e.ID, item, e.Body, e.EditorKind, e.EditorID, e.EditedAt)
}

// editions lists the earlier texts of an item, the newest first.
func editions(r *db.Reader, item uuid.UUID, p db.Page) (db.List[Edition], error) {
	rows, err := db.All(r, func(row db.Row) (e Edition, err error) {
		err = row.Scan(&e.ID, &e.Body, &e.EditorKind, &e.EditorID, &e.EditedAt)
		return e, err
	}, `SELECT id, body, editor_kind, editor_id, edited_at FROM item_edit
		WHERE tenant_id = $1 AND item_id = $2 AND (edited_at, id) < ($3, $4)
		ORDER BY edited_at DESC, id DESC LIMIT $5`, r.Tenant(), item, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Edition) db.Key { return db.Key{Sort: e.EditedAt.UnixMicro(), ID: e.ID} }), err
}
