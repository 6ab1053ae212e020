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

// nobody replaces identity in these tests: everyone is an agent, and nobody is locked.
type nobody struct{}

func (nobody) HoldAgent(*db.Tx, perm.Permission, uuid.UUID) (bool, error) { return false, nil }

func (nobody) IsAgent(*db.Reader, uuid.UUID) (bool, error) { return true, nil }

func (nobody) AgentsWho(*db.Reader, perm.Permission, ...uuid.UUID) (map[uuid.UUID]string, error) {
	return nil, nil
}

func (nobody) AgentNames(*db.Reader, []uuid.UUID) (map[uuid.UUID]string, error) { return nil, nil }

// fill writes many conversations at once, with values for every filter. One in a hundred is
// snoozed, a second apart, beginning at from.
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
	// It writes in parts, because a transaction may not take long.
	for first := 1; first <= n; first += 5000 {
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(put(first, min(first+4999, n)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`INSERT INTO conversation_tag (tenant_id, conversation_id, tag, last_activity_at)
				SELECT tenant_id, id, CASE WHEN priority = 3 THEN 'iade' ELSE 'genel' END, last_activity_at FROM conversation WHERE waiting_since IS NOT NULL`)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every filter and order of the list uses an index, and no page is sorted afterwards.
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
			"all":               {Filter{}, activity},
			"oldest":            {Filter{}, Order{"last_activity", true}},
			"state":             {Filter{State: Open}, activity},
			"snoozed":           {Filter{State: Snoozed}, activity},
			"mine":              {Filter{OwnerID: &some}, activity},
			"my open":           {Filter{OwnerID: &some, State: Open}, activity},
			"unassigned":        {Filter{NoOwner: true, State: Open}, activity},
			"group":             {Filter{GroupID: &some}, activity},
			"open group":        {Filter{GroupID: &some, State: Open}, activity},
			"channel":           {Filter{Channel: "email"}, activity},
			"open channel":      {Filter{Channel: "email", State: Open}, activity},
			"contact":           {Filter{ContactID: &some}, activity},
			"priority":          {Filter{Priority: "urgent"}, activity},
			"tag":               {Filter{Tag: "iade"}, activity},
			"tag and state":     {Filter{Tag: "iade", State: Open}, activity},
			"ai":                {Filter{AIState: AIActive}, activity},
			"talep":             {Filter{IsRequest: &yes}, activity},
			"created":           {Filter{}, Order{Name: "created"}},
			"created since":     {Filter{CreatedFrom: clock.Ptr(c.Now())}, Order{Name: "created"}},
			"waiting":           {Filter{}, Order{"waiting_since", true}},
			"by priority":       {Filter{}, Order{Name: "priority"}},
			"by snooze":         {Filter{}, Order{"snoozed_until", true}},
			"unread":            {Filter{Unread: &some, few: true}, activity},
			"much unread":       {Filter{Unread: &some}, activity},
			"mentioned":         {Filter{Mentioned: &some, few: true}, activity},
			"search":            {Filter{searched: true, terms: []string{"tesl"}, contacts: []uuid.UUID{some}, few: true}, activity},
			"wide search":       {Filter{searched: true, terms: []string{"tesl"}, contacts: []uuid.UUID{some}}, activity},
			"of a test":         {Filter{onlyTest: true}, activity},
			"open of a test":    {Filter{onlyTest: true, State: Open, Tag: "iade"}, activity},
			"created of a test": {Filter{onlyTest: true}, Order{Name: "created"}},
			"waiting of a test": {Filter{onlyTest: true}, Order{"waiting_since", true}},
			"urgent of a test":  {Filter{onlyTest: true}, Order{Name: "priority"}},
			"snoozed of a test": {Filter{onlyTest: true}, Order{"snoozed_until", true}},
			"all at once":       {Filter{OwnerID: &some, Channel: "email", Priority: "urgent", CreatedTo: clock.Ptr(c.Now())}, activity},
		} {
			p := db.Page{Limit: 25, After: db.First}
			if tc.o.Asc {
				p.After = db.Before
			}
			q := listQuery(tenant, tc.f, tc.o, p)
			query, args := q.text, q.args
			text := dbtest.Plan(t, d, tenant, query, args...)
			for _, bad := range []string{"Seq Scan on conversation", "SCAN c\n", "SCAN conversation"} {
				if strings.Contains(text+"\n", bad) {
					t.Errorf("%s: reads the whole table\n%s", name, text)
				}
			}
			// Test rows are few among the live ones: a separate index holds only them.
			if tc.f.onlyTest && !strings.Contains(text, "conversation_test_") {
				t.Errorf("%s: looks for a test's rows among the live ones\n%s", name, text)
			}
			// An agent's unread conversations, search results, those of one contact and a
			// merge of three pages are small sets that may be sorted.
			few := tc.f.few || tc.f.ContactID != nil || strings.Contains(query, "UNION ALL")
			if !few && (strings.Contains(text, "Sort") || strings.Contains(text, "TEMP B-TREE FOR ORDER")) {
				t.Errorf("%s: sorts\n%s", name, text)
			}
		}
	})
}

