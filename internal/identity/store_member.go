package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const placeColumns = `t.id, t.slug, t.name, t.licences, m.id, m.role, m.created_at`

func scanPlace(row db.Row) (Place, error) {
	var p Place
	var licences db.JSON[[]string]
	err := row.Scan(&p.Workspace.ID, &p.Workspace.Slug, &p.Workspace.Name, &licences,
		&p.Membership.ID, &p.Membership.Role, &p.JoinedAt)
	p.Licences = licences.V
	return p, err
}

// workspacesOf is every workspace that a person may enter, the first joined
// first.
func workspacesOf(r *db.Reader, user uuid.UUID) ([]Place, error) {
	return db.All(r, scanPlace, `SELECT `+placeColumns+` FROM membership m JOIN tenant t ON t.id = m.tenant_id
		WHERE m.user_id = $1 AND m.state = 'active' ORDER BY m.created_at, m.id`, user)
}

func listPlaces(r *db.Reader, user uuid.UUID, p db.Page) (db.List[Place], error) {
	rows, err := db.All(r, scanPlace, `SELECT `+placeColumns+` FROM membership m JOIN tenant t ON t.id = m.tenant_id
		WHERE m.user_id = $1 AND m.state = 'active' AND (m.created_at, m.id) > ($2, $3)
		ORDER BY m.created_at, m.id LIMIT $4`, user, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(p Place) db.Key { return db.Key{Sort: p.JoinedAt.UnixMicro(), ID: p.Membership.ID} }), err
}

func userByMembership(r *db.Reader, tenant, membership uuid.UUID) (User, error) {
	return db.One(r, func(row db.Row) (User, error) {
		var u User
		err := row.Scan(&u.ID, &u.Email, &u.Name, &u.Language, &u.TwoFactor)
		return u, err
	}, `SELECT u.id, u.email, u.name, u.language, u.totp_confirmed_at IS NOT NULL
		FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.tenant_id = $1 AND m.id = $2`, tenant, membership)
}
