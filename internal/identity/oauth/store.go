package oauth

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const appColumns = `tenant_id, id, client_id, name, redirect_uris, scopes, public, created_by, created_at`

func scanApp(row db.Row) (a App, err error) {
	err = row.Scan(&a.tenant, &a.ID, &a.ClientID, &a.Name, db.FromJSON(&a.RedirectURIs), db.FromJSON(&a.Scopes), &a.Public, &a.CreatedBy, &a.CreatedAt)
	return a, err
}

func listApps(r *db.Reader, p db.Page) (db.List[App], error) {
	rows, err := db.All(r, scanApp, `SELECT `+appColumns+` FROM oauth_app
		WHERE tenant_id = $1 AND deleted_at IS NULL AND (created_at, id) < ($2, $3)
		ORDER BY created_at DESC, id DESC LIMIT $4`, r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(a App) db.Key { return db.Key{Sort: a.CreatedAt.UnixMicro(), ID: a.ID} }), err
}

func countApps(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM oauth_app WHERE tenant_id = $1 AND deleted_at IS NULL`, r.Tenant())
}

func appByID(r *db.Reader, id uuid.UUID) (App, error) {
	return db.One(r, scanApp, `SELECT `+appColumns+` FROM oauth_app
		WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Tenant(), id)
}

// appByClient finds an app in any workspace, with its publisher's name.
func appByClient(r *db.Reader, clientID string) (App, string, error) {
	a, err := db.One(r, scanApp, `SELECT `+appColumns+` FROM oauth_app WHERE client_id = $1 AND deleted_at IS NULL`, clientID)
	if db.IsNoRow(err) {
		a, err = db.One(r, scanClient, `SELECT `+clientColumns+` FROM oauth_client WHERE client_id = $1`, clientID)
		return a, a.host(), err
	}
	if err != nil {
		return App{}, "", err
	}
	publisher, err := db.One(r, db.Scalar[string], `SELECT name FROM tenant WHERE id = $1`, a.tenant)
	return a, publisher, err
}

// clientOfApp returns the client id of an app, deleted or not.
func clientOfApp(r *db.Reader, id uuid.UUID) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT client_id FROM oauth_app WHERE id = $1
		UNION ALL SELECT client_id FROM oauth_client WHERE id = $1`, id)
}

func putApp(tx *db.Tx, a App) error {
	return tx.Exec(`INSERT INTO oauth_app
			(tenant_id, id, client_id, name, redirect_uris, scopes, public, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
		tx.Tenant(), a.ID, a.ClientID, a.Name, db.AsJSON(a.RedirectURIs), db.AsJSON(a.Scopes), a.Public, a.CreatedBy, a.CreatedAt)
}

func saveApp(tx *db.Tx, a App) error {
	return tx.Exec(`UPDATE oauth_app SET name = $3, redirect_uris = $4, scopes = $5, public = $6, updated_at = $7
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), a.ID, a.Name, db.AsJSON(a.RedirectURIs), db.AsJSON(a.Scopes), a.Public, clock.At(tx.Now()))
}

func dropApp(tx *db.Tx, id uuid.UUID) (App, error) {
	return db.One(&tx.Reader, scanApp, `UPDATE oauth_app SET deleted_at = $3
		WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING `+appColumns, tx.Tenant(), id, clock.At(tx.Now()))
}

// saveGrant stores a consent, or updates what it covers.
func saveGrant(tx *db.Tx, membership, app uuid.UUID, scopes []string) (uuid.UUID, error) {
	return db.One(&tx.Reader, db.Scalar[uuid.UUID], `INSERT INTO oauth_grant
			(tenant_id, id, membership_id, app_id, scopes, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)
		ON CONFLICT (tenant_id, membership_id, app_id) WHERE revoked_at IS NULL
		DO UPDATE SET scopes = excluded.scopes, updated_at = excluded.updated_at
		RETURNING id`, tx.Tenant(), tx.NewID(), membership, app, db.AsJSON(scopes), clock.At(tx.Now()))
}

// listGrants needs the system's handle: the apps may belong to other workspaces.
func listGrants(r *db.Reader, tenant, membership uuid.UUID, p db.Page) (db.List[Grant], error) {
	rows, err := db.All(r, func(row db.Row) (g Grant, err error) {
		var of App
		err = row.Scan(&g.ID, &g.app, &g.App.ClientID, &g.App.Name, &g.App.Publisher, &g.App.SelfRegistered, db.FromJSON(&of.RedirectURIs), db.FromJSON(&g.Scopes), &g.CreatedAt, &g.UpdatedAt)
		if g.App.SelfRegistered {
			g.App.Publisher = of.host()
		}
		return g, err
	}, `SELECT g.id, g.app_id, COALESCE(a.client_id, k.client_id), COALESCE(a.name, k.name), COALESCE(t.name, ''), a.id IS NULL,
			COALESCE(a.redirect_uris, k.redirect_uris), g.scopes, g.created_at, g.updated_at
		FROM oauth_grant g LEFT JOIN oauth_app a ON a.id = g.app_id AND a.deleted_at IS NULL LEFT JOIN tenant t ON t.id = a.tenant_id
		LEFT JOIN oauth_client k ON k.id = g.app_id
		WHERE g.tenant_id = $1 AND g.membership_id = $2 AND g.revoked_at IS NULL AND (a.id IS NOT NULL OR k.id IS NOT NULL)
			AND (g.created_at, g.id) < ($3, $4)
		ORDER BY g.created_at DESC, g.id DESC LIMIT $5`, tenant, membership, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(g Grant) db.Key { return db.Key{Sort: g.CreatedAt.UnixMicro(), ID: g.ID} }), err
}

// grantedScopes returns, for each workspace of a person, what they granted to an app there.
// It needs the system's handle.
func grantedScopes(r *db.Reader, user, app uuid.UUID) (map[uuid.UUID][]string, error) {
	granted, err := db.Map[uuid.UUID, db.JSON[[]string]](r, `SELECT g.tenant_id, g.scopes FROM membership m
		JOIN oauth_grant g ON g.tenant_id = m.tenant_id AND g.membership_id = m.id
		WHERE m.user_id = $1 AND g.app_id = $2 AND g.revoked_at IS NULL`, user, app)
	out := map[uuid.UUID][]string{}
	for tenant, scopes := range granted {
		out[tenant] = scopes.V
	}
	return out, err
}

// revokeGrant ends a member's own consent and returns its app.
func revokeGrant(tx *db.Tx, membership, id uuid.UUID) (uuid.UUID, error) {
	return db.One(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE oauth_grant SET revoked_at = $4
		WHERE tenant_id = $1 AND id = $3 AND membership_id = $2 AND revoked_at IS NULL RETURNING app_id`,
		tx.Tenant(), membership, id, clock.At(tx.Now()))
}

