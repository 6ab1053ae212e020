package wallet

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func scanWallet(row db.Row) (Wallet, error) {
	w := Wallet{LowThreshold: lowThreshold}
	err := row.Scan(&w.ID, &w.Currency, &w.Available, &w.Held)
	w.Balance = w.Available + w.Held
	return w, err
}

// findWallet reads the wallet; db.ErrNoRow if nothing was ever entered.
func findWallet(r *db.Reader) (Wallet, error) {
	return db.One(r, scanWallet, `SELECT tenant_id, currency, available, held FROM wallet WHERE tenant_id = $1`, r.Tenant())
}

// openWallet creates the wallet if it does not exist.
func openWallet(tx *db.Tx, currency string) error {
	return tx.Exec(`INSERT INTO wallet (tenant_id, currency, available, held, updated_at) VALUES ($1, $2, 0, 0, $3) ON CONFLICT DO NOTHING`,
		tx.Tenant(), currency, clock.At(tx.Now()))
}

// changeWallet adds to the two balances and returns the changed wallet. It returns
// db.ErrNoRow if one of them would fall below zero.
func changeWallet(tx *db.Tx, available, held int64) (Wallet, error) {
	return db.One(&tx.Reader, scanWallet, `UPDATE wallet SET available = available + $2, held = held + $3, updated_at = $4
		WHERE tenant_id = $1 AND available + $2 >= 0 AND held + $3 >= 0 RETURNING tenant_id, currency, available, held`,
		tx.Tenant(), available, held, clock.At(tx.Now()))
}

// putEntry writes an entry with its postings; it returns false if the same thing was
// entered before.
func putEntry(tx *db.Tx, kind, purpose string, ref uuid.UUID, postings []posting) (bool, error) {
	id := tx.NewID()
	n, err := tx.ExecCount(`INSERT INTO wallet_entry (tenant_id, id, kind, ref, purpose, at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		tx.Tenant(), id, kind, ref, purpose, clock.At(tx.Now()))
	if err != nil || n == 0 {
		return false, err
	}
	for _, p := range postings {
		if p.amount == 0 {
			continue
		}
		if err := tx.ExecDeferred(`INSERT INTO wallet_posting (tenant_id, entry_id, account, amount) VALUES ($1, $2, $3, $4)`,
			tx.Tenant(), id, p.account, p.amount); err != nil {
			return false, err
		}
	}
	return true, nil
}

// putReservation stores a reservation; it returns false if something was set aside for the
// id before.
func putReservation(tx *db.Tx, id uuid.UUID, purpose string, amount int64, call *uuid.UUID) (bool, error) {
	return tx.ExecAny(`INSERT INTO wallet_reservation (tenant_id, id, purpose, amount, open, created_at, call_id) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`, tx.Tenant(), id, purpose, amount, true, clock.At(tx.Now()), call)
}

// reservation is money that is set aside.
type reservation struct {
	purpose string
	amount  int64
}

// closeReservation ends an open reservation; db.ErrNoRow if there is none.
func closeReservation(tx *db.Tx, id uuid.UUID) (reservation, error) {
	return db.One(&tx.Reader, func(row db.Row) (v reservation, err error) {
		err = row.Scan(&v.purpose, &v.amount)
		return v, err
	}, `UPDATE wallet_reservation SET open = $3 WHERE tenant_id = $1 AND id = $2 AND open RETURNING purpose, amount`,
		tx.Tenant(), id, false)
}

const selectEntries = `SELECT e.id, e.kind, e.purpose, e.ref, e.at,
		COALESCE((SELECT p.amount FROM wallet_posting p WHERE p.tenant_id = e.tenant_id AND p.entry_id = e.id AND p.account = 'available'), 0),
		COALESCE((SELECT p.amount FROM wallet_posting p WHERE p.tenant_id = e.tenant_id AND p.entry_id = e.id AND p.account = 'held'), 0),
		(SELECT v.call_id FROM wallet_reservation v WHERE v.tenant_id = e.tenant_id AND v.id = e.ref)
	FROM wallet_entry e WHERE e.tenant_id = $1 AND `

func scanEntry(row db.Row) (e Entry, err error) {
	err = row.Scan(&e.ID, &e.Kind, &e.Purpose, &e.Ref, &e.At, &e.Available, &e.Held, &e.CallID)
	return e, err
}

// listEntries reads a page of entries, newest first.
func listEntries(r *db.Reader, p db.Page) (db.List[Entry], error) {
	rows, err := db.All(r, scanEntry, selectEntries+`e.id < $2 ORDER BY e.id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Entry) db.Key { return db.Key{ID: e.ID} }), err
}

// entriesBetween reads the oldest entries after one id and before another.
func entriesBetween(r *db.Reader, after, before uuid.UUID, limit int) ([]Entry, error) {
	return db.All(r, scanEntry, selectEntries+`e.id > $2 AND e.id < $3 ORDER BY e.id LIMIT $4`, r.Tenant(), after, before, limit)
}

const topUpColumns = `id, amount, currency, state, payment_id, reason, detail, created_at, expires_at, completed_at`

func scanTopUp(row db.Row) (t TopUp, err error) {
	err = row.Scan(&t.ID, &t.Amount, &t.Currency, &t.State, &t.paymentID, &t.Reason, &t.Detail, &t.CreatedAt, &t.ExpiresAt, &t.CompletedAt)
	return t, err
}

func putTopUp(tx *db.Tx, t TopUp) error {
	return tx.ExecDeferred(`INSERT INTO wallet_topup (tenant_id, `+topUpColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		tx.Tenant(), t.ID, t.Amount, t.Currency, t.State, t.paymentID, t.Reason, t.Detail, t.CreatedAt, t.ExpiresAt, t.CompletedAt)
}

func findTopUp(r *db.Reader, id uuid.UUID) (TopUp, error) {
	return db.One(r, scanTopUp, `SELECT `+topUpColumns+` FROM wallet_topup WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// lockTopUp reads a top-up and locks it against other changes.
func lockTopUp(tx *db.Tx, id uuid.UUID) (TopUp, error) {
	return db.One(&tx.Reader, scanTopUp, `SELECT `+topUpColumns+` FROM wallet_topup t WHERE tenant_id = $1 AND id = $2`+
		tx.Dialect().ForUpdate("t"), tx.Tenant(), id)
}

func saveTopUp(tx *db.Tx, t TopUp) error {
	return tx.Exec(`UPDATE wallet_topup SET state = $3, payment_id = $4, reason = $5, detail = $6, completed_at = $7 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), t.ID, t.State, t.paymentID, t.Reason, t.Detail, t.CompletedAt)
}

func putBuyer(tx *db.Tx, sealed []byte) error {
	return tx.ExecDeferred(`INSERT INTO wallet_buyer (tenant_id, sealed) VALUES ($1, $2)
		ON CONFLICT (tenant_id) DO UPDATE SET sealed = $2`, tx.Tenant(), sealed)
}

// findBuyer reads the sealed buyer; db.ErrNoRow if none was given.
func findBuyer(r *db.Reader) ([]byte, error) {
	return db.One(r, db.Scalar[[]byte], `SELECT sealed FROM wallet_buyer WHERE tenant_id = $1`, r.Tenant())
}
