package source

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const columns = `id, kind, title, title_given, address, filename, state, failure, language, bytes, cut, revision, read_at, tried_at, created_at, updated_at`

func (s *Source) fields() []any {
	return []any{
		&s.ID, &s.Kind, &s.Title, &s.titleGiven, &s.Address, &s.Filename, &s.State, &s.Failure, &s.language, &s.Bytes, &s.Cut, &s.revision,
		&s.ReadAt, &s.TriedAt, &s.CreatedAt, &s.UpdatedAt,
	}
}

var scan = db.Fields((*Source).fields)

// kept is a source with its sections.
type kept struct {
	Source
	sections db.JSON[[]section]
}

var scanKept = db.Fields(func(k *kept) []any { return append(k.fields(), &k.sections) })

// list returns the sources, oldest first; ids are ordered by time.
func list(r *db.Reader, p db.Page) (db.List[Source], error) {
	rows, err := db.All(r, scan, `SELECT `+columns+` FROM assistant_source WHERE tenant_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
		r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(s Source) db.Key { return db.Key{Sort: s.CreatedAt.UnixMicro(), ID: s.ID} }), err
}

func byID(r *db.Reader, id uuid.UUID) (Source, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM assistant_source WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func withText(r *db.Reader, id uuid.UUID) (kept, error) {
	return db.One(r, scanKept, `SELECT `+columns+`, sections FROM assistant_source WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// lock returns a source and locks it against changes until the transaction ends.
func lock(tx *db.Tx, id uuid.UUID) (Source, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM assistant_source s WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("s"),
		tx.Tenant(), id)
}

// usedFor returns the number of sources, and the total size of their texts except one
// source's.
func usedFor(r *db.Reader, except uuid.UUID) (count, bytes int, err error) {
	type row struct{ count, bytes int }
	v, err := db.One(r, db.Fields(func(v *row) []any { return []any{&v.count, &v.bytes} }),
		`SELECT count(*), COALESCE(sum(CASE WHEN id = $2 THEN 0 ELSE bytes END), 0) FROM assistant_source WHERE tenant_id = $1`, r.Tenant(), except)
	return v.count, v.bytes, err
}

// addressTaken reports whether another source is this page.
func addressTaken(r *db.Reader, address string, except uuid.UUID) (bool, error) {
	n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM assistant_source WHERE tenant_id = $1 AND kind = 'website' AND address = $2 AND id <> $3`,
		r.Tenant(), address, except)
	return n > 0, err
}

func put(tx *db.Tx, s Source, text []section) error {
	return tx.Exec(`INSERT INTO assistant_source (tenant_id, id, kind, title, title_given, address, filename, state, failure, language, bytes, cut,
			revision, read_at, tried_at, created_at, updated_at, sections)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		tx.Tenant(), s.ID, s.Kind, s.Title, s.titleGiven, s.Address, s.Filename, s.State, s.Failure, s.language, s.Bytes, s.Cut,
		s.revision, s.ReadAt, s.TriedAt, s.CreatedAt, s.UpdatedAt, db.AsJSON(text))
}

func save(tx *db.Tx, s Source) error {
	return tx.Exec(`UPDATE assistant_source SET title = $3, title_given = $4, address = $5, state = $6, failure = $7, language = $8, bytes = $9,
			cut = $10, revision = $11, read_at = $12, tried_at = $13, updated_at = $14 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), s.ID, s.Title, s.titleGiven, s.Address, s.State, s.Failure, s.language, s.Bytes, s.Cut, s.revision, s.ReadAt, s.TriedAt, s.UpdatedAt)
}

func saveText(tx *db.Tx, id uuid.UUID, text []section) error {
	return tx.Exec(`UPDATE assistant_source SET sections = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, db.AsJSON(text))
}

func drop(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM assistant_source WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}

// mark identifies the state of a source that has a text.
type mark struct {
	id       uuid.UUID
	revision int64
}

func marks(r *db.Reader) ([]mark, error) {
	return db.All(r, db.Fields(func(m *mark) []any { return []any{&m.id, &m.revision} }),
		`SELECT id, revision FROM assistant_source WHERE tenant_id = $1 AND bytes > 0 ORDER BY id`, r.Tenant())
}

func texts(r *db.Reader) ([]kept, error) {
	return db.All(r, scanKept, `SELECT `+columns+`, sections FROM assistant_source WHERE tenant_id = $1 AND bytes > 0 ORDER BY id`, r.Tenant())
}
