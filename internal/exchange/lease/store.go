package lease

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// ErrHeld means that another exchange carries the calls of this installation.
var ErrHeld = errors.New("another node carries the calls of this installation; run one exchange, and leave --sip-listen out elsewhere")

// Life is how long a lease lasts without renewal, and Renew the interval at which it should
// be renewed.
const (
	Life  = 30 * time.Second
	Renew = Life / 3
)

const sqlTake = `INSERT INTO exchange_lease (id, holder, until) VALUES (1, $1, $2)
	ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
	WHERE exchange_lease.holder = excluded.holder OR exchange_lease.until < $3`

// Take takes or renews the lease for a holder. It returns ErrHeld while another holder has
// it.
func Take(ctx context.Context, d *db.DB, holder uuid.UUID) error {
	return d.System("exchange lease").InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.ExecCount(sqlTake, holder, clock.At(tx.Now().Add(Life)), clock.At(tx.Now()))
		if err == nil && n == 0 {
			return ErrHeld
		}
		return err
	})
}

const sqlRelease = `DELETE FROM exchange_lease WHERE id = 1 AND holder = $1`

// Release releases the lease, so that another exchange need not wait.
func Release(ctx context.Context, d *db.DB, holder uuid.UUID) error {
	return d.System("exchange lease").InTx(ctx, func(tx *db.Tx) error {
		return tx.Exec(sqlRelease, holder)
	})
}
