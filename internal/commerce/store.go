package commerce

import (
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const customerColumns = `id, external_id, contact_id, name, email, phone, created_at, updated_at`

func scanCustomer(row db.Row) (Customer, error) {
	c := Customer{Balances: []Balance{}}
	err := row.Scan(&c.ID, &c.ExternalID, &c.ContactID, &c.Name, &c.Email, &c.Phone, &c.CreatedAt, &c.UpdatedAt)
	return c, err
}

var customerTable = table[Customer]{
	name: "commerce_customer", columns: customerColumns, sort: "created_at", scan: scanCustomer,
	key: func(c Customer) db.Key { return db.Key{Sort: c.CreatedAt.UnixMicro(), ID: c.ID} },
}

func customers(r *db.Reader, test bool, external string, p db.Page) (db.List[Customer], error) {
	out, err := customerTable.list(r, test, p, "", nil, external)
	if err != nil {
		return out, err
	}
	return out, fillBalances(r, out.Rows)
}

func customerByID(r *db.Reader, test bool, id uuid.UUID) (Customer, error) {
	c, err := db.One(r, scanCustomer, `SELECT `+customerColumns+` FROM commerce_customer
		WHERE tenant_id = $1 AND test = $2 AND id = $3`, r.Tenant(), test, id)
	if err != nil {
		return c, err
	}
	list := []Customer{c}
	err = fillBalances(r, list)
	return list[0], err
}

// lockCustomer finds the oldest customer by one column and locks it against changes.
// nameless restricts this to customers without a shop id.
func lockCustomer(tx *db.Tx, test bool, column string, v any, nameless bool) (Customer, error) {
	more := ""
	if nameless {
		more = ` AND external_id IS NULL`
	}
	return db.One(&tx.Reader, scanCustomer, `SELECT `+customerColumns+` FROM commerce_customer
		WHERE tenant_id = $1 AND test = $2 AND `+column+` = $3`+more+` ORDER BY created_at, id LIMIT 1`+
		tx.Dialect().ForUpdate("commerce_customer"), tx.Tenant(), test, v)
}

// putCustomer inserts a customer, and reports whether the shop's id was free.
func putCustomer(tx *db.Tx, test bool, c Customer, emailKey *string) (bool, error) {
	return tx.ExecAny(`INSERT INTO commerce_customer (tenant_id, id, test, external_id, contact_id, name, email, email_key, phone, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		tx.Tenant(), c.ID, test, c.ExternalID, c.ContactID, c.Name, c.Email, emailKey, c.Phone, c.CreatedAt, c.UpdatedAt)
}

func saveCustomer(tx *db.Tx, c Customer, emailKey *string) error {
	return tx.Exec(`UPDATE commerce_customer SET external_id = $3, contact_id = $4, name = $5, email = $6,
			email_key = COALESCE($7, email_key), phone = $8, updated_at = $9
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), c.ID, c.ExternalID, c.ContactID, c.Name, c.Email, emailKey, c.Phone, c.UpdatedAt)
}

func fillBalances(r *db.Reader, list []Customer) error {
	if len(list) == 0 {
		return nil
	}
	at, ids := map[uuid.UUID]*Customer{}, make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	return db.ForEachRow(r, func(row db.Row) error {
		var id uuid.UUID
		var b Balance
		err := row.Scan(&id, &b.Currency, &b.Amount)
		if c, ok := at[id]; ok {
			c.Balances = append(c.Balances, b)
		}
		return err
	}, `SELECT customer_id, currency, amount FROM commerce_balance WHERE tenant_id = $1 AND customer_id `+in+
		` ORDER BY customer_id, currency`, r.Tenant(), arg)
}

const entryColumns = `id, external_id, customer_id, currency, amount, description, at, created_at, updated_at`

func scanEntry(row db.Row) (e Entry, err error) {
	err = row.Scan(&e.ID, &e.ExternalID, &e.CustomerID, &e.Currency, &e.Amount, &e.Description, &e.At, &e.CreatedAt, &e.UpdatedAt)
	return e, err
}

var entryTable = table[Entry]{
	name: "commerce_entry", columns: entryColumns, sort: "created_at", scan: scanEntry, put: putEntry, save: saveEntry,
	key:     func(e Entry) db.Key { return db.Key{Sort: e.CreatedAt.UnixMicro(), ID: e.ID} },
	created: LedgerChanged, updated: LedgerChanged,
}

func putEntry(tx *db.Tx, test bool, e Entry) (bool, error) {
	return tx.ExecAny(`INSERT INTO commerce_entry (tenant_id, id, test, external_id, customer_id, currency, amount, description, at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		tx.Tenant(), e.ID, test, e.ExternalID, e.CustomerID, e.Currency, e.Amount, e.Description, e.At, e.CreatedAt, e.UpdatedAt)
}

func saveEntry(tx *db.Tx, e Entry) error {
	return tx.Exec(`UPDATE commerce_entry SET customer_id = $3, currency = $4, amount = $5, description = $6, at = $7, updated_at = $8
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), e.ID, e.CustomerID, e.Currency, e.Amount, e.Description, e.At, e.UpdatedAt)
}

func addBalance(tx *db.Tx, customer uuid.UUID, currency string, by int64) error {
	return tx.Exec(`INSERT INTO commerce_balance (tenant_id, customer_id, currency, amount) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, customer_id, currency) DO UPDATE SET amount = commerce_balance.amount + $4`,
		tx.Tenant(), customer, currency, by)
}

// matching returns the customers that belong to a contact: those that the shop linked to
// it, and those with its addresses that are linked to no contact.
func matching(r *db.Reader, b Buyer) ([]uuid.UUID, error) {
	args := []any{r.Tenant(), b.Test, b.ContactID}
	parts := []string{`SELECT id FROM commerce_customer WHERE tenant_id = $1 AND test = $2 AND contact_id = $3`}
	by := func(column string, list []string) {
		if len(list) == 0 {
			return
		}
		in, arg := db.In(r.Dialect(), len(args)+1, list)
		args = append(args, arg)
		parts = append(parts, `SELECT id FROM commerce_customer WHERE tenant_id = $1 AND test = $2 AND contact_id IS NULL AND `+column+` `+in)
	}
	by("email_key", b.EmailKeys)
	by("phone", b.Phones)
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM (`+strings.Join(parts, " UNION ")+`) AS found ORDER BY id LIMIT `+
		strconv.Itoa(maxMatches), args...)
}

// repoint moves the customers of a contact to another and returns their ids.
func repoint(tx *db.Tx, from, to uuid.UUID) ([]uuid.UUID, error) {
	return db.All(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE commerce_customer SET contact_id = $3
		WHERE tenant_id = $1 AND contact_id = $2 RETURNING id`, tx.Tenant(), from, to)
}

func setContact(tx *db.Tx, customer, contact uuid.UUID) error {
	return tx.Exec(`UPDATE commerce_customer SET contact_id = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), customer, contact)
}
