package group

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Group is a team that conversations are assigned to.
type Group struct {
	ID          uuid.UUID   `json:"id" format:"uuid"`
	Name        string      `json:"name" example:"Satış sonrası"`
	Description string      `json:"description" example:"İade, değişim ve garanti"`
	AgentIDs    []uuid.UUID `json:"agent_ids" nullable:"false" doc:"Members of the group"`
	CreatedAt   clock.Time  `json:"created_at"`
}

const columns = `id, name, description, created_at`

func scan(row db.Row) (Group, error) {
	g := Group{AgentIDs: []uuid.UUID{}}
	err := row.Scan(&g.ID, &g.Name, &g.Description, &g.CreatedAt)
	return g, err
}

func list(r *db.Reader, p db.Page) (db.List[Group], error) {
	rows, err := db.All(r, scan, `SELECT `+columns+` FROM crm_group
		WHERE tenant_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`,
		r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	if err != nil {
		return db.List[Group]{}, err
	}
	out := db.Cut(rows, p, func(g Group) db.Key { return db.Key{Sort: g.CreatedAt.UnixMicro(), ID: g.ID} })
	return out, fillMembers(r, out.Rows)
}

// ByID returns one team with its members.
func ByID(r *db.Reader, id uuid.UUID) (Group, error) {
	g, err := db.One(r, scan, `SELECT `+columns+` FROM crm_group WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
	if err != nil {
		return g, err
	}
	list := []Group{g}
	err = fillMembers(r, list)
	return list[0], err
}

func fillMembers(r *db.Reader, list []Group) error {
	if len(list) == 0 {
		return nil
	}
	at, ids := map[uuid.UUID]*Group{}, make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.ForEachRow(r, func(row db.Row) error {
		var group, agent uuid.UUID
		err := row.Scan(&group, &agent)
		if g, ok := at[group]; ok {
			g.AgentIDs = append(g.AgentIDs, agent)
		}
		return err
	}, `SELECT group_id, agent_id FROM crm_group_member WHERE tenant_id = $1 AND group_id `+in+` ORDER BY group_id, agent_id`,
		r.Tenant(), arg)
}

// put reports whether the name was free.
func put(tx *db.Tx, g Group, key string) (bool, error) {
	return tx.ExecAny(`INSERT INTO crm_group (tenant_id, id, name, name_key, description, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, name_key) DO NOTHING`,
		tx.Tenant(), g.ID, g.Name, key, g.Description, g.CreatedAt)
}

func byName(r *db.Reader, key string) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM crm_group WHERE tenant_id = $1 AND name_key = $2`, r.Tenant(), key)
}

func save(tx *db.Tx, g Group, key string) error {
	return tx.Exec(`UPDATE crm_group SET name = $3, name_key = $4, description = $5 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), g.ID, g.Name, key, g.Description)
}

func putMembers(tx *db.Tx, group uuid.UUID, agents []uuid.UUID) error {
	if err := tx.Exec(`DELETE FROM crm_group_member WHERE tenant_id = $1 AND group_id = $2`, tx.Tenant(), group); err != nil {
		return err
	}
	for _, a := range agents {
		if err := tx.Exec(`INSERT INTO crm_group_member (tenant_id, group_id, agent_id) VALUES ($1, $2, $3)
			ON CONFLICT DO NOTHING`, tx.Tenant(), group, a); err != nil {
			return err
		}
	}
	return nil
}

// inUse reports whether conversations, including deleted ones, still name a group.
func inUse(r *db.Reader, id uuid.UUID) (bool, error) {
	n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM (SELECT 1 FROM conversation
		WHERE tenant_id = $1 AND group_id = $2 LIMIT 1) AS one`, r.Tenant(), id)
	return n > 0, err
}

func drop(tx *db.Tx, id uuid.UUID) error {
	if err := tx.Exec(`DELETE FROM crm_group_member WHERE tenant_id = $1 AND group_id = $2`, tx.Tenant(), id); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM crm_group WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}
