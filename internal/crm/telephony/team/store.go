package team

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `agent_id, extension, rings, device, outside_e164, username, rung_at, busy_until, created_at`

func scanMember(row db.Row) (m Member, err error) {
	err = row.Scan(&m.AgentID, &m.Extension, &m.Rings, &m.Device, &m.OutsideNum, &m.Username, &m.RungAt, &m.BusyUntil, &m.CreatedAt)
	m.HasPhone = m.Username != ""
	return m, err
}

// listMembers reads a page of the team, newest first.
func listMembers(r *db.Reader, p db.Page) (db.List[Member], error) {
	rows, err := db.All(r, scanMember, `SELECT `+columns+` FROM phone_member
		WHERE tenant_id = $1 AND (created_at, agent_id) < ($2, $3) ORDER BY created_at DESC, agent_id DESC LIMIT $4`,
		r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Member) db.Key { return db.Key{Sort: m.CreatedAt.UnixMicro(), ID: m.AgentID} }), err
}

// ringingMembers lists the members at whose phones the team's calls ring, those who were
// rung longest ago first.
func ringingMembers(r *db.Reader) ([]Member, error) {
	return db.All(r, scanMember, `SELECT `+columns+` FROM phone_member WHERE tenant_id = $1 AND rings ORDER BY rung_at, agent_id LIMIT 100`, r.Tenant())
}

func memberByAgent(r *db.Reader, agent uuid.UUID) (Member, error) {
	return db.One(r, scanMember, `SELECT `+columns+` FROM phone_member WHERE tenant_id = $1 AND agent_id = $2`, r.Tenant(), agent)
}

func memberByUsername(r *db.Reader, username string) (Member, error) {
	return db.One(r, scanMember, `SELECT `+columns+` FROM phone_member WHERE tenant_id = $1 AND username = $2`, r.Tenant(), username)
}

// ownersOfPhones returns the agent of each phone's username.
func ownersOfPhones(r *db.Reader) (map[string]uuid.UUID, error) {
	out := map[string]uuid.UUID{}
	_, err := db.All(r, func(row db.Row) (struct{}, error) {
		var name string
		var agent uuid.UUID
		err := row.Scan(&name, &agent)
		out[name] = agent
		return struct{}{}, err
	}, `SELECT username, agent_id FROM phone_member WHERE tenant_id = $1 AND username <> '' LIMIT 10000`, r.Tenant())
	return out, err
}

func lockMember(tx *db.Tx, agent uuid.UUID) (Member, error) {
	return db.One(&tx.Reader, scanMember, `SELECT `+columns+` FROM phone_member m WHERE tenant_id = $1 AND agent_id = $2`+
		tx.Dialect().ForUpdate("m"), tx.Tenant(), agent)
}

func takenExtensions(r *db.Reader) (map[string]bool, error) {
	list, err := db.All(r, db.Scalar[string], `SELECT extension FROM phone_member WHERE tenant_id = $1`, r.Tenant())
	out := make(map[string]bool, len(list))
	for _, e := range list {
		out[e] = true
	}
	return out, err
}

// putMember stores a new member; it returns false if the agent has a phone already or the
// extension is taken.
func putMember(tx *db.Tx, m Member) (bool, error) {
	return tx.ExecAny(`INSERT INTO phone_member (tenant_id, `+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		tx.Tenant(), m.AgentID, m.Extension, m.Rings, m.Device, m.OutsideNum, m.Username, m.RungAt, m.BusyUntil, m.CreatedAt)
}

// saveMember stores a changed member; it returns false if the extension is taken.
func saveMember(tx *db.Tx, m Member) (bool, error) {
	return tx.ExecAny(`UPDATE phone_member SET extension = $3, rings = $4, device = $5, outside_e164 = $6, username = $7
		WHERE tenant_id = $1 AND agent_id = $2
			AND NOT EXISTS (SELECT 1 FROM phone_member o WHERE o.tenant_id = $1 AND o.extension = $3 AND o.agent_id <> $2)`,
		tx.Tenant(), m.AgentID, m.Extension, m.Rings, m.Device, m.OutsideNum, m.Username)
}

func saveRung(tx *db.Tx, agent uuid.UUID) error {
	return tx.Exec(`UPDATE phone_member SET rung_at = $3 WHERE tenant_id = $1 AND agent_id = $2`, tx.Tenant(), agent, clock.At(tx.Now()))
}

func saveBusyUntil(tx *db.Tx, agent uuid.UUID, until clock.Time) error {
	return tx.Exec(`UPDATE phone_member SET busy_until = $3 WHERE tenant_id = $1 AND agent_id = $2`, tx.Tenant(), agent, until)
}

// deleteMember deletes an agent's row and returns it; db.ErrNoRow if the agent had no
// phone.
func deleteMember(tx *db.Tx, agent uuid.UUID) (Member, error) {
	return db.One(&tx.Reader, scanMember, `DELETE FROM phone_member WHERE tenant_id = $1 AND agent_id = $2 RETURNING `+columns, tx.Tenant(), agent)
}

// inCall returns the agents who have a leg that was dialled and has not ended.
func inCall(r *db.Reader) (map[uuid.UUID]Busy, error) {
	out := map[uuid.UUID]Busy{}
	_, err := db.All(r, func(row db.Row) (struct{}, error) {
		var id uuid.UUID
		var state string
		err := row.Scan(&id, &state)
		if out[id] = max(out[id], Rings); state == "answered" {
			out[id] = Talks
		}
		return struct{}{}, err
	}, `SELECT DISTINCT agent_id, state FROM phone_leg WHERE tenant_id = $1 AND open AND agent_id IS NOT NULL AND state <> 'planned'`, r.Tenant())
	return out, err
}

func memberByExtension(r *db.Reader, extension string) (Member, error) {
	return db.One(r, scanMember, `SELECT `+columns+` FROM phone_member WHERE tenant_id = $1 AND extension = $2`, r.Tenant(), extension)
}
