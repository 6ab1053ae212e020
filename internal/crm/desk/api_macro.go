package desk

import (
	"context"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type macroIn struct {
	ID api.ID `path:"id" record:"crm_macro"`
}

type getMacroIn struct {
	ID api.ID `path:"id" record:"crm_macro"`
	ForConversation
}

// ForConversation asks for texts filled in for a conversation.
type ForConversation struct {
	ConversationID api.FilterID `query:"conversation_id" doc:"Fills in the texts for this conversation; a text whose placeholders would stay empty is left as it is"`
}

type macroBody struct {
	Name        string   `json:"name" minLength:"1" maxLength:"100" example:"İade alındı"`
	Description string   `json:"description,omitempty" maxLength:"500" example:"İade sürecini başlatır, müşteriye haber verir ve kapatır"`
	Actions     []Action `json:"actions" minItems:"1" maxItems:"20" nullable:"false"`
}

func (b *macroBody) macro() NewMacro { return NewMacro(*b) }

type createMacroIn struct {
	Body macroBody
}

type updateMacroIn struct {
	ID   api.ID `path:"id" record:"crm_macro"`
	Body macroBody
}

type applyMacroIn struct {
	ID      api.ID `path:"id" record:"conversation"`
	MacroID api.ID `path:"macroId" record:"crm_macro"`
	DelayS  int    `query:"delay_s" minimum:"0" maximum:"30" example:"5" doc:"Seconds the macro's replies wait so that they can be cancelled. A close or snooze after the last one waits with it; everything else happens at once"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerMacros(a)
	s.registerCanned(a)
	s.registerViews(a)
}

func route(method, path, id, tag, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1" + path, ID: id, Tag: tag,
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

func (s *Service) registerMacros(a *api.API) {
	const tag = "CRM macros"
	list := route("GET", "/macros", "list-macros", tag, "List macros", perm.MacrosUse)
	list.Ascending = true
	api.HandlePage(a, list, s.Macros)

	create := route("POST", "/macros", "create-macro", tag, "Create a macro", perm.MacrosManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "Texts can contain placeholders such as {{contact.name}} or {{contact.first_name|text if empty}}."
	api.Handle(a, create, func(ctx context.Context, in *createMacroIn) (Macro, error) { return s.AddMacro(ctx, in.Body.macro()) })

	api.Handle(a, route("GET", "/macros/{id}", "get-macro", tag, "Get a macro", perm.MacrosUse),
		func(ctx context.Context, in *getMacroIn) (Macro, error) {
			if in.ConversationID.V != nil {
				return s.MacroFor(ctx, in.ID.UUID, *in.ConversationID.V)
			}
			return s.Macro(ctx, in.ID.UUID)
		})

	update := route("PUT", "/macros/{id}", "update-macro", tag, "Change a macro", perm.MacrosManage)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateMacroIn) (Macro, error) {
		return s.ChangeMacro(ctx, in.ID.UUID, in.Body.macro())
	})
	api.Handle(a, route("DELETE", "/macros/{id}", "delete-macro", tag, "Delete a macro", perm.MacrosManage),
		func(ctx context.Context, in *macroIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteMacro(ctx, in.ID.UUID)
		})

	apply := route("POST", "/conversations/{id}/macros/{macroId}", "apply-macro", "CRM conversations", "Apply a macro", perm.MacrosUse)
	apply.TakesKey = true
	apply.Refusals = []int{409}
	apply.Doc = "Each action's own permission is checked. If one action is refused or fails, none takes effect: the error is that action's, and its step says which."
	api.Handle(a, apply, func(ctx context.Context, in *applyMacroIn) (Applied, error) {
		return s.Apply(ctx, in.ID.UUID, in.MacroID.UUID, time.Duration(in.DelayS)*time.Second)
	})
}
