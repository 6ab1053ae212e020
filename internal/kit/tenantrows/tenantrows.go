// Package tenantrows deletes and copies what a workspace has in the database, in all
// tables: a table that a migration adds later is included. It relies on the column
// tenant_id and on the references between tables.
package tenantrows

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Table describes what was deleted from a table.
type Table struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// batch is the number of rows that one transaction deletes.
const batch = 2000

// Tables returns the tables that have a tenant_id, each before the tables that it refers
// to.
func Tables(ctx context.Context, d *db.DB) ([]string, error) {
	columns, err := d.Columns(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range columns {
		if c.Name == "tenant_id" {
			names = append(names, c.Table)
		}
	}
	refs, err := db.Read(ctx, d.System("delete workspace"), references)
	if err != nil {
		return nil, fmt.Errorf("tenantrows: references: %w", err)
	}
	return childrenFirst(names, refs)
}

// childrenFirst orders tables so that each comes before the tables that it refers to. It
// returns an error if tables refer to each other in a circle.
func childrenFirst(names []string, refs []reference) ([]string, error) {
	var out []string
	for len(names) > 0 {
		// The next tables are those to which no remaining table refers.
		free := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.ContainsFunc(refs, func(r reference) bool {
				return r.to == name && r.from != name && slices.Contains(names, r.from)
			})
		})
		if len(free) == 0 {
			return nil, fmt.Errorf("tenantrows: the tables %v have circular references", names)
		}
		out = append(out, free...)
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(free, name) })
	}
	return out, nil
}

// Deleted describes what was deleted of a workspace.
type Deleted struct {
	Rows   int64   `json:"rows"`
	Tables []Table `json:"tables"` // those that had rows
}

// Delete deletes the rows of a workspace from every table except that of its members, a few
// at a time, and returns their number. The members are left to DeleteMembers: through them,
// a call that is repeated after a crash finds the people again. Nobody may write to the
// workspace meanwhile.
func Delete(ctx context.Context, d *db.DB, tenant uuid.UUID) (out Deleted, err error) {
	tables, err := Tables(ctx, d)
	if err != nil {
		return out, err
	}
	for _, name := range tables {
		if name == memberTable {
			continue
		}
		t := Table{Name: name}
		for n := int64(batch); n == batch; {
			err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) (err error) {
				n, err = deleteRows(tx, name, batch)
				return err
			})
			if err != nil {
				return out, fmt.Errorf("tenantrows: delete from %s: %w", name, err)
			}
			t.Rows += n
		}
		if t.Rows > 0 {
			out.Rows, out.Tables = out.Rows+t.Rows, append(out.Tables, t)
		}
	}
	return out, nil
}

// DeleteMembers deletes the memberships of a workspace, and the people who are in no other
// workspace with everything that refers to them. It returns the number of these people.
func DeleteMembers(tx *db.Tx, tenant uuid.UUID) (int, error) {
	people, err := peopleOnlyIn(&tx.Reader, tenant)
	if err != nil {
		return 0, fmt.Errorf("tenantrows: people: %w", err)
	}
	if err := deleteWhere(tx, memberTable, "tenant_id", tenant); err != nil {
		return 0, fmt.Errorf("tenantrows: delete members: %w", err)
	}
	refs, err := references(&tx.Reader)
	if err != nil {
		return 0, fmt.Errorf("tenantrows: references: %w", err)
	}
	for _, id := range people {
		for _, r := range refs {
			if r.to != peopleTable {
				continue
			}
			if err := deleteWhere(tx, r.from, r.column, id); err != nil {
				return 0, fmt.Errorf("tenantrows: delete from %s: %w", r.from, err)
			}
		}
		if err := deleteWhere(tx, peopleTable, "id", id); err != nil {
			return 0, fmt.Errorf("tenantrows: delete a person: %w", err)
		}
	}
	return len(people), nil
}