// revokeGrantsOf ends every consent of a member.
func revokeGrantsOf(tx *db.Tx, membership uuid.UUID) error {
	return tx.Exec(`UPDATE oauth_grant SET revoked_at = $3
		WHERE tenant_id = $1 AND membership_id = $2 AND revoked_at IS NULL`, tx.Tenant(), membership, clock.At(tx.Now()))
}

// code is an authorization code with the records that it refers to.
type code struct {
	tenant, id, app, membership, user uuid.UUID
	clientID, appName                 string
	registered                        bool // the app registered itself
	redirect, challenge, resource     string
	scopes                            []string
	workspace                         identity.Workspace
}

func putCode(tx *db.Tx, c code, grant uuid.UUID, hash []byte) error {
	return tx.Exec(`INSERT INTO oauth_code (tenant_id, id, code_hash, grant_id, app_id, membership_id, user_id,
			redirect_uri, scopes, challenge, expires_at, created_at, resource)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		tx.Tenant(), tx.NewID(), hash, grant, c.app, c.membership, c.user, c.redirect, db.AsJSON(c.scopes), c.challenge,
		clock.At(tx.Now().Add(CodeLife)), clock.At(tx.Now()), c.resource)
}

// codeByHash finds a code, used or not, whose app, consent and member are still valid.
func codeByHash(r *db.Reader, hash []byte) (code, error) {
	return db.One(r, func(row db.Row) (c code, err error) {
		err = row.Scan(&c.tenant, &c.id, &c.app, &c.membership, &c.user, &c.clientID, &c.appName, &c.registered, &c.redirect,
			&c.challenge, &c.resource, db.FromJSON(&c.scopes), &c.workspace.ID, &c.workspace.Slug, &c.workspace.Name)
		return c, err
	}, `SELECT c.tenant_id, c.id, c.app_id, c.membership_id, c.user_id, COALESCE(a.client_id, k.client_id), COALESCE(a.name, k.name),
			a.id IS NULL, c.redirect_uri, c.challenge, c.resource, c.scopes, t.id, t.slug, t.name
		FROM oauth_code c LEFT JOIN oauth_app a ON a.id = c.app_id AND a.deleted_at IS NULL LEFT JOIN oauth_client k ON k.id = c.app_id
		JOIN oauth_grant g ON g.tenant_id = c.tenant_id AND g.id = c.grant_id
		JOIN membership m ON m.tenant_id = c.tenant_id AND m.id = c.membership_id
		JOIN tenant t ON t.id = c.tenant_id
		WHERE c.code_hash = $1 AND (a.id IS NOT NULL OR k.id IS NOT NULL) AND g.revoked_at IS NULL AND m.state = 'active'`, hash)
}

// useCode reports whether this is the code's first use and it has not expired.
func useCode(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`UPDATE oauth_code SET used_at = $3
		WHERE tenant_id = $1 AND id = $2 AND used_at IS NULL AND expires_at > $3`, tx.Tenant(), id, clock.At(tx.Now()))
}

func setCodeSession(tx *db.Tx, id, session uuid.UUID) error {
	return tx.Exec(`UPDATE oauth_code SET session_id = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, session)
}

// sessionOfCode returns the session that the first use of a code opened, if it was used.
func sessionOfCode(r *db.Reader, id uuid.UUID) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT session_id FROM oauth_code
		WHERE tenant_id = $1 AND id = $2 AND session_id IS NOT NULL`, r.Tenant(), id)
}

// deleteOldCodes deletes a batch of codes that expired before a time.
func deleteOldCodes(tx *db.Tx, before time.Time, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM oauth_code WHERE (tenant_id, id) IN (
		SELECT tenant_id, id FROM oauth_code WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, clock.At(before), limit)
}
