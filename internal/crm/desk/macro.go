package desk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// Macro is a named list of actions.
type Macro struct {
	ID          uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Name        string     `json:"name" example:"İade alındı"`
	Description string     `json:"description" example:"İade sürecini başlatır, müşteriye haber verir ve kapatır"`
	Actions     []Action   `json:"actions" nullable:"false"`
	CreatedBy   *uuid.UUID `json:"created_by" nullable:"true" format:"uuid"`
	CreatedAt   clock.Time `json:"created_at"`
	UpdatedAt   clock.Time `json:"updated_at"`
}

// Action is one action of a macro. The fields that it uses depend on its type.
type Action struct {
	Type       string     `json:"type" enum:"reply,note,assign,group,add_tags,remove_tags,priority,open,close,snooze" example:"close"`
	Body       *string    `json:"body" required:"false" nullable:"true" maxLength:"100000" example:"Merhaba {{contact.first_name|değerli müşterimiz}}, iadeniz elimize ulaştı." doc:"For reply and note; can contain placeholders"`
	Agent      *string    `json:"agent" required:"false" nullable:"true" maxLength:"36" example:"me" doc:"For assign: me, none, or an agent's id"`
	GroupID    *uuid.UUID `json:"group_id" required:"false" nullable:"true" format:"uuid" doc:"For group; the nil UUID for none"`
	Tags       []string   `json:"tags" required:"false" nullable:"false" maxItems:"50" example:"[\"iade\"]" doc:"For add_tags and remove_tags"`
	Priority   *string    `json:"priority" required:"false" nullable:"true" enum:"low,normal,high,urgent" doc:"For priority"`
	Minutes    *int       `json:"minutes" required:"false" nullable:"true" minimum:"1" maximum:"525600" example:"1440" doc:"For snooze: how long"`
	UntilReply *bool      `json:"until_reply" required:"false" nullable:"true" doc:"For snooze: until the customer writes, instead of minutes"`
}

// Needs returns the permission that an action of this type needs, the same as outside a
// macro.
func Needs(kind string) perm.Permission { return verbs[kind].needs }

// verb is a type of action.
type verb struct {
	needs perm.Permission
	// takes lists the fields that may be set; check returns what is wrong with them.
	takes []string
	check func(a *Action) (field, code string)
}

var verbs = map[string]verb{
	"reply":       {perm.ConversationsReply, []string{"body"}, checkText},
	"note":        {perm.ConversationsReply, []string{"body"}, checkText},
	"assign":      {perm.ConversationsAssign, []string{"agent"}, checkAgent},
	"group":       {perm.ConversationsAssign, []string{"group_id"}, requireField("group_id", func(a *Action) bool { return a.GroupID != nil })},
	"add_tags":    {perm.ConversationsManage, []string{"tags"}, checkTags},
	"remove_tags": {perm.ConversationsManage, []string{"tags"}, checkTags},
	"priority":    {perm.ConversationsManage, []string{"priority"}, requireField("priority", func(a *Action) bool { return a.Priority != nil })},
	"open":        {needs: perm.ConversationsManage},
	"close":       {needs: perm.ConversationsManage},
	"snooze":      {perm.ConversationsManage, []string{"minutes", "until_reply"}, checkSnooze},
}

func requireField(field string, is func(*Action) bool) func(*Action) (string, string) {
	return func(a *Action) (string, string) {
		if is(a) {
			return "", ""
		}
		return field, "required"
	}
}

func checkText(a *Action) (string, string) {
	if a.Body == nil || strings.TrimSpace(*a.Body) == "" {
		return "body", "required"
	}
	if !placeholdersKnown(*a.Body) {
		return "body", "unknown_placeholder"
	}
	return "", ""
}

func checkAgent(a *Action) (string, string) {
	if a.Agent == nil || *a.Agent == "" {
		return "agent", "required"
	}
	if *a.Agent == "me" || *a.Agent == "none" {
		return "", ""
	}
	if _, err := uuid.Parse(*a.Agent); err != nil {
		return "agent", "invalid_id"
	}
	return "", ""
}

func checkTags(a *Action) (string, string) {
	tags, ok := contact.Tags(a.Tags)
	if !ok {
		return "tags", "too_long"
	}
	if a.Tags = tags; len(tags) == 0 {
		return "tags", "required"
	}
	return "", ""
}

func checkSnooze(a *Action) (string, string) {
	untilReply := a.UntilReply != nil && *a.UntilReply
	switch {
	case a.Minutes == nil && !untilReply:
		return "minutes", "required"
	case a.Minutes != nil && untilReply:
		return "until_reply", "not_together"
	}
	return "", ""
}

// fields returns the names of the action's fields that are set.
func (a *Action) fields() []string {
	var out []string
	for name, set := range map[string]bool{
		"body": a.Body != nil, "agent": a.Agent != nil, "group_id": a.GroupID != nil, "tags": len(a.Tags) > 0,
		"priority": a.Priority != nil, "minutes": a.Minutes != nil, "until_reply": a.UntilReply != nil,
	} {
		if set {
			out = append(out, name)
		}
	}
	return out
}

// checkActions returns what is wrong with a macro's actions.
func checkActions(list []Action) error {
	wrong := fault.New(fault.ValidationFailed)
	for i := range list {
		a := &list[i]
		if a.Tags == nil {
			a.Tags = []string{}
		}
		v := verbs[a.Type]
		for _, name := range a.fields() {
			if !slices.Contains(v.takes, name) {
				wrong.Field(fmt.Sprintf("actions[%d].%s", i, name), "not_for_this_action")
			}
		}
		if v.check == nil {
			continue
		}
		if field, code := v.check(a); code != "" {
			wrong.Field(fmt.Sprintf("actions[%d].%s", i, field), code)
		}
	}
	return wrong.OrNil()
}
