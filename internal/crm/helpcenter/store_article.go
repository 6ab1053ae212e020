package helpcenter

import (
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const articleColumns = `a.id, a.category_id, a.created_at, a.updated_at`

func scanListed(row db.Row) (Listed, error) {
	a := Listed{Texts: []TextState{}}
	err := row.Scan(&a.ID, &a.CategoryID, &a.CreatedAt, &a.UpdatedAt)
	return a, err
}

// Query filters a list of articles; empty fields are ignored.
type Query struct {
	CategoryID *uuid.UUID
	Language   string
	State      string
}

// articleRows is the number of articles that one page of the list examines.
const articleRows = 1000

// articles returns the articles, newest first, without their texts.
func articles(r *db.Reader, q Query, p db.Page) (db.List[Listed], error) {
	w := db.Window{
		Rows: articleRows, Columns: articleColumns, Alias: "a", Order: "a.created_at DESC, a.id DESC", Where: "1 = 1",
		Args: []any{r.Tenant(), p.After.Sort, p.After.ID, articleRows},
	}
	of := ""
	if q.CategoryID != nil {
		of, w.Args = ` AND a.category_id = $5`, append(w.Args, *q.CategoryID)
	}
	w.Query = `SELECT ` + articleColumns + ` FROM help_article a WHERE a.tenant_id = $1` + of + ` AND (a.created_at, a.id) < ($2, $3)
		ORDER BY a.created_at DESC, a.id DESC LIMIT $4`
	if condition := stateCondition[q.State]; q.Language != "" || condition != "" {
		w.Where = `EXISTS (SELECT 1 FROM help_text t WHERE t.tenant_id = $1 AND t.article_id = a.id` + condition
		if q.Language != "" {
			w.WhereArgs = []any{q.Language}
			w.Where += ` AND t.language = $` + strconv.Itoa(len(w.Args)+1)
		}
		w.Where += `)`
	}
	return db.ReadWindow(r, scanListed, w, p, func(a Listed) db.Key { return db.Key{Sort: a.CreatedAt.UnixMicro(), ID: a.ID} })
}

var stateCondition = map[string]string{
	Draft:     ` AND t.published_version IS NULL`,
	Published: ` AND t.published_version = t.version`,
	Changed:   ` AND t.published_version < t.version`,
}

const stateColumns = `t.article_id, t.language, v.title, t.version, t.published_version, t.published_at, t.helpful, t.unhelpful, v.saved_at`

// textRow is a text with the article it belongs to.
type textRow struct {
	article uuid.UUID
	Text
}

func (t *textRow) stateFields() []any {
	return []any{
		&t.article, &t.Language, &t.Title, &t.Version, &t.PublishedVersion, &t.PublishedAt, &t.Helpful, &t.Unhelpful, &t.SavedAt,
	}
}

// statesOf returns the states of some articles in each language.
func statesOf(r *db.Reader, ids []uuid.UUID) ([]textRow, error) {
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.All(r, func(row db.Row) (t textRow, err error) {
		err = row.Scan(t.stateFields()...)
		t.setState()
		return t, err
	}, `SELECT `+stateColumns+` FROM help_text t
		JOIN help_version v ON v.tenant_id = t.tenant_id AND v.article_id = t.article_id AND v.language = t.language AND v.number = t.version
		WHERE t.tenant_id = $1 AND t.article_id `+in+` ORDER BY t.article_id, t.language`, r.Tenant(), arg)
}

// articleByID returns an article with its newest texts.
func articleByID(r *db.Reader, id uuid.UUID) (Article, error) {
	return readArticle(r, id, "")
}

// lockArticle is articleByID that also locks the article against changes until the
// transaction ends.
func lockArticle(tx *db.Tx, id uuid.UUID) (Article, error) {
	return readArticle(&tx.Reader, id, tx.Dialect().ForUpdate("a"))
}

func readArticle(r *db.Reader, id uuid.UUID, lock string) (Article, error) {
	row, err := db.One(r, scanListed, `SELECT `+articleColumns+` FROM help_article a WHERE a.tenant_id = $1 AND a.id = $2`+lock, r.Tenant(), id)
	a := Article{ID: row.ID, CategoryID: row.CategoryID, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, Texts: []Text{}}
	if err != nil {
		return a, err
	}
	texts, err := db.All(r, func(row db.Row) (t Text, err error) {
		full := textRow{}
		err = row.Scan(append(full.stateFields(), &full.Summary, &full.Body)...)
		full.setState()
		return full.Text, err
	}, `SELECT `+stateColumns+`, v.summary, v.body FROM help_text t
		JOIN help_version v ON v.tenant_id = t.tenant_id AND v.article_id = t.article_id AND v.language = t.language AND v.number = t.version
		WHERE t.tenant_id = $1 AND t.article_id = $2 ORDER BY t.language`, r.Tenant(), id)
	a.Texts = db.OrEmpty(texts)
	return a, err
}

// articleTitled returns the oldest article of a category whose newest version in a language
// has a title.
func articleTitled(r *db.Reader, category uuid.UUID, language, title string) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT a.id FROM help_article a
		JOIN help_text t ON t.tenant_id = a.tenant_id AND t.article_id = a.id AND t.language = $3
		JOIN help_version v ON v.tenant_id = t.tenant_id AND v.article_id = t.article_id AND v.language = t.language AND v.number = t.version
		WHERE a.tenant_id = $1 AND a.category_id = $2 AND v.title = $4 ORDER BY a.created_at, a.id LIMIT 1`, r.Tenant(), category, language, title)
}

func countArticles(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM help_article WHERE tenant_id = $1`, r.Tenant())
}

