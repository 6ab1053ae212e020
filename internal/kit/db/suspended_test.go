package db_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
)

// suspend suspends a workspace or resumes it, and makes this node read it again.
func suspend(t *testing.T, d *db.DB, tenant uuid.UUID, on bool) {
	t.Helper()
	err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		var at *clock.Time
		if on {
			at = clock.Ptr(tx.Now())
		}
		tx.Wake(db.TopicSuspended)
		return tx.Exec(`UPDATE tenant SET suspended_at = $2 WHERE id = $1`, tx.Tenant(), at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// refuses reports whether reads and transactions of a workspace are refused, and requires
// both to agree.
func refuses(t *testing.T, ctx context.Context, d *db.DB, tenant uuid.UUID) bool {
	t.Helper()
	read := d.Tenant(tenant).Read(ctx, func(*db.Reader) error { return nil })
	write := d.Tenant(tenant).InTx(ctx, func(*db.Tx) error { return nil })
	refused := fault.Is(read, fault.WorkspaceSuspended)
	if refused != fault.Is(write, fault.WorkspaceSuspended) || !refused && (read != nil || write != nil) {
		t.Errorf("a read gives %v, a transaction %v", read, write)
	}
	return refused
}

// A context refuses the workspaces that were suspended when it was created, for reads and
// for writes. One created before that goes on, and one created after the workspace was
// resumed refuses nothing.
func TestRefuseSuspended(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		mine, other := dbtest.Tenant(t, d, "mine"), dbtest.Tenant(t, d, "other")
		before := d.RefuseSuspended(t.Context())
		suspend(t, d, mine, true)
		during := d.RefuseSuspended(before)
		if refuses(t, before, d, mine) || !refuses(t, during, d, mine) || refuses(t, during, d, other) {
			t.Error("the wrong ones are refused")
		}
		suspend(t, d, mine, false)
		if refuses(t, d.RefuseSuspended(during), d, mine) {
			t.Error("refused after it was resumed")
		}
	})
}

// A context that is allowed into a suspended workspace opens it for no other request.
func TestAllowSuspendedIsForOneRequest(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		mine, other := dbtest.Tenant(t, d, "mine"), dbtest.Tenant(t, d, "other")
		suspend(t, d, mine, true)
		suspend(t, d, other, true)
		ctx := d.RefuseSuspended(t.Context())
		allowed := db.AllowSuspended(ctx, mine)
		if refuses(t, allowed, d, mine) || !refuses(t, allowed, d, other) {
			t.Error("the wrong ones are refused")
		}
		if !refuses(t, ctx, d, mine) || !refuses(t, d.RefuseSuspended(t.Context()), d, mine) {
			t.Error("another request gets in")
		}
	})
}

// While the database does not answer, the known suspensions stay in force.
func TestSuspensionsStayInForceDuringOutage(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		mine := dbtest.Tenant(t, d, "mine")
		suspend(t, d, mine, true)
		if !db.IsRefused(d.RefuseSuspended(t.Context()), mine) {
			t.Fatal("not refused")
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d.ForgetSuspended()
		if !db.IsRefused(d.RefuseSuspended(t.Context()), mine) {
			t.Error("let in while the database is away")
		}
	})
}

// A transaction sees whether its own workspace is suspended.
func TestIsSuspended(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		mine, other := dbtest.Tenant(t, d, "mine"), dbtest.Tenant(t, d, "other")
		suspend(t, d, mine, true)
		for tenant, want := range map[uuid.UUID]bool{mine: true, other: false} {
			if got, err := db.Read(t.Context(), d.Tenant(tenant), db.IsSuspended); err != nil || got != want {
				t.Errorf("%v, %v, want %v", got, err, want)
			}
		}
	})
}
