package count

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// shards is the number of rows that a counter is spread over.
const shards = 16

// Move moves a conversation from one counter to another if they differ; nil means no
// counter. Rows are written in a fixed order, so that two transactions that move in
// opposite directions cannot deadlock; id picks the shard.
func Move(tx *db.Tx, from, to *Key, id uuid.UUID) error {
	if from != nil && to != nil && *from == *to {
		return nil
	}
	type step struct {
		k  *Key
		by int
	}
	var steps []step
	if from != nil {
		steps = append(steps, step{from, -1})
	}
	if to != nil {
		steps = append(steps, step{to, 1})
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(fmt.Sprint(*a.k), fmt.Sprint(*b.k)) })
	for _, st := range steps {
		if err := add(tx, st.k, id, st.by); err != nil {
			return fmt.Errorf("conversation: count: %w", err)
		}
	}
	return nil
}

func add(tx *db.Tx, k *Key, id uuid.UUID, by int) error {
	return tx.ExecDeferred(`INSERT INTO conversation_count (tenant_id, state, waiting, owner_id, group_id, channel, test, shard, n)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, state, waiting, owner_id, group_id, channel, test, shard)
		DO UPDATE SET n = conversation_count.n + $9`,
		tx.Tenant(), k.State, k.Waiting, k.Owner, k.Group, k.Channel, k.Test, int(id[15])%shards, by)
}

// Read reads the counters of a workspace.
func Read(r *db.Reader) ([]Row, error) {
	return db.All(r, func(row db.Row) (c Row, err error) {
		err = row.Scan(&c.State, &c.Waiting, &c.Owner, &c.Group, &c.Channel, &c.Test, &c.N)
		return c, err
	}, `SELECT state, waiting, owner_id, group_id, channel, test, CAST(sum(n) AS bigint) FROM conversation_count
		WHERE tenant_id = $1 GROUP BY state, waiting, owner_id, group_id, channel, test`, r.Tenant())
}
