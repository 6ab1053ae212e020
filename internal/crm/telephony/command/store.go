package command

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// batch is the number of commands read at once.
const batch = 100

// stored is a waiting command.
type stored struct {
	tenant, id uuid.UUID
	command    Command
}

func putCommand(tx *db.Tx, c Command) error {
	return tx.ExecDeferred(`INSERT INTO phone_command (tenant_id, id, command, created_at) VALUES ($1, $2, $3, $4)`,
		tx.Tenant(), tx.NewID(), db.AsJSON(c), clock.At(tx.Now()))
}

// nextCommands reads the oldest commands of all workspaces.
func nextCommands(r *db.Reader) ([]stored, error) {
	return db.All(r, func(row db.Row) (s stored, err error) {
		err = row.Scan(&s.tenant, &s.id, db.FromJSON(&s.command))
		return s, err
	}, `SELECT tenant_id, id, command FROM phone_command ORDER BY id LIMIT $1`, batch)
}

func deleteCommand(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM phone_command WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}
