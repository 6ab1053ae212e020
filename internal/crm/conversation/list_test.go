package conversation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
)

// nobody stands for identity.
type nobody struct{}

func (nobody) HoldAgent(*db.Tx, perm.Permission, uuid.UUID) (bool, error) { return false, nil }

func (nobody) IsAgent(*db.Reader, uuid.UUID) (bool, error) { return true, nil }

func (nobody) AgentsWho(*db.Reader, perm.Permission, ...uuid.UUID) (map[uuid.UUID]string, error) {
	return nil, nil
}

func (nobody) AgentNames(*db.Reader, []uuid.UUID) (map[uuid.UUID]string, error) { return nil, nil }

// fill writes many conversations at once, spread over every filter. One of a
// hundred is snoozed, a second apart, beginning at from.
func fill(t *testing.T, d *db.DB, tenant uuid.UUID, n int, state string, from time.Time) {
	t.Helper()
	id, base := `gen_random_uuid()`, clock.At(from).UnixMicro()
	if d.Dialect() == db.SQLite {
		id = `randomblob(16)`
	}
	put := func(first, last int) string {
		return fmt.Sprintf(`INSERT INTO conversation (tenant_id, id, state, ai_state, channel, single_thread, talep, contact_id, contact_name,
				subject, preview, priority, owner_id, group_id, tags, waiting_since, snoozed_until, test,
				last_activity_at, last_item_at, created_at, updated_at)
			WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT %s, %s, %s, CASE WHEN i %% 50 = 0 THEN 'active' ELSE 'off' END,
				CASE i %% 5 WHEN 0 THEN 'email' WHEN 1 THEN 'api' ELSE 'whatsapp' END, false, i %% 40 = 0, %s, 'Elif Kaya',
				'Teslimat', 'Siparişim ne zaman gelir?', CASE WHEN i %% 30 = 0 THEN 3 ELSE 1 END,
				NULL, NULL, '[]', CASE WHEN i %% 20 = 0 THEN %d + i ELSE NULL END, CASE WHEN %s = 'snoozed' THEN %d + i * 1000000 ELSE NULL END,
				false, %d + i, %d + i, %d + i, %d + i FROM n`, first, last, d.Dialect().Literal(tenant), id, state, id, base, state, base, base, base, base, base)
	}
	// In parts: a transaction may not take long.
	for first := 1; first <= n; first += 5000 {
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(put(first, min(first+4999, n)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO conversation_tag (tenant_id, conversation_id, tag, last_activity_at)
				SELECT tenant_id, id, CASE WHEN priority = 3 THEN 'iade' ELSE 'genel' END, last_activity_at FROM conversation WHERE waiting_since IS NOT NULL`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every filter and every order of the list goes through an index, and no page
// is sorted after the fact.
func TestListPlans(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		fill(t, d, tenant, 20_000, `CASE WHEN i % 100 = 0 THEN 'snoozed' WHEN i % 4 = 0 THEN 'open' ELSE 'closed' END`, c.Now())
		activity, yes, some := Order{Name: "last_activity"}, true, uuid.New()
		for name, tc := range map[string]struct {
			f Filter
			o Order
		}{
			"all":           {Filter{}, activity},
			"oldest":        {Filter{}, Order{"last_activity", true}},
			"state":         {Filter{State: Open}, activity},
			"snoozed":       {Filter{State: Snoozed}, activity},
			"mine":          {Filter{OwnerID: &some}, activity},
			"my open":       {Filter{OwnerID: &some, State: Open}, activity},
			"unassigned":    {Filter{NoOwner: true, State: Open}, activity},
			"group":         {Filter{GroupID: &some}, activity},
			"open group":    {Filter{GroupID: &some, State: Open}, activity},
			"channel":       {Filter{Channel: "email"}, activity},
			"open channel":  {Filter{Channel: "email", State: Open}, activity},
			"contact":       {Filter{ContactID: &some}, activity},
			"priority":      {Filter{Priority: "urgent"}, activity},
			"tag":           {Filter{Tag: "iade"}, activity},
			"tag and state": {Filter{Tag: "iade", State: Open}, activity},
			"ai":            {Filter{AIState: AIActive}, activity},
			"talep":         {Filter{Talep: &yes}, activity},
			"created":       {Filter{}, Order{Name: "created"}},
			"created since": {Filter{CreatedFrom: clock.Ptr(c.Now())}, Order{Name: "created"}},
			"waiting":       {Filter{}, Order{"waiting_since", true}},
			"by priority":   {Filter{}, Order{Name: "priority"}},
			"by snooze":     {Filter{}, Order{"snoozed_until", true}},
			"unread":        {Filter{Unread: &some}, activity},
			"search":        {Filter{searched: true, terms: []string{"tesl"}, contacts: []uuid.UUID{some}}, activity},
		} {
			p := db.Page{Limit: 25, After: db.First}
			if tc.o.Asc {
				p.After = db.Before
			}
			query, args := listQuery(tenant, tc.f, tc.o, p)
			explain := "EXPLAIN "
			if d.Dialect() == db.SQLite {
				explain = "EXPLAIN QUERY PLAN "
			}
			var plan []string
			err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) (err error) {
				if d.Dialect() == db.Postgres {
					// The role of tests cannot gather statistics, so the planner
					// is told to sort only where no index has the order.
					if _, err := tx.Exec(`SET LOCAL enable_sort = off`); err != nil {
						return err
					}
				}
				plan, err = db.All(&tx.Reader, func(row db.Row) (string, error) {
					var s string
					if d.Dialect() == db.SQLite {
						var a, b, c int
						err := row.Scan(&a, &b, &c, &s)
						return s, err
					}
					err := row.Scan(&s)
					return s, err
				}, explain+query, args...)
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text := strings.Join(plan, "\n")
			for _, bad := range []string{"Seq Scan on conversation", "SCAN c\n", "SCAN conversation"} {
				if strings.Contains(text+"\n", bad) {
					t.Errorf("%s: reads the whole table\n%s", name, text)
				}
			}
			// What one agent has not read, what a search found, one contact's
			// and a merge of three pages are small sets that may be sorted.
			few := tc.f.Unread != nil || tc.f.searched || tc.f.ContactID != nil || tc.f.Priority != "" || strings.Contains(query, "UNION ALL")
			if !few && (strings.Contains(text, "Sort") || strings.Contains(text, "TEMP B-TREE FOR ORDER")) {
				t.Errorf("%s: sorts\n%s", name, text)
			}
		}
	})
}

// A hundred thousand snoozed conversations: what is due wakes in one step of a
// scan that runs every second, with its event, and nothing else does.
func TestWakeAmongMany(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		fill(t, d, tenant, 100_000, `'snoozed'`, c.Now())
		s := New(d, contact.New(d, nobody{}), nobody{}, nil)
		w := &Waker{Service: s}
		ctx := caller.With(t.Context(), &caller.Caller{TenantID: tenant})
		c.Advance(100 * time.Second) // row i is due at second i
		elapsed := clock.Stopwatch()
		n, err := w.Step(ctx)
		t.Logf("100 of 100,000 woke in %s", elapsed())
		if err != nil || n != 100 {
			t.Fatalf("woke %d, %v", n, err)
		}
		if again, err := w.Step(ctx); err != nil || again != 0 {
			t.Errorf("woke %d more, %v", again, err)
		}
		var events int
		err = d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) (err error) {
			events, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM outbox WHERE tenant_id = $1 AND type = $2`, r.Tenant(), Opened)
			return err
		})
		if err != nil || events != 100 {
			t.Errorf("%d events, %v", events, err)
		}
	})
}
