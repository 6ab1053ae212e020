package db_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

var errTaken = errors.New("taken")

// put returns errTaken if the address exists.
func put(tx *db.Tx, email string) error {
	n, err := tx.ExecCount(insert+` ON CONFLICT DO NOTHING`, tx.Tenant(), tx.NewID(), email, clock.At(tx.Now()))
	if err == nil && n == 0 {
		err = errTaken
	}
	return err
}

// Concurrent transactions fail independently, with their own reasons, and everything that
// was acknowledged is stored.
func TestTransactionsFailIndependently(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		var wg sync.WaitGroup
		var mu sync.Mutex
		outcomes := map[string]int{}
		for i := range 12 {
			wg.Go(func() {
				for j := range 20 {
					err := h.InTx(t.Context(), func(tx *db.Tx) error {
						switch j % 4 {
						case 1: // somebody has had this one, or will
							return put(tx, fmt.Sprintf("shared-%d@example.com", j))
						case 2: // refused by a rule of the table
							if err := put(tx, fmt.Sprintf("half-%d-%d@example.com", i, j)); err != nil {
								return err
							}
							return tx.ExecDeferred(insert, tx.Tenant(), tx.NewID(), nil, clock.At(tx.Now()))
						}
						return put(tx, fmt.Sprintf("%d-%d@example.com", i, j))
					})
					outcome := "failed"
					switch {
					case err == nil:
						outcome = "kept"
					case errors.Is(err, errTaken):
						outcome = "taken"
					}
					mu.Lock()
					outcomes[outcome]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		want := map[string]int{"kept": 12*10 + 5, "taken": 11 * 5, "failed": 12 * 5}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Error(diff)
		}
		if n := len(emails(t, h)); n != want["kept"] {
			t.Errorf("%d rows, %d acknowledged", n, want["kept"])
		}
	})
}

// A condition on a list of ids or texts matches its members, however long it is, and Each
// inserts and updates rows with every type that it supports.
func TestLists(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		emails := []string{"a@example.com", `b"quoted"@example.com`, "ç<&>ğ@example.com", "d@example.com"}
		var ids []uuid.UUID
		creators := []any{uuid.Nil, (*uuid.UUID)(nil), nil, new(uuid.UUID)}
		if err := h.InTx(t.Context(), func(tx *db.Tx) error {
			ids = nil
			var rows [][]any
			for i, email := range emails {
				ids = append(ids, tx.NewID())
				rows = append(rows, []any{tx.Tenant(), ids[i], email, "new", creators[i], clock.At(tx.Now())})
			}
			got, err := db.Each(tx, db.Scalar[uuid.UUID], []string{"uuid", "uuid", "text", "text", "uuid", "bigint"}, rows, func(source string) string {
				return `WITH m(tenant_id, id, email, note, created_by, created_at) AS (` + source + `)
					INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_by, created_at)
					SELECT tenant_id, id, email, email, note, created_by, created_at FROM m RETURNING id`
			})
			if diff := cmp.Diff(ids, got); diff != "" {
				t.Error(diff)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for n := range len(ids) + 1 {
			byID, err := db.Read(t.Context(), h, func(r *db.Reader) ([]string, error) {
				in, arg := db.In(r.Dialect(), 2, append(slices.Clone(ids[:n]), uuid.Max))
				return db.All(r, db.Scalar[string], `SELECT email FROM dlp_exception WHERE tenant_id = $1 AND id `+in+` ORDER BY id`, r.Tenant(), arg)
			})
			if diff := cmp.Diff(emails[:n], byID); err != nil || diff != "" {
				t.Error(n, err, diff)
			}
			byText, err := db.Read(t.Context(), h, func(r *db.Reader) ([]string, error) {
				in, arg := db.In(r.Dialect(), 2, emails[:n])
				return db.All(r, db.Scalar[string], `SELECT email FROM dlp_exception WHERE tenant_id = $1 AND email `+in+` ORDER BY id`, r.Tenant(), arg)
			})
			if diff := cmp.Diff(emails[:n], byText); err != nil || diff != "" {
				t.Error(n, err, diff)
			}
		}
		made, err := db.Read(t.Context(), h, func(r *db.Reader) ([]bool, error) {
			return db.All(r, db.Scalar[bool], `SELECT created_by IS NULL FROM dlp_exception WHERE tenant_id = $1 AND note = 'new' ORDER BY id`, r.Tenant())
		})
		if diff := cmp.Diff([]bool{false, true, true, false}, made); err != nil || diff != "" {
			t.Error(err, diff)
		}
	})
}

// Each handles every row once, however many there are.
func TestEachVisitsEveryRowOnce(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 73, 200} {
			var want, got []string
			for i := range n {
				want = append(want, fmt.Sprintf("%d-%03d@example.com", n, i))
			}
			if err := h.InTx(t.Context(), func(tx *db.Tx) (err error) {
				rows := make([][]any, n)
				for i, email := range want {
					rows[i] = []any{tx.Tenant(), tx.NewID(), email, clock.At(tx.Now())}
				}
				got, err = db.Each(tx, db.Scalar[string], []string{"uuid", "uuid", "text", "bigint"}, rows, func(source string) string {
					return `WITH m(tenant_id, id, email, created_at) AS (` + source + `)
						INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_at)
						SELECT tenant_id, id, email, email, '', created_at FROM m RETURNING email`
				})
				return err
			}); err != nil {
				t.Fatal(n, err)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d rows: got %d", n, len(got))
			}
		}
	})
}
