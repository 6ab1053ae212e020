package conversation

import (
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
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
	Unread      *uuid.UUID // by this agent
	Mentioned   *uuid.UUID // this agent, in a note
	AIState     string
	Talep       *bool
	CreatedFrom *clock.Time
	CreatedTo   *clock.Time
	// terms and contacts are what a search means.
	searched bool
	terms    []string
	contacts []uuid.UUID
}

// Orders of a list and the column that each goes by.
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

func list(r *db.Reader, f Filter, o Order, p db.Page) (db.List[Conversation], error) {
	query, args := listQuery(r.Tenant(), f, o, p)
	rows, err := db.All(r, scan, query, args...)
	return db.Cut(rows, p, o.key), err
}

// countUpTo counts what a list would show and stops at a limit.
func countUpTo(r *db.Reader, f Filter, o Order, limit int) (int, error) {
	p := db.Page{Limit: limit - 1, After: db.First}
	if o.Asc {
		p.After = db.Before
	}
	query, args := listQuery(r.Tenant(), f, o, p)
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM (`+query+`) AS found`, args...)
}

// listQuery builds the query of a page. Values from a fixed set stand in the
// text: partial indexes are only chosen where the planner can see them.
func listQuery(tenant uuid.UUID, f Filter, o Order, p db.Page) (string, []any) {
	if f.State == "" && o.Name == "last_activity" && f.Tag == "" && (f.NoOwner || f.OwnerID != nil || f.GroupID != nil || f.Channel != "") {
		return mergedQuery(tenant, f, o, p)
	}
	args := []any{tenant, p.After.Sort, p.After.ID}
	return selectQuery(columns, &args, f, o, p), args
}

// mergedQuery reads a page of each state in order, by the indexes that lead
// with the state, and cuts one page out of the three.
func mergedQuery(tenant uuid.UUID, f Filter, o Order, p db.Page) (string, []any) {
	args := []any{tenant, p.After.Sort, p.After.ID}
	var parts []string
	for _, state := range []State{Open, Snoozed, Closed} {
		f.State = state
		parts = append(parts, `SELECT * FROM (`+selectQuery("c.id, c.last_activity_at AS sort_key", &args, f, o, p)+`) AS `+string(state)+`_part`)
	}
	direction := "DESC"
	if o.Asc {
		direction = "ASC"
	}
	args = append(args, p.Limit+1)
	return `SELECT ` + columns + ` FROM (` + strings.Join(parts, " UNION ALL ") + `) AS k CROSS JOIN conversation c
		WHERE c.tenant_id = $1 AND c.id = k.id ORDER BY k.sort_key ` + direction + `, k.id ` + direction + ` LIMIT $` + strconv.Itoa(len(args)), args
}

func selectQuery(what string, params *[]any, f Filter, o Order, p db.Page) string {
	column, direction, less := orders[o.Name], "DESC", "<"
	if o.Asc {
		direction, less = "ASC", ">"
	}
	arg := func(v any) string {
		*params = append(*params, v)
		return "$" + strconv.Itoa(len(*params))
	}
	from, id := "conversation c", "c.id"
	var where strings.Builder
	add := func(s string) { where.WriteString(" AND " + s) }
	switch {
	case f.Tag != "" && o.Name == "last_activity":
		// The tag's own index has the order; the rest is looked up one by one.
		from, column, id = "conversation_tag t CROSS JOIN conversation c", "t.last_activity_at", "t.conversation_id"
		add("t.tenant_id = $1 AND t.tag = " + arg(f.Tag) + " AND c.id = t.conversation_id")
	case f.Tag != "":
		add("EXISTS (SELECT 1 FROM conversation_tag t WHERE t.tenant_id = $1 AND t.conversation_id = c.id AND t.tag = " + arg(f.Tag) + ")")
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
		add("c.id IN (SELECT conversation_id FROM conversation_unread WHERE tenant_id = $1 AND agent_id = " + arg(*f.Unread) + ")")
	}
	if f.Mentioned != nil {
		add("c.id IN (SELECT i.conversation_id FROM item_mention m JOIN conversation_item i ON i.tenant_id = m.tenant_id AND i.id = m.item_id" +
			" WHERE m.tenant_id = $1 AND m.agent_id = " + arg(*f.Mentioned) + " AND i.deleted_at IS NULL)")
	}
	if f.AIState != "" {
		add("c.ai_state = '" + f.AIState + "'")
		if f.AIState != AIOff {
			add("c.ai_state <> 'off'")
		}
	}
	if f.Talep != nil {
		if *f.Talep {
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
	if o.Name == "waiting_since" || o.Name == "snoozed_until" {
		add(column + " IS NOT NULL")
	}
	if f.searched {
		add(search(f, arg))
	}
	return `SELECT ` + what + ` FROM ` + from + ` WHERE c.tenant_id = $1 AND c.deleted_at IS NULL` + where.String() +
		` AND (` + column + `, ` + id + `) ` + less + ` ($2, $3) ORDER BY ` + column + ` ` + direction + `, ` + id + ` ` + direction +
		` LIMIT ` + arg(p.Limit+1)
}

// search means the customers that were found, or words of the subject.
func search(f Filter, arg func(any) string) string {
	var parts []string
	if len(f.contacts) > 0 {
		list := make([]string, len(f.contacts))
		for i, id := range f.contacts {
			list[i] = arg(id)
		}
		parts = append(parts, "c.id IN (SELECT id FROM conversation WHERE tenant_id = $1 AND deleted_at IS NULL AND contact_id IN ("+strings.Join(list, ",")+"))")
	}
	if len(f.terms) > 0 {
		var words []string
		for _, t := range f.terms {
			words = append(words, "c.id IN (SELECT conversation_id FROM conversation_term WHERE tenant_id = $1 AND term >= "+arg(t)+" AND term < "+arg(t+"\U0010ffff")+")")
		}
		parts = append(parts, "("+strings.Join(words, " AND ")+")")
	}
	if len(parts) == 0 {
		return "1 = 0"
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}
