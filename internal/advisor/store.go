package advisor

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Revision is a state of the corpus created by an import.
type Revision struct {
	Rev int64
	// ID distinguishes revisions with the same number: a restored database continues
	// counting from an older one.
	ID        uuid.UUID
	Day       string
	CreatedAt clock.Time
}

func scanRevision(row db.Row) (v Revision, err error) {
	err = row.Scan(&v.Rev, &v.ID, &v.Day, &v.CreatedAt)
	return v, err
}

const revisionColumns = `rev, id, day, created_at`

// latestRevision returns the newest revision, or the zero Revision if no corpus exists.
func latestRevision(r *db.Reader) (Revision, error) {
	return db.OrZero(db.One(r, scanRevision, `SELECT `+revisionColumns+` FROM advisor_revision ORDER BY rev DESC LIMIT 1`))
}

func firstRevision(r *db.Reader) (Revision, error) {
	return db.OrZero(db.One(r, scanRevision, `SELECT `+revisionColumns+` FROM advisor_revision ORDER BY rev LIMIT 1`))
}

func revision(r *db.Reader, rev int64) (Revision, error) {
	return db.OrZero(db.One(r, scanRevision, `SELECT `+revisionColumns+` FROM advisor_revision WHERE rev = $1`, rev))
}

// revisionOn returns the last revision created up to the end of a day.
func revisionOn(r *db.Reader, day string) (Revision, error) {
	return db.OrZero(db.One(r, scanRevision, `SELECT `+revisionColumns+` FROM advisor_revision
		WHERE day <= $1 ORDER BY rev DESC LIMIT 1`, day))
}

// stored is a version of a provision as the database has it.
type stored struct {
	Provision
	RevFrom   int64
	RevTo     *int64
	ValidFrom string
	ValidTo   *string
	SHA256    []byte
}

const versionColumns = `provision_id, law_id, ord, rev_from, rev_to, valid_from, valid_to, sha256, text, meta`

func scanVersion(row db.Row) (*stored, error) {
	v := &stored{}
	var id, law, text string
	var order int
	err := row.Scan(&id, &law, &order, &v.RevFrom, &v.RevTo, &v.ValidFrom, &v.ValidTo, &v.SHA256, &text, db.FromJSON(&v.Provision))
	v.ID, v.LawID, v.Order, v.Text = id, law, order, text
	return v, err
}

// inRevision is the SQL condition for a version that is part of revision $1.
const inRevision = `rev_from <= $1 AND (rev_to IS NULL OR rev_to > $1)`

// place3 is a position in the order of the corpus.
type place3 struct {
	law   string
	order int
	id    string
}

// corpusPage returns provisions of a revision, ordered by law and position.
func corpusPage(r *db.Reader, rev int64, after place3, limit int) ([]*stored, error) {
	return db.All(r, scanVersion, `SELECT `+versionColumns+` FROM provision_version
		WHERE `+inRevision+` AND (law_id, ord, provision_id) > ($2, $3, $4)
		ORDER BY law_id, ord, provision_id LIMIT $5`, rev, after.law, after.order, after.id, limit)
}

// versionsOf returns provisions of a revision by id.
func versionsOf(r *db.Reader, rev int64, ids []string) ([]*stored, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.All(r, scanVersion, `SELECT `+versionColumns+` FROM provision_version
		WHERE `+inRevision+` AND provision_id `+in, rev, arg)
}

// lawVersions returns all provisions of a law as of a revision, without their texts.
func lawVersions(r *db.Reader, rev int64, law string) ([]*stored, error) {
	return db.All(r, scanVersion, `SELECT provision_id, law_id, ord, rev_from, rev_to, valid_from, valid_to, sha256, '', meta
		FROM provision_version WHERE `+inRevision+` AND law_id = $2 ORDER BY ord, provision_id`, rev, law)
}

// history returns the versions of a provision up to a revision, newest first.
func history(r *db.Reader, rev int64, id string, limit int) ([]*stored, error) {
	return db.All(r, scanVersion, `SELECT `+versionColumns+` FROM provision_version
		WHERE provision_id = $2 AND rev_from <= $1 ORDER BY rev_from DESC LIMIT $3`, rev, id, limit)
}

// changedProvisions returns the ids of the provisions that differ between two revisions.
func changedProvisions(r *db.Reader, from, to int64) ([]string, error) {
	return db.All(r, db.Scalar[string], `SELECT provision_id FROM provision_version WHERE rev_from > $1 AND rev_from <= $2
		UNION SELECT provision_id FROM provision_version WHERE rev_to > $1 AND rev_to <= $2`, from, to)
}

func scanListedLaw(row db.Row) (l ListedLaw, err error) {
	var day int64
	err = row.Scan(&l.key, &l.ID, &l.No, &l.Title, &l.Kind, &l.Status, &l.GazetteDate, &l.GazetteNo, &l.SourceURL, &l.Provisions, &day)
	l.LastUpdate, l.day = dayText(day), day
	return l, err
}

const listedLawColumns = `id, law_id, no, title, kind, status, rg_date, rg_no, source_url, provisions, updated_day`

func listLaws(r *db.Reader, p db.Page) (db.List[ListedLaw], error) {
	rows, err := db.All(r, scanListedLaw, `SELECT `+listedLawColumns+` FROM advisor_law
		WHERE (updated_day, id) < ($1, $2) ORDER BY updated_day DESC, id DESC LIMIT $3`, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(l ListedLaw) db.Key { return db.Key{Sort: l.day, ID: l.key} }), err
}
