package advisor

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// importPatience is how long an import may be silent before it counts as dead and another
// one may take over.
const importPatience = time.Minute

// claimImport claims the import, and reports whether it may begin.
func claimImport(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`INSERT INTO advisor_import (one, id, beat_at) VALUES (1, $1, $2)
		ON CONFLICT (one) DO UPDATE SET id = excluded.id, beat_at = excluded.beat_at WHERE advisor_import.beat_at < $3`,
		id, clock.At(tx.Now()), clock.At(tx.Now().Add(-importPatience)))
}

// beatImport renews the claim, and reports whether the import still has it.
func beatImport(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`UPDATE advisor_import SET beat_at = $1 WHERE one = 1 AND id = $2`, clock.At(tx.Now()), id)
}

func releaseImport(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM advisor_import WHERE id = $1`, id)
}

// undoUnfinished undoes part of what an import wrote that never became a revision, and
// returns the number of rows affected.
func undoUnfinished(tx *db.Tx, rev int64, limit int) (int64, error) {
	gone, err := tx.ExecCount(`DELETE FROM provision_version WHERE rev_from > $1 AND provision_id IN (
		SELECT provision_id FROM provision_version WHERE rev_from > $1 LIMIT $2)`, rev, limit)
	if err != nil || gone > 0 {
		return gone, err
	}
	open, err := tx.ExecCount(`UPDATE provision_version SET rev_to = NULL, valid_to = NULL WHERE rev_to > $1 AND provision_id IN (
		SELECT provision_id FROM provision_version WHERE rev_to > $1 LIMIT $2)`, rev, limit)
	if err != nil || open > 0 {
		return open, err
	}
	return tx.ExecCount(`DELETE FROM advisor_provision WHERE id IN (SELECT id FROM advisor_provision WHERE first_rev > $1 LIMIT $2)`, rev, limit)
}

// known is the data about a provision that shows an import whether it changed.
type known struct {
	id, law   string
	order     int
	validFrom string
	sha       [32]byte
}

func scanKnown(row db.Row) (k known, err error) {
	var sha []byte
	err = row.Scan(&k.id, &k.law, &k.order, &k.validFrom, &sha)
	copy(k.sha[:], sha)
	return k, err
}

// knownPage returns the open versions in order of id.
func knownPage(r *db.Reader, after string, limit int) ([]known, error) {
	return db.All(r, scanKnown, `SELECT provision_id, law_id, ord, valid_from, sha256 FROM provision_version
		WHERE rev_to IS NULL AND provision_id > $1 ORDER BY provision_id LIMIT $2`, after, limit)
}

// closeVersion ends the open version of a provision at a revision.
func closeVersion(tx *db.Tx, id string, rev int64, day string) error {
	return tx.Exec(`UPDATE provision_version SET rev_to = $1, valid_to = $2 WHERE provision_id = $3 AND rev_to IS NULL`, rev, day, id)
}

func moveProvision(tx *db.Tx, id string, order int) error {
	return tx.Exec(`UPDATE provision_version SET ord = $1 WHERE provision_id = $2 AND rev_to IS NULL`, order, id)
}

// fresh is a version to write.
type fresh struct {
	p         *Provision
	sha       [32]byte
	validFrom string
}

// atOnce is the number of versions written per call of putSome.
const atOnce = 50

func putVersions(tx *db.Tx, rev int64, list []fresh) error {
	for some := range slices.Chunk(list, atOnce) {
		if err := putSome(tx, rev, some); err != nil {
			return fmt.Errorf("advisor: put versions: %w", err)
		}
	}
	return nil
}

func putSome(tx *db.Tx, rev int64, list []fresh) error {
	var names, rows [][]any
	for _, f := range list {
		meta := *f.p
		meta.Text, meta.Order = "", 0
		names = append(names, []any{f.p.ID, f.p.LawID, rev})
		rows = append(rows, []any{f.p.ID, rev, f.p.LawID, f.p.Order, f.validFrom, f.sha[:], f.p.Text, db.AsJSON(meta)})
	}
	_, err := db.Each(tx, db.Scalar[string], []string{"text", "text", "bigint"}, names, func(source string) string {
		return `INSERT INTO advisor_provision (id, law_id, first_rev) ` + source + ` ON CONFLICT (id) DO NOTHING`
	})
	if err != nil {
		return err
	}
	_, err = db.Each(tx, db.Scalar[string], []string{"text", "bigint", "text", "bigint", "text", "bytea", "text", "text"}, rows, func(source string) string {
		return `INSERT INTO provision_version (provision_id, rev_from, law_id, ord, valid_from, sha256, text, meta) ` + source
	})
	return err
}

// lawCounts returns the number of provisions that each law will have.
func lawCounts(r *db.Reader) (map[string]int, error) {
	return db.Map[string, int](r, `SELECT law_id, COUNT(*) FROM provision_version WHERE rev_to IS NULL GROUP BY law_id`)
}

// lawDays returns the days on which the laws were last updated.
func lawDays(r *db.Reader) (map[string]int64, error) {
	return db.Map[string, int64](r, `SELECT law_id, updated_day FROM advisor_law`)
}

func putLaw(tx *db.Tx, l ListedLaw) error {
	return tx.Exec(`INSERT INTO advisor_law (law_id, id, no, title, kind, status, rg_date, rg_no, source_url, provisions, updated_day)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (law_id) DO UPDATE SET no = excluded.no, title = excluded.title, kind = excluded.kind, status = excluded.status,
			rg_date = excluded.rg_date, rg_no = excluded.rg_no, source_url = excluded.source_url,
			provisions = excluded.provisions, updated_day = excluded.updated_day`,
		l.ID, tx.NewID(), l.No, l.Title, l.Kind, l.Status, l.GazetteDate, l.GazetteNo, l.SourceURL, l.Provisions, l.day)
}

// countLaw updates the number of provisions of a law that the file does not contain, and
// deletes a law without provisions.
func countLaw(tx *db.Tx, law string, n int, day int64) error {
	if n == 0 {
		return tx.Exec(`DELETE FROM advisor_law WHERE law_id = $1`, law)
	}
	return tx.Exec(`UPDATE advisor_law SET provisions = $1, updated_day = $2 WHERE law_id = $3`, n, day, law)
}

func putRevision(tx *db.Tx, v Revision, source string, r Report) error {
	return tx.Exec(`INSERT INTO advisor_revision (rev, id, day, source, added, changed, removed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, v.Rev, v.ID, v.Day, source, r.Added, r.Changed, r.Removed, v.CreatedAt)
}
