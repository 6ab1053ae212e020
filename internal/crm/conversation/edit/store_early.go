package edit

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// earlyRow is a stored change.
type earlyRow struct {
	id uuid.UUID
	Early
}

func putEarly(tx *db.Tx, account uuid.UUID, message string, e Early) error {
	return tx.Exec(`INSERT INTO item_early (tenant_id, id, account_id, provider_message_id, kind, value, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, tx.Tenant(), tx.NewID(), account, message, e.Kind, e.Value, clock.At(tx.Now()))
}

// takeEarly removes the stored changes of a message and returns them in the order of
// arrival.
func takeEarly(tx *db.Tx, account uuid.UUID, message string) ([]earlyRow, error) {
	list, err := db.All(&tx.Reader, func(row db.Row) (e earlyRow, err error) {
		err = row.Scan(&e.id, &e.Kind, &e.Value)
		return e, err
	}, `DELETE FROM item_early WHERE tenant_id = $1 AND account_id = $2 AND provider_message_id = $3 RETURNING id, kind, value`,
		tx.Tenant(), account, message)
	slices.SortFunc(list, func(a, b earlyRow) int { return strings.Compare(a.id.String(), b.id.String()) })
	return list, err
}

func dropEarly(tx *db.Tx, account uuid.UUID, message string, until clock.Time) error {
	return tx.Exec(`DELETE FROM item_early WHERE tenant_id = $1 AND account_id = $2 AND provider_message_id = $3 AND created_at <= $4`,
		tx.Tenant(), account, message, until)
}

func countEarly(r *db.Reader, account uuid.UUID) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM item_early WHERE tenant_id = $1 AND account_id = $2`, r.Tenant(), account)
}
