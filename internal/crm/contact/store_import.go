package contact

import (
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const importColumns = `id, filename, status, total, position, created, updated, failed, created_by, created_at, finished_at`

func scanImportInto(i *Import) []any {
	return []any{
		&i.ID, &i.Filename, &i.Status, &i.Total, &i.Processed, &i.Created, &i.Updated, &i.Failed,
		&i.CreatedBy, &i.CreatedAt, &i.FinishedAt,
	}
}

func importByID(r *db.Reader, id uuid.UUID) (Import, error) {
	return db.One(r, func(row db.Row) (i Import, err error) {
		err = row.Scan(scanImportInto(&i)...)
		return i, err
	}, `SELECT `+importColumns+` FROM contact_import WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// importBatch reads an import's progress and its next batch; no batch if all rows are done.
func importBatch(r *db.Reader, id uuid.UUID) (Import, table, error) {
	var t table
	i, err := db.One(r, func(row db.Row) (i Import, err error) {
		err = row.Scan(append(scanImportInto(&i), db.FromJSON(&t.header))...)
		return i, err
	}, `SELECT `+importColumns+`, header FROM contact_import WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
	if err != nil || i.Processed >= i.Total {
		return i, t, err
	}
	rows, err := db.One(r, db.Scalar[db.JSON[[][]string]], `SELECT content FROM contact_import_batch
		WHERE tenant_id = $1 AND import_id = $2 AND number = $3`, r.Tenant(), id, i.Processed/importSlice)
	t.rows = rows.V
	return i, t, err
}

func putImport(tx *db.Tx, i Import, t *table) error {
	if err := tx.Exec(`INSERT INTO contact_import (tenant_id, id, filename, status, header, total, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		tx.Tenant(), i.ID, i.Filename, i.Status, db.AsJSON(t.header), i.Total, i.CreatedBy, i.CreatedAt); err != nil {
		return err
	}
	number := 0
	for rows := range slices.Chunk(t.rows, importSlice) {
		if err := tx.Exec(`INSERT INTO contact_import_batch (tenant_id, import_id, number, content) VALUES ($1, $2, $3, $4)`,
			tx.Tenant(), i.ID, number, db.AsJSON(rows)); err != nil {
			return err
		}
		number++
	}
	return nil
}

// dropBatch deletes rows that are done, because they are personal data.
func dropBatch(tx *db.Tx, id uuid.UUID, number int) error {
	return tx.Exec(`DELETE FROM contact_import_batch WHERE tenant_id = $1 AND import_id = $2 AND number = $3`, tx.Tenant(), id, number)
}

// errPassed means that another worker has already imported this row.
var errPassed = errors.New("contact: the row was imported by another worker")

var stepSQL = map[string]string{
	"created": `UPDATE contact_import SET status = 'running', position = position + 1, created = created + 1 WHERE tenant_id = $1 AND id = $2 AND position = $3`,
	"updated": `UPDATE contact_import SET status = 'running', position = position + 1, updated = updated + 1 WHERE tenant_id = $1 AND id = $2 AND position = $3`,
	"failed":  `UPDATE contact_import SET status = 'running', position = position + 1, failed = failed + 1 WHERE tenant_id = $1 AND id = $2 AND position = $3`,
}

func stepImport(tx *db.Tx, id uuid.UUID, index int, counter string) error {
	n, err := tx.ExecCount(stepSQL[counter], tx.Tenant(), id, index)
	if err == nil && n == 0 {
		return errPassed
	}
	return err
}

func finishImport(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE contact_import SET status = 'done', finished_at = $3 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), id, clock.At(tx.Now()))
}

func putImportErrors(tx *db.Tx, id uuid.UUID, line int, f *fault.Fault) error {
	put := func(field, code string) error {
		return tx.Exec(`INSERT INTO contact_import_error (tenant_id, import_id, line, id, field, code)
			VALUES ($1, $2, $3, $4, $5, $6)`, tx.Tenant(), id, line, tx.NewID(), field, code)
	}
	if len(f.Fields) == 0 {
		return put("", string(f.Code))
	}
	for _, field := range slices.Sorted(maps.Keys(f.Fields)) {
		for _, code := range f.Fields[field] {
			if err := put(field, code); err != nil {
				return err
			}
		}
	}
	return nil
}

func importErrors(r *db.Reader, id uuid.UUID, p db.Page) (db.List[ImportError], error) {
	rows, err := db.All(r, func(row db.Row) (e ImportError, err error) {
		err = row.Scan(&e.ID, &e.Line, &e.Field, &e.Code)
		return e, err
	}, `SELECT id, line, field, code FROM contact_import_error
		WHERE tenant_id = $1 AND import_id = $2 AND (line, id) > ($3, $4) ORDER BY line, id LIMIT $5`,
		r.Tenant(), id, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e ImportError) db.Key { return db.Key{Sort: int64(e.Line), ID: e.ID} }), err
}
