package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/group"
	"konak/internal/crm/conversation/later"
	"konak/internal/crm/reply"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// Macros lists the macros, the oldest first.
func (s *Service) Macros(ctx context.Context, p db.Page) (db.List[Macro], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Macro], error) {
		return macros(r, p)
	})
}

// Macro returns one macro.
func (s *Service) Macro(ctx context.Context, id uuid.UUID) (Macro, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Macro, error) {
		m, err := macroByID(r, id)
		return m, db.NotFound(err)
	})
}

// MacroFor is Macro with the texts filled in for a conversation.
func (s *Service) MacroFor(ctx context.Context, id, conversation uuid.UUID) (Macro, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Macro, error) {
		m, err := macroByID(r, id)
		if err != nil {
			return m, db.NotFound(err)
		}
		preview, err := s.previewFor(r, conversation)
		if err != nil {
			return m, err
		}
		for i := range m.Actions {
			if body := m.Actions[i].Body; body != nil {
				*body = preview(*body)
			}
		}
		return m, nil
	})
}

// NewMacro is the input for a macro.
type NewMacro struct {
	Name        string
	Description string
	Actions     []Action
}

// AddMacro creates a macro.
func (s *Service) AddMacro(ctx context.Context, n NewMacro) (m Macro, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &m, func(tx *db.Tx) error {
		m = Macro{ID: tx.NewID(), CreatedAt: clock.At(tx.Now())}
		if who := caller.From(ctx); who.ID != uuid.Nil {
			m.CreatedBy = &who.ID
		}
		if err := s.fillMacro(tx, &m, n); err != nil {
			return err
		}
		if free, err := putMacro(tx, m, nameKey(m.Name)); err != nil {
			return err
		} else if !free {
			return nameTaken("name")
		}
		return recordChange(tx, "macro.created", m.ID, map[string]any{"name": m.Name, "actions": kinds(m)})
	})
	return m, err
}

// fillMacro checks the input and copies it into a macro.
func (s *Service) fillMacro(tx *db.Tx, m *Macro, n NewMacro) error {
	m.Name, m.Description, m.Actions = strings.TrimSpace(n.Name), strings.TrimSpace(n.Description), n.Actions
	m.UpdatedAt = clock.At(tx.Now())
	if nameKey(m.Name) == "" {
		return fault.Invalid("name", "required")
	}
	if err := checkActions(m.Actions); err != nil {
		return err
	}
	return s.checkNamed(tx, m.Actions)
}

// checkNamed checks that the agents and groups named by actions exist. If they are removed
// later, the action fails.
func (s *Service) checkNamed(tx *db.Tx, list []Action) error {
	for i, a := range list {
		if a.GroupID != nil && *a.GroupID != uuid.Nil {
			if ok, err := group.Exists(&tx.Reader, *a.GroupID); err != nil {
				return err
			} else if !ok {
				return fault.Invalid(fmt.Sprintf("actions[%d].group_id", i), "unknown_group")
			}
		}
		if a.Agent == nil || *a.Agent == "me" || *a.Agent == "none" {
			continue
		}
		id, err := uuid.Parse(*a.Agent)
		if err != nil {
			return err
		}
		if ok, err := s.Agents.IsAgent(&tx.Reader, id); err != nil {
			return err
		} else if !ok {
			return fault.Invalid(fmt.Sprintf("actions[%d].agent", i), "unknown_agent")
		}
	}
	return nil
}

// kinds lists the types of a macro's actions, without their texts.
func kinds(m Macro) []string {
	return each.Map(m.Actions, func(a Action) string { return a.Type })
}

// ChangeMacro replaces a macro.
func (s *Service) ChangeMacro(ctx context.Context, id uuid.UUID, n NewMacro) (m Macro, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if m, err = macroByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		if err := s.fillMacro(tx, &m, n); err != nil {
			return err
		}
		if free, err := saveMacro(tx, m, nameKey(m.Name)); err != nil {
			return err
		} else if !free {
			return nameTaken("name")
		}
		return recordChange(tx, "macro.changed", id, map[string]any{"name": m.Name, "actions": kinds(m)})
	})
	return m, orTaken(err, "name")
}

