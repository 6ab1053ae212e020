package conversation

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// Filter narrows a list.
type Filter struct {
	State       State
	OwnerID     *uuid.UUID
	NoOwner     bool
	GroupID     *uuid.UUID
	NoGroup     bool
	Channel     string
	Tag         string
	Priority    string
	ContactID   *uuid.UUID
	Unread      *uuid.UUID // unread by this agent
	Mentioned   *uuid.UUID // one of the newest notes mentions this agent
	Waiting     bool       // the customer waits for an answer
	AIState     string
	IsRequest   *bool
	CreatedFrom *clock.Time
	CreatedTo   *clock.Time
	// onlyTest is set for keys of the test environment.
	onlyTest bool
	// searched, terms and contacts describe a search.
	searched bool
	terms    []string
	contacts []uuid.UUID
	// without names an order whose column must be empty.
	without string
	// few means that the conversations with mentions of the caller, those they have not
	// read or those that a search found are a small set, which is read whole and sorted.
	few bool
}

// orders maps the orders of a list to the column that each sorts by.
var orders = map[string]string{
	"last_activity": "c.last_activity_at",
	"created":       "c.created_at",
	"waiting_since": "c.waiting_since",
	"priority":      "c.priority",
	"snoozed_until": "c.snoozed_until",
}

// Order is a column and a direction.
type Order struct {
	Name string
	Asc  bool
}

// mayBeEmpty reports whether the column that the order sorts by can be empty.
func (o Order) mayBeEmpty() bool { return o.Name == "waiting_since" || o.Name == "snoozed_until" }

func (o Order) key(c Conversation) db.Key {
	k := db.Key{ID: c.ID}
	switch o.Name {
	case "created":
		k.Sort = c.CreatedAt.UnixMicro()
	case "waiting_since":
		k.Sort = c.WaitingSince.UnixMicro()
	case "priority":
		k.Sort = int64(priorityOf(c.Priority))
	case "snoozed_until":
		k.Sort = c.SnoozedUntil.UnixMicro()
	default:
		k.Sort = c.LastActivityAt.UnixMicro()
	}
	return k
}

// pageQuery is the query of a page, or the window that it scans.
type pageQuery struct {
	text   string
	args   []any
	window *db.Window
}

// listQuery builds the query of a page. Values from a fixed set are written into the text:
// the planner chooses partial indexes only if it can see them.
func listQuery(tenant uuid.UUID, f Filter, o Order, p db.Page) pageQuery {
	args := []any{tenant, p.After.Sort, p.After.ID}
	arg := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	driver, rest := f.split(o)
	if conditions(rest, func(any) string { return "" }) == "" {
		return pageQuery{text: orderedQuery(driver, o, p.Limit+1, arg), args: args}
	}
	rows := cmp.Or(p.Window, windowRows)
	w := &db.Window{
		Rows: rows, Query: orderedQuery(driver, o, rows, arg), Columns: columns, Alias: "c",
		Order: orders[o.Name] + ` ` + o.direction() + `, c.id ` + o.direction(),
	}
	n := len(args)
	w.Where = "1 = 1" + conditions(rest, arg)
	w.Args, w.WhereArgs = args[:n:n], args[n:]
	return pageQuery{text: w.Query, args: w.Args, window: w}
}

// orderedQuery reads rows in index order. The rows of an owner, a group or a channel in any
// state come from the indexes that begin with the state.
func orderedQuery(f Filter, o Order, limit int, arg func(any) string) string {
	merged := f.State == "" && o.Name == "last_activity" && (f.NoOwner || f.OwnerID != nil || f.GroupID != nil || f.Channel != "")
	if !merged || f.few || f.ContactID != nil {
		return selectQuery(f, o, limit, arg)
	}
	var parts []string
	for _, state := range []State{Open, Snoozed, Closed} {
		f.State = state
		parts = append(parts, `SELECT * FROM (`+selectQuery(f, o, limit, arg)+`) AS `+string(state)+`_part`)
	}
	return `SELECT * FROM (` + strings.Join(parts, " UNION ALL ") + `) AS parts
		ORDER BY last_activity_at ` + o.direction() + `, id ` + o.direction() + ` LIMIT ` + arg(limit)
}

func (o Order) direction() string {
	if o.Asc {
		return "ASC"
	}
	return "DESC"
}

