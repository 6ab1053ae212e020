package finder

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// NarrowIn are the parameters that narrow a search, named like those of the list of
// conversations.
type NarrowIn struct {
	OwnerID     string `query:"owner_id" maxLength:"36" example:"me" doc:"me, none, or an agent's id"`
	GroupID     string `query:"group_id" maxLength:"36" example:"none" doc:"none, or a group's id"`
	Tag         string `query:"tag" maxLength:"60"`
	Priority    string `query:"priority" enum:"low,normal,high,urgent"`
	CreatedFrom string `query:"created_from" format:"date-time" example:"2026-11-01T00:00:00Z"`
	CreatedTo   string `query:"created_to" format:"date-time" example:"2026-12-01T00:00:00Z" doc:"End of the range, exclusive"`
}

// Narrowing holds conditions on a conversation besides its words. They are not in the index
// but checked on the records that the words find.
type Narrowing struct {
	set                    bool
	owner, group           *uuid.UUID // the nil UUID for nobody
	tag, priority          string
	createdFrom, createdTo *clock.Time
}

// narrowing parses the parameters for the caller. It returns validation_failed with the
// fields that are wrong.
func (in *NarrowIn) narrowing(ctx context.Context) (Narrowing, error) {
	n := Narrowing{set: *in != NarrowIn{}, tag: contact.TagKey(in.Tag), priority: in.Priority}
	wrong := fault.New(fault.ValidationFailed)
	id := func(name, text string) *uuid.UUID {
		if text == "" {
			return nil
		}
		if text == "none" {
			return &uuid.Nil
		}
		u, err := uuid.Parse(text)
		if err != nil {
			wrong.Field(name, "invalid_id")
		}
		return &u
	}
	if in.OwnerID == "me" {
		me := conversation.AgentID(ctx)
		if n.owner = &me; me == uuid.Nil {
			wrong.Field("owner_id", "needs_agent")
		}
	} else {
		n.owner = id("owner_id", in.OwnerID)
	}
	n.group = id("group_id", in.GroupID)
	n.createdFrom = conversation.ParseTime(wrong, "created_from", in.CreatedFrom)
	n.createdTo = conversation.ParseTime(wrong, "created_to", in.CreatedTo)
	return n, wrong.OrNil()
}

// accepts reports whether a conversation meets the conditions.
func (n *Narrowing) accepts(c conversation.Conversation) bool {
	same := func(want, has *uuid.UUID) bool {
		if has == nil {
			has = &uuid.Nil
		}
		return want == nil || *want == *has
	}
	return same(n.owner, c.OwnerID) && same(n.group, c.GroupID) &&
		(n.priority == "" || n.priority == c.Priority) &&
		(n.tag == "" || slices.ContainsFunc(c.Tags, func(t string) bool { return contact.TagKey(t) == n.tag })) &&
		(n.createdFrom == nil || !c.CreatedAt.Before(n.createdFrom.Time)) &&
		(n.createdTo == nil || c.CreatedAt.Before(n.createdTo.Time))
}