// recordChange announces a change to panels and writes its audit line.
func recordChange(tx *db.Tx, action string, id uuid.UUID, detail map[string]any) error {
	if err := announce(tx, MacrosChanged, id); err != nil {
		return err
	}
	return audit.Write(tx, action, id.String(), detail)
}

// DeleteMacro removes a macro.
func (s *Service) DeleteMacro(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m, err := macroByID(&tx.Reader, id)
		if err != nil {
			return db.NotFound(err)
		}
		if err := dropMacro(tx, id); err != nil {
			return err
		}
		return recordChange(tx, "macro.deleted", id, map[string]any{"name": m.Name})
	})
}

// Applied is the result of a macro.
type Applied struct {
	Conversation conversation.Conversation `json:"conversation"`
	Items        []conversation.Item       `json:"items" nullable:"false" doc:"Replies and notes that were written"`
	Scheduled    []later.Scheduled         `json:"scheduled" nullable:"false" doc:"With a delay: the replies, which can still be cancelled. The field then of the last one says what happens to the conversation once it is sent"`
}

// Apply carries out a macro's actions on a conversation: all of them or none. If one is
// refused or fails, the fault names it. With a delay its replies are scheduled and can be
// cancelled.
func (s *Service) Apply(ctx context.Context, id, macro uuid.UUID, delay time.Duration) (out Applied, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		m, err := macroByID(&tx.Reader, macro)
		if err != nil {
			return db.NotFound(err)
		}
		if err := checkPermissions(caller.From(ctx), m); err != nil {
			return err
		}
		written := make([]conversation.Written, len(m.Actions))
		steps := make([]conversation.Step, len(m.Actions))
		for i := range m.Actions {
			steps[i] = s.step(i, &m.Actions[i], &written[i])
		}
		out = Applied{Items: []conversation.Item{}, Scheduled: []later.Scheduled{}}
		if delay > 0 {
			steps = s.delayReplies(m.Actions, steps, delay, &out.Scheduled)
		}
		if out.Conversation, err = s.Conversations.Apply(tx, id, steps...); err != nil {
			return err
		}
		for _, w := range written {
			if w.Item.ID != uuid.Nil {
				out.Items = append(out.Items, w.Item)
			}
		}
		return nil
	})
	return out, s.Replies.RecordRefusal(ctx, err)
}

// checkPermissions checks the permission of each action.
func checkPermissions(who *caller.Caller, m Macro) error {
	// The answer shows the conversation.
	if f := checkPermission(who, perm.ConversationsView); f != nil {
		return f
	}
	for i, a := range m.Actions {
		if f := checkPermission(who, Needs(a.Type)); f != nil {
			return f.At(i, a.Type)
		}
	}
	return nil
}

// step turns an action into a step of the conversation's gate.
func (s *Service) step(index int, a *Action, out *conversation.Written) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		c, err := s.take(tx, was, a, out)
		if f, ok := fault.As(err); ok {
			return c, f.At(index, a.Type)
		}
		return c, err
	}
}

func (s *Service) take(tx *db.Tx, was conversation.Conversation, a *Action, out *conversation.Written) (conversation.Conversation, error) {
	text, err := s.textOf(&tx.Reader, was, a)
	if err != nil {
		return was, err
	}
	step, err := s.stepOf(tx, a, text, out)
	if err != nil {
		return was, err
	}
	return step(tx, was)
}

