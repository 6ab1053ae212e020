package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

const ownWorkspaceColumns = `t.id, t.slug, t.name, t.licences, m.id, m.role, m.created_at`

func scanOwnWorkspace(row db.Row) (p OwnWorkspace, err error) {
	err = row.Scan(&p.Workspace.ID, &p.Workspace.Slug, &p.Workspace.Name, db.FromJSON(&p.Licences),
		&p.Membership.ID, &p.Membership.Role, &p.JoinedAt)
	return p, err
}

// FindWorkspaces returns every workspace that a person may enter, in the order in which
// they joined.
func FindWorkspaces(r *db.Reader, user uuid.UUID) ([]OwnWorkspace, error) {
	return db.All(r, scanOwnWorkspace, `SELECT `+ownWorkspaceColumns+` FROM membership m JOIN tenant t ON t.id = m.tenant_id
		WHERE m.user_id = $1 AND m.state = 'active' ORDER BY m.created_at, m.id`, user)
}

func listWorkspaces(r *db.Reader, user uuid.UUID, p db.Page) (db.List[OwnWorkspace], error) {
	rows, err := db.All(r, scanOwnWorkspace, `SELECT `+ownWorkspaceColumns+` FROM membership m JOIN tenant t ON t.id = m.tenant_id
		WHERE m.user_id = $1 AND m.state = 'active' AND (m.created_at, m.id) > ($2, $3)
		ORDER BY m.created_at, m.id LIMIT $4`, user, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(p OwnWorkspace) db.Key { return db.Key{Sort: p.JoinedAt.UnixMicro(), ID: p.Membership.ID} }), err
}

// FindUserByMember finds the person of a membership, whatever its state. It returns
// db.ErrNoRow if there is none.
func FindUserByMember(r *db.Reader, tenant, membership uuid.UUID) (User, error) {
	return db.One(r, func(row db.Row) (u User, err error) {
		err = row.Scan(&u.ID, &u.Email, &u.Name, &u.Language, &u.TwoFactor)
		return u, err
	}, `SELECT u.id, u.email, u.name, u.language, u.totp_confirmed_at IS NOT NULL
		FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.tenant_id = $1 AND m.id = $2`, tenant, membership)
}

const selectMember = `SELECT m.id, m.user_id, COALESCE(u.email, m.email),
		CASE WHEN m.name <> '' THEN m.name ELSE COALESCE(u.name, '') END, COALESCE(u.language, ''), m.role, m.state,
		m.created_at, i.created_at, i.expires_at, m.suspended_at, m.name,
		(SELECT max(s.last_seen_at) FROM session s
			WHERE s.tenant_id = m.tenant_id AND s.membership_id = m.id AND s.closed_at IS NULL)
	FROM membership m LEFT JOIN app_user u ON u.id = m.user_id
	LEFT JOIN invitation i ON i.tenant_id = m.tenant_id AND i.membership_id = m.id
	WHERE m.tenant_id = $1`

func scanMember(row db.Row) (m Member, err error) {
	err = row.Scan(&m.ID, &m.UserID, &m.Email, &m.Name, &m.Language, &m.Role, &m.State, &m.CreatedAt,
		&m.InvitedAt, &m.ExpiresAt, &m.SuspendedAt, &m.called, &m.LastSeenAt)
	return m, err
}

// listMembers leaves out the removed unless they are asked for.
func listMembers(r *db.Reader, state string, p db.Page) (db.List[Member], error) {
	query, args := membersQuery(r.Tenant(), state, p)
	rows, err := db.All(r, scanMember, query, args...)
	return db.Cut(rows, p, func(m Member) db.Key { return db.Key{Sort: m.CreatedAt.UnixMicro(), ID: m.ID} }), err
}

// membersQuery returns the query of a page of members. An index serves each of
// its two forms, so that a page reads no more rows than it shows.
func membersQuery(tenant uuid.UUID, state string, p db.Page) (string, []any) {
	args, of := []any{tenant, p.After.Sort, p.After.ID, p.Limit + 1}, `m.state <> 'removed'`
	if state != "" {
		args, of = append(args, state), `m.state = $5`
	}
	return selectMember + ` AND ` + of + ` AND (m.created_at, m.id) < ($2, $3) ORDER BY m.created_at DESC, m.id DESC LIMIT $4`, args
}

func memberByID(r *db.Reader, id uuid.UUID) (Member, error) {
	return db.One(r, scanMember, selectMember+` AND m.id = $2 AND m.state <> 'removed'`, r.Tenant(), id)
}

// memberByEmail finds a person who is in the workspace or invited to it.
func memberByEmail(r *db.Reader, emailKey string) (Member, error) {
	return db.One(r, scanMember, selectMember+` AND m.state <> 'removed'
		AND (u.email_key = $2 OR m.state = 'invited' AND m.email_key = $2)`, r.Tenant(), emailKey)
}

