package helpcenter

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const categoryColumns = `c.id, c.slug, c.position, c.texts, c.created_at, c.updated_at`

func scanCategory(row db.Row) (c Category, err error) {
	err = row.Scan(&c.ID, &c.Slug, &c.Position, db.FromJSON(&c.Texts), &c.CreatedAt, &c.UpdatedAt)
	c.Texts = db.OrEmpty(c.Texts)
	return c, err
}

// categories returns a page of the categories in their order.
func categories(r *db.Reader, p db.Page) (db.List[Category], error) {
	rows, err := db.All(r, scanCategory, `SELECT `+categoryColumns+` FROM help_category c
		WHERE c.tenant_id = $1 AND (c.position, c.id) > ($2, $3) ORDER BY c.position, c.id LIMIT $4`,
		r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(c Category) db.Key { return db.Key{Sort: int64(c.Position), ID: c.ID} }), err
}

func categoryByID(r *db.Reader, id uuid.UUID) (Category, error) {
	return db.One(r, scanCategory, `SELECT `+categoryColumns+` FROM help_category c WHERE c.tenant_id = $1 AND c.id = $2`, r.Tenant(), id)
}

func categoryBySlug(r *db.Reader, slug string) (Category, error) {
	return db.One(r, scanCategory, `SELECT `+categoryColumns+` FROM help_category c WHERE c.tenant_id = $1 AND c.slug = $2`, r.Tenant(), slug)
}

// lockCategory returns a category and locks it against changes until the transaction ends.
func lockCategory(tx *db.Tx, id uuid.UUID) (Category, error) {
	return db.One(&tx.Reader, scanCategory, `SELECT `+categoryColumns+` FROM help_category c WHERE c.tenant_id = $1 AND c.id = $2`+
		tx.Dialect().ForUpdate("c"), tx.Tenant(), id)
}

func countCategories(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM help_category WHERE tenant_id = $1`, r.Tenant())
}

// putCategory inserts a category, and reports whether its slug was free.
func putCategory(tx *db.Tx, c *Category) (bool, error) {
	return tx.ExecAny(`INSERT INTO help_category (tenant_id, id, slug, position, texts, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, slug) DO NOTHING`,
		tx.Tenant(), c.ID, c.Slug, c.Position, db.AsJSON(c.Texts), c.CreatedAt, c.UpdatedAt)
}

// saveCategory updates a category, and reports whether its slug was free.
func saveCategory(tx *db.Tx, c *Category) (bool, error) {
	return tx.ExecAny(`UPDATE help_category SET slug = $3, position = $4, texts = $5, updated_at = $6
		WHERE tenant_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM help_category o
			WHERE o.tenant_id = $1 AND o.slug = $3 AND o.id <> $2)`,
		tx.Tenant(), c.ID, c.Slug, c.Position, db.AsJSON(c.Texts), c.UpdatedAt)
}

// dropCategory deletes a category, and reports whether it was empty; otherwise it is not
// deleted.
func dropCategory(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM help_category WHERE tenant_id = $1 AND id = $2
		AND NOT EXISTS (SELECT 1 FROM help_article a WHERE a.tenant_id = $1 AND a.category_id = $2)`, tx.Tenant(), id)
}

// nextRevision increases the site's revision, because its content changed.
func nextRevision(tx *db.Tx) error {
	return tx.Exec(`UPDATE help_site SET revision = revision + 1 WHERE tenant_id = $1`, tx.Tenant())
}

func putSite(tx *db.Tx) error {
	return tx.Exec(`INSERT INTO help_site (tenant_id, revision) VALUES ($1, 1) ON CONFLICT DO NOTHING`, tx.Tenant())
}

// siteState is what a node reads before it shows a site from memory.
type siteState struct {
	revision int64
	hasLogo  bool
}

func readSite(r *db.Reader) (siteState, error) {
	return db.One(r, db.Fields(func(s *siteState) []any { return []any{&s.revision, &s.hasLogo} }),
		`SELECT revision, logo IS NOT NULL FROM help_site WHERE tenant_id = $1`, r.Tenant())
}