// A page scans a bounded number of rows, whatever its filters: it ends with what it found
// there and a cursor, and all pages together find everything.
func TestListPageReadsFewRows(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		const all, rows = 300, 40
		fill(t, d, tenant, all, `CASE WHEN i % 4 = 0 THEN 'open' ELSE 'closed' END`, c.Now())
		yes, no, some := true, false, uuid.New()
		for name, tc := range map[string]struct {
			f           Filter
			found, most int // rows, and pages
		}{
			"a priority that nothing has": {Filter{Priority: "high"}, 0, all/rows + 1},
			"a rare priority":             {Filter{Priority: "urgent"}, all / 30, all/rows + 1},
			"a rare priority, open":       {Filter{Priority: "urgent", State: Open}, all / 60, all/4/rows + 1},
			"no requests":                 {Filter{IsRequest: &no, Priority: "high"}, 0, all/rows + 1},
			"open requests":               {Filter{IsRequest: &yes, State: Open}, 7, 1},
			"before everything":           {Filter{CreatedTo: clock.Ptr(c.Now().Add(-time.Hour))}, 0, all/rows + 1},
			"after everything":            {Filter{CreatedFrom: clock.Ptr(c.Now().Add(time.Hour))}, 0, all/rows + 1},
			"much unread":                 {Filter{Unread: &some}, 0, 1},
			"a channel's rare priority":   {Filter{Channel: "email", Priority: "urgent"}, all / 30, all/5/rows + 1},
		} {
			for _, o := range []Order{{Name: "last_activity"}, {Name: "last_activity", Asc: true}} {
				p := db.Page{Limit: 5, After: db.First, Window: rows}
				if o.Asc {
					p.After = db.Before
				}
				seen, pages := map[uuid.UUID]bool{}, 0
				for more := true; more; pages++ {
					var got db.List[Conversation]
					err := d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) (err error) {
						got, err = list(r, tc.f, o, p)
						return err
					})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					for _, c := range got.Rows {
						if seen[c.ID] {
							t.Fatalf("%s: %s twice", name, c.ID)
						}
						seen[c.ID] = true
					}
					if more = got.Next != nil; more {
						p.After = *got.Next
					}
				}
				if len(seen) != tc.found {
					t.Errorf("%s: found %d, want %d", name, len(seen), tc.found)
				}
				if most := tc.most + tc.found/p.Limit; pages > most {
					t.Errorf("%s: %d pages, want %d at most", name, pages, most)
				}
				// A full window without a match ends the page.
				if tc.found == 0 && tc.most > 1 && pages < tc.most {
					t.Errorf("%s: %d pages: one of them looked at more than %d rows", name, pages, rows)
				}
			}
		}
	})
}

// Of twenty thousand snoozed conversations, those that are due wake in one step of a scan
// that runs every second, with their events, and no others do.
func TestWakeAmongMany(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		fill(t, d, tenant, 20_000, `'snoozed'`, c.Now())
		s := New(Config{DB: d, Contacts: contact.NewBook(nobody{}), Agents: nobody{}})
		w := &Waker{Service: s}
		ctx := caller.With(t.Context(), &caller.Caller{TenantID: tenant})
		c.Advance(100 * time.Second) // row i is due at second i
		elapsed := clock.Stopwatch()
		n, err := w.Step(ctx)
		t.Logf("100 of 20,000 woke in %s", elapsed())
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