func putArticle(tx *db.Tx, a *Article) error {
	return tx.Exec(`INSERT INTO help_article (tenant_id, id, category_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)`,
		tx.Tenant(), a.ID, a.CategoryID, a.CreatedAt)
}

func saveArticle(tx *db.Tx, a *Article) error {
	return tx.Exec(`UPDATE help_article SET category_id = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), a.ID, a.CategoryID, a.UpdatedAt)
}

func dropArticle(tx *db.Tx, id uuid.UUID) error {
	for _, query := range []string{
		`DELETE FROM help_version WHERE tenant_id = $1 AND article_id = $2`,
		`DELETE FROM help_text WHERE tenant_id = $1 AND article_id = $2`,
		`DELETE FROM help_article WHERE tenant_id = $1 AND id = $2`,
	} {
		if err := tx.Exec(query, tx.Tenant(), id); err != nil {
			return err
		}
	}
	return nil
}

// putVersion writes the next version of a text, and deletes the oldest ones beyond
// maxVersions except the published one.
func putVersion(tx *db.Tx, id uuid.UUID, language string, number int, w Words, by *uuid.UUID) error {
	if err := tx.Exec(`INSERT INTO help_text (tenant_id, article_id, language, version) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, article_id, language) DO UPDATE SET version = excluded.version`, tx.Tenant(), id, language, number); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO help_version (tenant_id, article_id, language, number, title, summary, body, saved_by, saved_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tx.Tenant(), id, language, number, w.Title, w.Summary, w.Body, by, clock.At(tx.Now())); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM help_version WHERE tenant_id = $1 AND article_id = $2 AND language = $3 AND number <= $4
		AND NOT EXISTS (SELECT 1 FROM help_text t WHERE t.tenant_id = $1 AND t.article_id = $2 AND t.language = $3
			AND t.published_version = help_version.number)`, tx.Tenant(), id, language, number-maxVersions)
}

// setPublished sets which version of a text is public; nil for none.
func setPublished(tx *db.Tx, id uuid.UUID, language string, version *int) error {
	var at *clock.Time
	if version != nil {
		at = clock.Ptr(tx.Now())
	}
	return tx.Exec(`UPDATE help_text SET published_version = $4, published_at = $5, first_published_at = COALESCE(first_published_at, $5)
		WHERE tenant_id = $1 AND article_id = $2 AND language = $3`, tx.Tenant(), id, language, version, at)
}

const versionColumns = `v.number, v.title, v.summary, v.body, CASE WHEN t.published_version = v.number THEN 1 ELSE 0 END, v.saved_by, v.saved_at`

const versionTables = ` FROM help_version v
	JOIN help_text t ON t.tenant_id = v.tenant_id AND t.article_id = v.article_id AND t.language = v.language
	WHERE v.tenant_id = $1 AND v.article_id = $2 AND v.language = $3`

func scanVersion(row db.Row) (v Version, err error) {
	var published int
	err = row.Scan(&v.Number, &v.Title, &v.Summary, &v.Body, &published, &v.SavedBy, &v.SavedAt)
	v.Published = published == 1
	return v, err
}

// versions returns the versions of a text, newest first.
func versions(r *db.Reader, id uuid.UUID, language string, p db.Page) (db.List[Version], error) {
	rows, err := db.All(r, scanVersion, `SELECT `+versionColumns+versionTables+` AND v.number < $4 ORDER BY v.number DESC LIMIT $5`,
		r.Tenant(), id, language, p.After.Sort, p.Limit+1)
	return db.Cut(rows, p, func(v Version) db.Key { return db.Key{Sort: int64(v.Number), ID: id} }), err
}

func versionByNumber(r *db.Reader, id uuid.UUID, language string, number int) (Version, error) {
	return db.One(r, scanVersion, `SELECT `+versionColumns+versionTables+` AND v.number = $4`, r.Tenant(), id, language, number)
}
