package conversation

import (
	"strconv"
	"strings"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// A page scans a bounded number of rows. If an index serves all filters in the order of the
// list, it reads as many rows as it shows. If not, the filters that an index serves are the
// driver: the page scans the next rows of the driver, the window, and shows those that
// match the other filters. Such a page can be short or empty and still have a cursor to
// more. An agent's unread conversations and search results are read whole if they are few.

const (
	// windowRows is the number of rows that a page scans.
	windowRows = 5000
	// fewRows is the maximum number of rows that are read whole and sorted.
	fewRows = 1000
)

// list returns a page. Rows without a value in the order's column come last, the newest
// activity first; their keys are negative.
func list(r *db.Reader, f Filter, o Order, p db.Page) (db.List[Conversation], error) {
	if !o.mayBeEmpty() {
		return listPart(r, f, o, p)
	}
	var out db.List[Conversation]
	var err error
	after := db.First
	if p.After.Sort < 0 && p.After != db.Before {
		after = db.Key{Sort: -p.After.Sort, ID: p.After.ID}
	} else if out, err = listPart(r, f, o, p); err != nil || out.Next != nil || f.Waiting && o.Name == "waiting_since" {
		return out, err
	}
	if len(out.Rows) == p.Limit {
		out.Next = &db.Key{Sort: -after.Sort, ID: after.ID}
		return out, nil
	}
	f.without = o.Name
	rest, err := listPart(r, f, Order{Name: "last_activity"}, db.Page{Limit: p.Limit - len(out.Rows), After: after, Window: p.Window})
	out.Rows = append(out.Rows, rest.Rows...)
	if rest.Next != nil {
		out.Next = &db.Key{Sort: -rest.Next.Sort, ID: rest.Next.ID}
	}
	return out, err
}

// listPart returns a page of rows that have a value in the order's column.
func listPart(r *db.Reader, f Filter, o Order, p db.Page) (out db.List[Conversation], err error) {
	f.onlyTest = caller.From(r.Context()).Test
	if f.few, err = isFew(r, f); err != nil {
		return out, err
	}
	q := listQuery(r.Tenant(), f, o, p)
	if q.window != nil {
		return db.ReadWindow(r, scan, *q.window, p, o.key)
	}
	found, err := db.All(r, scan, q.text, q.args...)
	return db.Cut(found, p, o.key), err
}

// split separates the filters that an index serves in an order from the rest.
func (f Filter) split(o Order) (driver, rest Filter) {
	if f.few || f.ContactID != nil {
		// A contact has few conversations, too; they are sorted on demand.
		return f, Filter{}
	}
	rest = f
	if f.onlyTest { // the indexes of test rows have every order
		driver.onlyTest, rest.onlyTest = true, false
		return driver, rest
	}
	if o.Name != "last_activity" {
		if o.Name == "created" {
			driver.CreatedFrom, driver.CreatedTo, rest.CreatedFrom, rest.CreatedTo = f.CreatedFrom, f.CreatedTo, nil, nil
		}
		if o.Name == "waiting_since" {
			driver.Waiting, rest.Waiting = f.Waiting, false
		}
		if o.Name == "priority" {
			driver.Priority, rest.Priority = f.Priority, ""
		}
		return driver, rest
	}
	byState := true
	switch {
	case f.Tag != "":
		driver.Tag, rest.Tag, byState = f.Tag, "", false
	case f.NoOwner || f.OwnerID != nil:
		driver.NoOwner, driver.OwnerID, rest.NoOwner, rest.OwnerID = f.NoOwner, f.OwnerID, false, nil
	case f.GroupID != nil && !f.NoGroup:
		driver.GroupID, rest.GroupID = f.GroupID, nil
	case f.Channel != "":
		driver.Channel, rest.Channel = f.Channel, ""
	case f.AIState != "" && f.AIState != AIOff:
		driver.AIState, rest.AIState, byState = f.AIState, "", false
	case f.IsRequest != nil && *f.IsRequest:
		driver.IsRequest, rest.IsRequest, byState = f.IsRequest, nil, false
	}
	if byState {
		driver.State, rest.State = f.State, ""
	}
	return driver, rest
}

// isFew reports whether an agent's unread conversations, or those that a search found, are
// a small set. An agent's mentions always are: only the newest are read.
func isFew(r *db.Reader, f Filter) (bool, error) {
	if f.Mentioned != nil {
		return true, nil
	}
	if f.Unread == nil && !f.searched {
		return false, nil
	}
	args := []any{r.Tenant()}
	query := fewQuery(f, func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	})
	n, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM (`+query+`) AS found`, args...)
	return err == nil && n <= fewRows, err
}

// fewQuery selects the ids of conversations with the newest mentions of an agent, of an
// agent's unread ones, or of those a search can match, up to just over fewRows.
func fewQuery(f Filter, arg func(any) string) string {
	limit := " LIMIT " + strconv.Itoa(fewRows+1)
	if f.Mentioned != nil {
		return "SELECT DISTINCT i.conversation_id AS id FROM (SELECT item_id FROM item_mention WHERE tenant_id = $1 AND agent_id = " + arg(*f.Mentioned) +
			" ORDER BY at DESC, item_id DESC LIMIT " + strconv.Itoa(fewRows) + ") AS m" +
			" CROSS JOIN conversation_item i WHERE i.tenant_id = $1 AND i.id = m.item_id AND i.deleted_at IS NULL"
	}
	if f.Unread != nil {
		return "SELECT conversation_id AS id FROM conversation_unread WHERE tenant_id = $1 AND agent_id = " + arg(*f.Unread) + limit
	}
	parts := []string{}
	if len(f.contacts) > 0 {
		parts = append(parts, "SELECT id FROM (SELECT id FROM conversation WHERE tenant_id = $1 AND contact_id IN ("+values(f.contacts, arg)+")"+limit+") AS theirs")
	}
	if word := longest(f.terms); word != "" {
		parts = append(parts, "SELECT id FROM (SELECT conversation_id AS id FROM conversation_term WHERE tenant_id = $1 AND term >= "+
			arg(word)+" AND term < "+arg(word+"\U0010ffff")+limit+") AS worded")
	}
	if len(parts) == 0 {
		return "SELECT id FROM conversation WHERE tenant_id = $1 AND 1 = 0"
	}
	return strings.Join(parts, " UNION ") + limit
}

func longest(terms []string) (word string) {
	for _, t := range terms {
		if len(t) > len(word) {
			word = t
		}
	}
	return word
}

// countUpTo counts what a list would show, up to a limit. It scans no more rows than a page
// does.
func countUpTo(r *db.Reader, f Filter, o Order, limit int) (int, error) {
	p := db.Page{Limit: limit - 1, After: db.First}
	if o.Asc {
		p.After = db.Before
	}
	out, err := list(r, f, o, p)
	n := len(out.Rows)
	if n == limit-1 && out.Next != nil {
		n = limit
	}
	return n, err
}