// stepOf returns the step of an action; text is that of a reply or a note, filled in.
func (s *Service) stepOf(tx *db.Tx, a *Action, text string, out *conversation.Written) (conversation.Step, error) {
	switch a.Type {
	case "reply", "note":
		me := conversation.AgentAuthor(caller.From(tx.Context()).ID)
		return s.Replies.ToReply(reply.Answer{Author: me, Body: text, Note: a.Type == "note"}, out), nil
	case "assign":
		owner, err := ownerNamed(tx, *a.Agent)
		return s.Conversations.ToAssign(owner), err
	case "group":
		return s.Conversations.ToUpdate(conversation.Change{GroupID: a.GroupID}), nil
	case "add_tags":
		return s.Conversations.ToRetag(func(has []string) []string { return slices.Concat(has, a.Tags) }), nil
	case "remove_tags":
		return s.Conversations.ToRetag(func(has []string) []string { return contact.WithoutTags(has, a.Tags) }), nil
	case "priority":
		return s.Conversations.ToUpdate(conversation.Change{Priority: a.Priority}), nil
	case "open":
		return s.Conversations.ToOpen(), nil
	case "close":
		return s.Conversations.ToClose(), nil
	case "snooze":
		return s.Conversations.ToSnooze(snoozeEnd(a, tx.Now()), a.Minutes == nil), nil
	}
	return nil, fmt.Errorf("desk: unknown action %q", a.Type)
}

// snoozeEnd returns when the snooze of an action ends; nil if it lasts until the customer
// writes.
func snoozeEnd(a *Action, now time.Time) *clock.Time {
	if a.Minutes == nil {
		return nil
	}
	return clock.Ptr(now.Add(time.Duration(*a.Minutes) * time.Minute))
}

// ownerNamed returns the agent whom an action names; nil for none.
func ownerNamed(tx *db.Tx, name string) (*uuid.UUID, error) {
	switch name {
	case "none":
		return nil, nil
	case "me":
		return &caller.From(tx.Context()).ID, nil
	}
	id, err := uuid.Parse(name)
	if err != nil {
		return nil, fault.Invalid("agent", "invalid_id")
	}
	return &id, nil
}

// textOf returns the text that an action writes, "" if it writes none.
func (s *Service) textOf(r *db.Reader, was conversation.Conversation, a *Action) (string, error) {
	if a.Body == nil {
		return "", nil
	}
	text, empty, err := s.render(r, was, *a.Body)
	// A sentence with a gap must not reach a customer unnoticed.
	if err == nil && len(empty) > 0 {
		err = fault.Invalid("body", "empty_placeholder").Because(empty[0])
	}
	return text, err
}

// delayReplies schedules the replies of a macro, each a second later than the one before. A
// closing or a snooze after the last reply becomes its follow-up, because a reply to a
// closed conversation would reopen it.
func (s *Service) delayReplies(actions []Action, steps []conversation.Step, delay time.Duration, out *[]later.Scheduled) []conversation.Step {
	last := -1
	for i := range actions {
		if actions[i].Type == "reply" {
			last = i
		}
	}
	var kept []conversation.Step
	for i := range actions {
		switch kind := actions[i].Type; {
		case kind == "reply" && i == last:
			kept = append(kept, s.replyLater(i, &actions[i], delay, actions[i+1:], out))
		case kind == "reply":
			kept = append(kept, s.replyLater(i, &actions[i], delay, nil, out))
			delay += time.Second
		case last < 0 || i < last || kind != "close" && kind != "snooze":
			kept = append(kept, steps[i])
		}
	}
	return kept
}

// replyLater schedules a reply of a macro, as a step; then are the actions after it.
func (s *Service) replyLater(index int, a *Action, delay time.Duration, then []Action, out *[]later.Scheduled) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		text, err := s.textOf(&tx.Reader, was, a)
		if err == nil {
			var m later.Scheduled
			was, err = s.Replies.ToSchedule(reply.Later{Answer: reply.Answer{Body: text}, Delay: delay, FollowUp: followUpOf(then, tx.Now())}, &m)(tx, was)
			*out = append(*out, m)
		}
		if f, ok := fault.As(err); ok {
			return was, f.At(index, a.Type)
		}
		return was, err
	}
}

// followUpOf returns the follow-up for the last of some actions that changes the state, nil
// for none.
func followUpOf(actions []Action, now time.Time) (out *later.FollowUp) {
	for _, a := range actions {
		switch a.Type {
		case "open":
			out = nil
		case "close":
			out = &later.FollowUp{State: string(conversation.Closed)}
		case "snooze":
			out = &later.FollowUp{State: string(conversation.Snoozed), Until: snoozeEnd(&a, now), UntilReply: a.Minutes == nil}
		}
	}
	return out
}
