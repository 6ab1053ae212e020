package conversation

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Query holds the parameters of a list of conversations; a saved view stores them too.
type Query struct {
	State       string `query:"state" json:"state,omitempty" enum:"open,snoozed,closed"`
	OwnerID     string `query:"owner_id" json:"owner_id,omitempty" maxLength:"36" example:"me" doc:"me, none, or an agent's id"`
	GroupID     string `query:"group_id" json:"group_id,omitempty" maxLength:"36" example:"none" doc:"none, or a group's id"`
	Channel     string `query:"channel" json:"channel,omitempty" maxLength:"40" doc:"Key from the source catalog"`
	Tag         string `query:"tag" json:"tag,omitempty" maxLength:"60"`
	Priority    string `query:"priority" json:"priority,omitempty" enum:"low,normal,high,urgent"`
	ContactID   string `query:"contact_id" json:"contact_id,omitempty" format:"uuid"`
	Unread      string `query:"unread" json:"unread,omitempty" enum:"true" doc:"Only conversations the caller has not read"`
	Mentioned   string `query:"mentioned" json:"mentioned,omitempty" enum:"me" doc:"Only conversations with one of the newest 1,000 notes that mention the caller"`
	Waiting     string `query:"waiting" json:"waiting,omitempty" enum:"true" doc:"Only where the customer is waiting for a reply"`
	AIState     string `query:"ai_state" json:"ai_state,omitempty" enum:"off,active,handed_over,paused"`
	Request     string `query:"talep" json:"talep,omitempty" enum:"true,false" doc:"true for only requests, false for only others"`
	CreatedFrom string `query:"created_from" json:"created_from,omitempty" format:"date-time" example:"2026-11-01T00:00:00Z"`
	CreatedTo   string `query:"created_to" json:"created_to,omitempty" format:"date-time" example:"2026-12-01T00:00:00Z"`
	Q           string `query:"q" json:"q,omitempty" maxLength:"200" doc:"Words from the subject, or the customer's name, address or number"`
	Sort        string `query:"sort" json:"sort,omitempty" default:"-last_activity" enum:"-last_activity,last_activity,-created,created,-waiting_since,waiting_since,-priority,priority,-snoozed_until,snoozed_until" doc:"A minus puts the largest first. Conversations that are not waiting, or not snoozed until a time, come last, newest activity first."`
}

// Order implements api.Ordered.
func (q *Query) Order() (string, bool) {
	return q.Sort, !strings.HasPrefix(q.Sort, "-")
}

func (q *Query) order() Order {
	name, desc := strings.CutPrefix(q.Sort, "-")
	return Order{Name: name, Asc: !desc}
}

func (q *Query) filter(ctx context.Context) (Filter, error) {
	f := Filter{State: State(q.State), Channel: q.Channel, Tag: q.Tag, Priority: q.Priority, AIState: q.AIState, Waiting: q.Waiting != ""}
	wrong := fault.New(fault.ValidationFailed)
	id := func(name, v string) *uuid.UUID {
		u, err := uuid.Parse(v)
		if err != nil {
			wrong.Field(name, "invalid_id")
		}
		return &u
	}
	me := AgentID(ctx)
	switch q.OwnerID {
	case "":
	case "none":
		f.NoOwner = true
	case "me":
		f.OwnerID = &me
	default:
		f.OwnerID = id("owner_id", q.OwnerID)
	}
	switch q.GroupID {
	case "":
	case "none":
		f.NoGroup = true
	default:
		f.GroupID = id("group_id", q.GroupID)
	}
	if q.ContactID != "" {
		f.ContactID = id("contact_id", q.ContactID)
	}
	if q.Unread != "" {
		f.Unread = &me
	}
	if q.Mentioned != "" {
		f.Mentioned = &me
	}
	if me == uuid.Nil && (q.OwnerID == "me" || q.Unread != "") {
		wrong.Field("owner_id", "needs_agent")
	}
	if me == uuid.Nil && q.Mentioned != "" {
		wrong.Field("mentioned", "needs_agent")
	}
	if q.Request != "" {
		talep := q.Request == "true"
		f.IsRequest = &talep
	}
	f.CreatedFrom = ParseTime(wrong, "created_from", q.CreatedFrom)
	f.CreatedTo = ParseTime(wrong, "created_to", q.CreatedTo)
	return f, wrong.OrNil()
}

// ParseTime parses a time in a query; nil for "". A wrong one is a field error of the fault.
func ParseTime(wrong *fault.Fault, name, text string) *clock.Time {
	if text == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		wrong.Field(name, "invalid_time")
	}
	return clock.Ptr(t)
}

// ListMatching returns a page of the conversations that match a query, in its order.
func (s *Service) ListMatching(ctx context.Context, q Query, p db.Page) (db.List[Conversation], error) {
	f, err := q.filter(ctx)
	if err != nil {
		return db.List[Conversation]{}, err
	}
	return s.List(ctx, f, q.Q, q.order(), p)
}

// CheckQuery returns an error if a query is not valid for the caller.
func (s *Service) CheckQuery(ctx context.Context, q Query) error {
	_, err := q.filter(ctx)
	return err
}

// CountUpTo counts the conversations of a query, up to a limit.
func (s *Service) CountUpTo(r *db.Reader, q Query, limit int) (int, error) {
	f, err := q.filter(r.Context())
	if err != nil {
		return 0, err
	}
	if err := s.search(r, &f, q.Q); err != nil {
		return 0, err
	}
	return countUpTo(r, f, q.order(), limit)
}