// permissionsByEmail returns what the people with these addresses may do in the workspace,
// or will once they have accepted their invitation. People who are neither members nor
// invited are left out.
func permissionsByEmail(r *db.Reader, emailKeys []string) (map[string]perm.Set, error) {
	out := map[string]perm.Set{}
	if len(emailKeys) == 0 {
		return out, nil
	}
	in, arg := db.In(r.Dialect(), 2, emailKeys)
	_, err := db.All(r, func(row db.Row) (struct{}, error) {
		var key, role string
		var own *db.JSON[[]perm.Permission]
		err := row.Scan(&key, &role, &own)
		out[key] = permissionsOf(role, own)
		return struct{}{}, err
	}, `SELECT COALESCE(u.email_key, m.email_key), m.role, o.permissions
		FROM membership m LEFT JOIN app_user u ON u.id = m.user_id
		LEFT JOIN role o ON o.tenant_id = m.tenant_id AND o.name = m.role
		WHERE m.tenant_id = $1 AND m.state <> 'removed' AND COALESCE(u.email_key, m.email_key) `+in,
		r.Tenant(), arg)
	return out, err
}

func putInvited(tx *db.Tx, m Member, emailKey string) error {
	return tx.Exec(`INSERT INTO membership (tenant_id, id, email, email_key, name, role, state, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		tx.Tenant(), m.ID, m.Email, emailKey, m.called, m.Role, m.State, m.CreatedAt)
}

func saveMember(tx *db.Tx, m Member) error {
	return tx.Exec(`UPDATE membership SET name = $3, role = $4, state = $5, suspended_at = $6
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), m.ID, m.called, m.Role, m.State, m.SuspendedAt)
}

// closeMemberSessions ends every session of a membership.
func closeMemberSessions(tx *db.Tx, membership uuid.UUID, reason string) ([][]byte, error) {
	return db.All(&tx.Reader, db.Scalar[[]byte], `UPDATE session SET closed_at = $3, close_reason = $4
		WHERE tenant_id = $1 AND membership_id = $2 AND closed_at IS NULL RETURNING token_hash`,
		tx.Tenant(), membership, clock.At(tx.Now()), reason)
}

// saveInvitation replaces the open invitation of a membership.
func saveInvitation(tx *db.Tx, membership uuid.UUID, hash []byte, by *uuid.UUID, expires time.Time) error {
	return tx.Exec(`INSERT INTO invitation (tenant_id, id, membership_id, token_hash, created_by, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (tenant_id, membership_id) DO UPDATE SET token_hash = excluded.token_hash,
			created_by = excluded.created_by, expires_at = excluded.expires_at, created_at = excluded.created_at`,
		tx.Tenant(), tx.NewID(), membership, hash, by, clock.At(expires), clock.At(tx.Now()))
}

// invited is the record found by an invitation's token.
type invited struct {
	member    Member
	emailKey  string
	workspace Workspace
}

// invitationByHash needs the system's handle: the token determines the workspace.
func invitationByHash(r *db.Reader, hash []byte, now time.Time) (invited, error) {
	return db.One(r, func(row db.Row) (i invited, err error) {
		err = row.Scan(&i.workspace.ID, &i.workspace.Slug, &i.workspace.Name, &i.member.ID, &i.member.Email, &i.emailKey,
			&i.member.Name, &i.member.Role)
		return i, err
	}, `SELECT t.id, t.slug, t.name, m.id, m.email, m.email_key, m.name, m.role
		FROM invitation i JOIN membership m ON m.tenant_id = i.tenant_id AND m.id = i.membership_id
		JOIN tenant t ON t.id = i.tenant_id
		WHERE i.token_hash = $1 AND i.expires_at > $2 AND m.state = 'invited'`, hash, clock.At(now))
}

// takeInvitation reports whether the invitation was still open.
func takeInvitation(tx *db.Tx, hash []byte) (bool, error) {
	return tx.ExecAny(`DELETE FROM invitation WHERE tenant_id = $1 AND token_hash = $2 AND expires_at > $3`,
		tx.Tenant(), hash, clock.At(tx.Now()))
}

func dropInvitation(tx *db.Tx, membership uuid.UUID) error {
	return tx.Exec(`DELETE FROM invitation WHERE tenant_id = $1 AND membership_id = $2`, tx.Tenant(), membership)
}

// joinMember gives an invited membership to a person. Their own name is shown from now on.
func joinMember(tx *db.Tx, membership, user uuid.UUID) error {
	return tx.Exec(`UPDATE membership SET user_id = $3, state = 'active', name = ''
		WHERE tenant_id = $1 AND id = $2 AND state = 'invited'`, tx.Tenant(), membership, user)
}

// requiresTwoFactor reports whether the workspace requires a second step of its members.
func requiresTwoFactor(r *db.Reader) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT require_two_factor FROM tenant WHERE id = $1`, r.Tenant())
}

func setRequireTwoFactor(tx *db.Tx, required bool) error {
	return tx.Exec(`UPDATE tenant SET require_two_factor = $2 WHERE id = $1`, tx.Tenant(), required)
}

// licencesOf returns the modules of the reader's workspace.
func licencesOf(r *db.Reader) ([]string, error) {
	list, err := db.One(r, db.Scalar[db.JSON[[]string]], `SELECT licences FROM tenant WHERE id = $1`, r.Tenant())
	return list.V, err
}

func setLicences(tx *db.Tx, licences []string) error {
	return tx.Exec(`UPDATE tenant SET licences = $2 WHERE id = $1`, tx.Tenant(), db.AsJSON(licences))
}