func selectQuery(f Filter, o Order, limit int, arg func(any) string) string {
	column, less, id, from := orders[o.Name], "<", "c.id", "conversation c"
	if o.Asc {
		less = ">"
	}
	where := ""
	switch {
	case f.few:
		// The plus keeps the planner from reading the table in the order of this column.
		from, column = "("+fewQuery(f, arg)+") AS k CROSS JOIN conversation c", "+"+column
		where = " AND c.id = k.id"
	case f.Tag != "" && o.Name == "last_activity":
		// The tag's own index has the order; the other conditions are checked row by row.
		from, column, id = "conversation_tag t CROSS JOIN conversation c", "t.last_activity_at", "t.conversation_id"
		where = " AND t.tenant_id = $1 AND t.tag = " + arg(contact.TagKey(f.Tag)) + " AND c.id = t.conversation_id"
		f.Tag = ""
	}
	if o.mayBeEmpty() {
		where += " AND " + orders[o.Name] + " IS NOT NULL"
	}
	return `SELECT ` + columns + ` FROM ` + from + ` WHERE c.tenant_id = $1 AND c.deleted_at IS NULL` + where + conditions(f, arg) +
		` AND (` + column + `, ` + id + `) ` + less + ` ($2, $3) ORDER BY ` + column + ` ` + o.direction() + `, ` + id + ` ` + o.direction() +
		` LIMIT ` + arg(limit)
}

// conditions returns the SQL conditions of a filter on a row c, "" for none.
func conditions(f Filter, arg func(any) string) string {
	var where strings.Builder
	add := func(s string) { where.WriteString(" AND " + s) }
	if f.onlyTest {
		add("c.test")
	}
	if f.Tag != "" {
		add("EXISTS (SELECT 1 FROM conversation_tag t WHERE t.tenant_id = $1 AND t.conversation_id = c.id AND t.tag = " + arg(contact.TagKey(f.Tag)) + ")")
	}
	if f.State != "" {
		add("c.state = '" + string(f.State) + "'")
	}
	if f.NoOwner {
		add("c.owner_id IS NULL")
	} else if f.OwnerID != nil {
		add("c.owner_id = " + arg(*f.OwnerID))
	}
	if f.NoGroup {
		add("c.group_id IS NULL")
	} else if f.GroupID != nil {
		add("c.group_id = " + arg(*f.GroupID) + " AND c.group_id IS NOT NULL")
	}
	if f.Channel != "" {
		add("c.channel = " + arg(f.Channel))
	}
	if f.Priority != "" {
		add("c.priority = " + strconv.Itoa(priorityOf(f.Priority)))
	}
	if f.ContactID != nil {
		add("c.contact_id = " + arg(*f.ContactID))
	}
	if f.Unread != nil {
		add("EXISTS (SELECT 1 FROM conversation_unread u WHERE u.tenant_id = $1 AND u.agent_id = " + arg(*f.Unread) + " AND u.conversation_id = c.id)")
	}
	if f.Waiting {
		add("c.waiting_since IS NOT NULL")
	}
	if f.without != "" {
		add(orders[f.without] + " IS NULL")
	}
	if f.AIState != "" {
		add("c.ai_state = '" + f.AIState + "'")
		if f.AIState != AIOff {
			add("c.ai_state <> 'off'")
		}
	}
	if f.IsRequest != nil {
		if *f.IsRequest {
			add("c.talep")
		} else {
			add("NOT c.talep")
		}
	}
	if f.CreatedFrom != nil {
		add("c.created_at >= " + arg(*f.CreatedFrom))
	}
	if f.CreatedTo != nil {
		add("c.created_at < " + arg(*f.CreatedTo))
	}
	if f.searched {
		add(search(f, arg))
	}
	return where.String()
}

// search matches the customers that were found, or words of the subject.
func search(f Filter, arg func(any) string) string {
	var parts []string
	if len(f.contacts) > 0 {
		parts = append(parts, "c.contact_id IN ("+values(f.contacts, arg)+")")
	}
	if len(f.terms) > 0 {
		var words []string
		for _, t := range f.terms {
			words = append(words, "EXISTS (SELECT 1 FROM conversation_term w WHERE w.tenant_id = $1 AND w.conversation_id = c.id AND w.term >= "+
				arg(t)+" AND w.term < "+arg(t+"\U0010ffff")+")")
		}
		parts = append(parts, "("+strings.Join(words, " AND ")+")")
	}
	if len(parts) == 0 {
		return "1 = 0"
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

func values(ids []uuid.UUID, arg func(any) string) string {
	return strings.Join(each.Map(ids, func(id uuid.UUID) string { return arg(id) }), ",")
}
