package template

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, account_id, provider_id, name, language, category, status, reason, detail, quality, parameter_format,
	components, edits, created_at, updated_at`

func scan(row db.Row) (t Template, err error) {
	err = row.Scan(&t.ID, &t.AccountID, &t.ProviderID, &t.Name, &t.Language, &t.Category, &t.Status, &t.Reason, &t.Detail,
		&t.Quality, &t.ParameterFormat, db.FromJSON(&t.Components), db.FromJSON(&t.edits), &t.CreatedAt, &t.UpdatedAt)
	return t, err
}

func byID(r *db.Reader, id uuid.UUID) (Template, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM message_template WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// lock reads a template and locks it until the transaction ends.
func lock(tx *db.Tx, id uuid.UUID) (Template, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM message_template WHERE tenant_id = $1 AND id = $2`+
		tx.Dialect().ForUpdate("message_template"), tx.Tenant(), id)
}

func byProvider(tx *db.Tx, account uuid.UUID, provider string) (Template, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM message_template
		WHERE tenant_id = $1 AND account_id = $2 AND provider_id = $3`+tx.Dialect().ForUpdate("message_template"), tx.Tenant(), account, provider)
}

func byName(r *db.Reader, account uuid.UUID, name, language string) (Template, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM message_template
		WHERE tenant_id = $1 AND account_id = $2 AND name = $3 AND language = $4`, r.Tenant(), account, name, language)
}

// listByName returns and locks the templates of a name in all languages.
func listByName(tx *db.Tx, account uuid.UUID, name string) ([]Template, error) {
	return db.All(&tx.Reader, scan, `SELECT `+columns+` FROM message_template
		WHERE tenant_id = $1 AND account_id = $2 AND name = $3 ORDER BY language`+tx.Dialect().ForUpdate("message_template"),
		tx.Tenant(), account, name)
}

// Filter narrows a list.
type Filter struct {
	AccountID *uuid.UUID
	Status    string
	Language  string
	Category  string
	// Query is a part of the template's name.
	Query string
	// Sendable leaves out templates that cannot be sent.
	Sendable bool
}

// windowRows is the number of templates that are read for a page.
const windowRows = 1000

// list returns templates, newest first. If a window does not fill a page, the page is
// shorter and more may follow.
func list(r *db.Reader, f Filter, p db.Page) (db.List[Template], error) {
	rows := cmp.Or(p.Window, windowRows)
	w := db.Window{
		Rows: rows, Columns: columns, Alias: "t", Order: "created_at DESC, id DESC", Where: "1 = 1",
		Query: `SELECT ` + columns + ` FROM message_template
			WHERE tenant_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`,
		Args: []any{r.Tenant(), p.After.Sort, p.After.ID, rows},
	}
	add := func(condition string, value any) {
		w.WhereArgs = append(w.WhereArgs, value)
		w.Where += " AND " + strings.Replace(condition, "?", "$"+strconv.Itoa(len(w.Args)+len(w.WhereArgs)), 1)
	}
	for _, c := range []struct{ column, value string }{{"status", f.Status}, {"language", f.Language}, {"category", f.Category}} {
		if c.value != "" {
			add(c.column+" = ?", c.value)
		}
	}
	if text := pattern(f.Query); text != "" {
		add(`name LIKE ? ESCAPE '\'`, text)
	}
	if f.AccountID != nil {
		add("account_id = ?", *f.AccountID)
	}
	if f.Sendable {
		w.Where += ` AND status IN ('APPROVED', 'FLAGGED')`
	}
	return db.ReadWindow(r, scan, w, p, func(t Template) db.Key { return db.Key{Sort: t.CreatedAt.UnixMicro(), ID: t.ID} })
}

// pattern returns the LIKE pattern for names that contain the text; names are lower case.
func pattern(q string) string {
	q = strings.ToLower(strings.TrimSpace(q))
	if q == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, " ", `\_`).Replace(q) + "%"
}

// ofAccount returns and locks every template of an account.
func ofAccount(tx *db.Tx, account uuid.UUID) ([]Template, error) {
	return db.All(&tx.Reader, scan, `SELECT `+columns+` FROM message_template WHERE tenant_id = $1 AND account_id = $2
		ORDER BY id`+tx.Dialect().ForUpdate("message_template"), tx.Tenant(), account)
}

// put reports whether the name was free in this language.
func put(tx *db.Tx, t *Template, by *uuid.UUID) (bool, error) {
	return tx.ExecAny(`INSERT INTO message_template (tenant_id, `+columns+`, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING`,
		tx.Tenant(), t.ID, t.AccountID, t.ProviderID, t.Name, t.Language, t.Category, t.Status, t.Reason, t.Detail, t.Quality,
		t.ParameterFormat, db.AsJSON(db.OrEmpty(t.Components)), db.AsJSON(db.OrEmpty(t.edits)), t.CreatedAt, t.UpdatedAt, by)
}

func save(tx *db.Tx, t *Template) error {
	return tx.Exec(`UPDATE message_template SET provider_id = $3, category = $4, status = $5, reason = $6, detail = $7, quality = $8,
			parameter_format = $9, components = $10, edits = $11, updated_at = $12
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), t.ID, t.ProviderID, t.Category, t.Status, t.Reason, t.Detail, t.Quality, t.ParameterFormat,
		db.AsJSON(db.OrEmpty(t.Components)), db.AsJSON(db.OrEmpty(t.edits)), t.UpdatedAt)
}

func drop(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM message_template WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}

func bar(tx *db.Tx, account uuid.UUID, name string, until clock.Time) error {
	return tx.Exec(`INSERT INTO template_barred (tenant_id, account_id, name, until) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, account_id, name) DO UPDATE SET until = excluded.until`, tx.Tenant(), account, name, until)
}

// barredUntil returns until when a name is barred; db.ErrNoRow if it is not.
func barredUntil(r *db.Reader, account uuid.UUID, name string, now clock.Time) (clock.Time, error) {
	return db.One(r, db.Scalar[clock.Time], `SELECT until FROM template_barred
		WHERE tenant_id = $1 AND account_id = $2 AND name = $3 AND until > $4`, r.Tenant(), account, name, now)
}
