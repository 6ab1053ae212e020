package assistant

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type writingIn struct{}

type suggestIn struct {
	ID api.ID `path:"id" record:"conversation"`
}

type rewriteIn struct {
	ID   api.ID `path:"id" record:"conversation"`
	Body struct {
		Text     string `json:"text" minLength:"1" maxLength:"4000" example:"Merhaba, ürününüzü 14 gün içinde iade edebilirsiniz." doc:"Text in the composer"`
		Kind     string `json:"kind" enum:"shorter,friendlier,translate" example:"shorter"`
		Language string `json:"language,omitempty" pattern:"^[a-z]{2,3}$" example:"en" doc:"Target language as an ISO 639 code; defaults to the customer's language"`
	}
}

// registerWriting adds the routes through which a language model writes for agents.
func (s *Service) registerWriting(a *api.API) {
	available := route("GET", "/writing", "get-assistant-writing", "Check whether a language model can write for agents", perm.ConversationsReply)
	available.Licence = "crm"
	available.Doc = "True if an assistant configuration names a language model and the workspace has the licence ai."
	api.Handle(a, available, func(ctx context.Context, _ *writingIn) (Writing, error) { return s.CanWrite(ctx) })

	refusals := []int{409, 502}
	const doc = " Uses the language model of the channel's configuration, or else the workspace's oldest; its budgets apply. " +
		"409 no_language_model without one; 409 model_budget_spent if today's budget is used up; 502 model_unreachable if the server does not answer in time, at most 20 seconds; " +
		"502 model_bad_answer if its answer cannot be used."
	ofConversation := func(path, id, summary string) api.Route {
		rt := route("POST", "", id, summary, perm.ConversationsReply)
		rt.Path, rt.Tag, rt.Licence, rt.Refusals = "/api/crm/v1/conversations/{id}"+path, "CRM conversations", "crm", refusals
		return rt
	}
	suggest := ofConversation("/suggest-reply", "suggest-reply", "Draft a reply with a language model")
	suggest.Doc = "Nothing is sent or stored. Like the assistant's answers, it is based on help articles, released canned replies and the customer's own orders; if they have no answer, text is null. " +
		"Also needs crm.conversations.view. 422 nothing_to_answer if the customer wrote nothing." + doc
	api.Handle(a, suggest, func(ctx context.Context, in *suggestIn) (Suggestion, error) { return s.Suggest(ctx, in.ID.UUID) })

	rewrite := ofConversation("/rewrite", "rewrite-reply", "Rewrite a reply with a language model")
	rewrite.Doc = "Nothing is sent or stored. Translating into the customer's own language also needs crm.conversations.view." + doc
	api.Handle(a, rewrite, func(ctx context.Context, in *rewriteIn) (Rewriting, error) {
		return s.Rewrite(ctx, in.ID.UUID, in.Body.Text, in.Body.Kind, in.Body.Language)
	})
}