// logo is a picture with its type.
type logo struct {
	content []byte
	kind    string
}

func readLogo(r *db.Reader) (logo, error) {
	return db.One(r, db.Fields(func(l *logo) []any { return []any{&l.content, &l.kind} }),
		`SELECT logo, logo_type FROM help_site WHERE tenant_id = $1 AND logo IS NOT NULL`, r.Tenant())
}

// setLogo sets the logo, and reports whether a site exists; nil content removes the logo.
func setLogo(tx *db.Tx, l logo) (bool, error) {
	return tx.ExecAny(`UPDATE help_site SET logo = $2, logo_type = $3 WHERE tenant_id = $1`, tx.Tenant(), l.content, l.kind)
}

func countTexts(r *db.Reader) (ArticleCounts, error) {
	return db.One(r, db.Fields(func(n *ArticleCounts) []any { return []any{&n.Published, &n.Draft} }),
		`SELECT count(published_version), count(CASE WHEN published_version IS NULL OR published_version < version THEN 1 END)
		FROM help_text WHERE tenant_id = $1`, r.Tenant())
}

// publicText is a published text as the site lists it, without its body.
type publicText struct {
	id, category     uuid.UUID
	language         string
	title, summary   string
	publishedAt      clock.Time
	firstPublishedAt clock.Time
}

var scanPublic = db.Fields(func(p *publicText) []any {
	return []any{&p.id, &p.category, &p.language, &p.title, &p.summary, &p.publishedAt, &p.firstPublishedAt}
})

// publicTexts returns all published texts, oldest article first.
func publicTexts(r *db.Reader) ([]publicText, error) {
	return db.All(r, scanPublic, `SELECT a.id, a.category_id, t.language, v.title, v.summary, t.published_at, t.first_published_at
		FROM help_article a
		JOIN help_text t ON t.tenant_id = a.tenant_id AND t.article_id = a.id
		JOIN help_version v ON v.tenant_id = t.tenant_id AND v.article_id = t.article_id AND v.language = t.language AND v.number = t.published_version
		WHERE a.tenant_id = $1 ORDER BY a.created_at, a.id, t.language LIMIT $2`, r.Tenant(), maxArticles*len(Languages))
}

// publicBody returns the published body of a text.
func publicBody(r *db.Reader, id uuid.UUID, language string) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT v.body FROM help_text t
		JOIN help_version v ON v.tenant_id = t.tenant_id AND v.article_id = t.article_id AND v.language = t.language AND v.number = t.published_version
		WHERE t.tenant_id = $1 AND t.article_id = $2 AND t.language = $3`, r.Tenant(), id, language)
}

// publicBodyRow is a published body with its article and language.
type publicBodyRow struct {
	id             uuid.UUID
	language, body string
}

// publicBodies returns up to limit published bodies after a position, ordered by article
// and language.
func publicBodies(r *db.Reader, after publicBodyRow, limit int) ([]publicBodyRow, error) {
	return db.All(r, db.Fields(func(b *publicBodyRow) []any { return []any{&b.id, &b.language, &b.body} }),
		`SELECT t.article_id, t.language, v.body FROM help_text t
		JOIN help_version v ON v.tenant_id = t.tenant_id AND v.article_id = t.article_id AND v.language = t.language AND v.number = t.published_version
		WHERE t.tenant_id = $1 AND (t.article_id, t.language) > ($2, $3) ORDER BY t.article_id, t.language LIMIT $4`,
		r.Tenant(), after.id, after.language, limit)
}

// addVote counts a reader's vote on a published text; false if the text does not exist.
func addVote(tx *db.Tx, id uuid.UUID, language string, helpful bool) (bool, error) {
	column := "unhelpful"
	if helpful {
		column = "helpful"
	}
	return tx.ExecAny(`UPDATE help_text SET `+column+` = `+column+` + 1
		WHERE tenant_id = $1 AND article_id = $2 AND language = $3 AND published_version IS NOT NULL`, tx.Tenant(), id, language)
}
