package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// activeMemberBy finds an active member by their own id or that of their account.
func activeMemberBy(r *db.Reader, id uuid.UUID) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM membership
		WHERE tenant_id = $1 AND (id = $2 OR user_id = $2) AND state = 'active'`, r.Tenant(), id)
}

func isActiveMember(r *db.Reader, id uuid.UUID) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM membership
		WHERE tenant_id = $1 AND id = $2 AND state = 'active')`, r.Tenant(), id)
}

func memberNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) == 0 {
		return map[uuid.UUID]string{}, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.Map[uuid.UUID, string](r, `SELECT m.id, u.name FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.tenant_id = $1 AND m.id `+in, r.Tenant(), arg)
}

func activeMembers(r *db.Reader) (map[uuid.UUID]string, error) {
	return db.Map[uuid.UUID, string](r, `SELECT m.id, u.name FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.tenant_id = $1 AND m.state = 'active' LIMIT 10000`, r.Tenant())
}

func membersWho(r *db.Reader, p perm.Permission, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	out := map[uuid.UUID]string{}
	only, args := "", []any{r.Tenant()}
	if len(ids) > 0 {
		in, arg := db.In(r.Dialect(), 2, ids)
		only, args = " AND m.id "+in, append(args, arg)
	}
	_, err := db.All(r, func(row db.Row) (struct{}, error) {
		var id uuid.UUID
		var name, role string
		var own *db.JSON[[]perm.Permission]
		err := row.Scan(&id, &name, &role, &own)
		if permissionsOf(role, own).Has(p) {
			out[id] = name
		}
		return struct{}{}, err
	}, `SELECT m.id, u.name, m.role, r.permissions FROM membership m JOIN app_user u ON u.id = m.user_id
		LEFT JOIN role r ON r.tenant_id = m.tenant_id AND r.name = m.role
		WHERE m.tenant_id = $1 AND m.state = 'active'`+only+` LIMIT 10000`, args...)
	return out, err
}

// holdMember reports whether an active member has a permission and locks the membership
// against changes until the transaction ends.
func holdMember(tx *db.Tx, p perm.Permission, id uuid.UUID) (bool, error) {
	return db.OneOr(&tx.Reader, false, func(row db.Row) (bool, error) {
		var role string
		var own *db.JSON[[]perm.Permission]
		err := row.Scan(&role, &own)
		return permissionsOf(role, own).Has(p), err
	}, `SELECT m.role, r.permissions FROM membership m LEFT JOIN role r ON r.tenant_id = m.tenant_id AND r.name = m.role
		WHERE m.tenant_id = $1 AND m.id = $2 AND m.state = 'active'`+tx.Dialect().ForShare("m"), tx.Tenant(), id)
}
