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
		Text     string `json:"text" minLength:"1" maxLength:"4000" example:"Merhaba, ürününüzü 14 gün içinde iade edebilirsiniz." doc:"What stands in the composer"`
		Kind     string `json:"kind" enum:"shorter,friendlier,translate" example:"shorter"`
		Language string `json:"language,omitempty" pattern:"^[a-z]{2,3}$" example:"en" doc:"What it is translated into, as an ISO 639 code; the customer's language where nothing is said"`
	}
}

// registerWriting adds the routes with which a language model writes for agents.
func (s *Service) registerWriting(a *api.API) {
	available := route("GET", "/writing", "get-assistant-writing", "Whether a language model can write for agents", perm.ConversationsReply)
	available.Licence = "crm"
	available.Doc = "Where a configuration of the assistant names one, and the workspace has the licence ai."
	api.Handle(a, available, func(ctx context.Context, _ *writingIn) (Writing, error) { return s.CanWrite(ctx) })

	refusals := []int{409, 502}
	const doc = " The language model is that of the channel's configuration, or else the workspace's oldest; its budgets apply. " +
		"Without one: 409 no_language_model; with today's budget used up: 409 model_budget_spent. A server that does not answer within 20 seconds: 502 model_unreachable; " +
		"an answer that cannot be used: 502 model_bad_answer."
	ofConversation := func(path, id, summary string) api.Route {
		rt := route("POST", "", id, summary, perm.ConversationsReply)
		rt.Path, rt.Tag, rt.Licence, rt.Refusals = "/api/crm/v1/conversations/{id}"+path, "CRM conversations", "crm", refusals
		return rt
	}
	suggest := ofConversation("/suggest-reply", "suggest-reply", "Let a language model draft a reply")
	suggest.Doc = "Nothing is sent or stored. It rests on the help articles, the released canned replies and the customer's own orders, as the assistant's answers do; where they do not answer, text is null. " +
		"It needs crm.conversations.view as well. Where the customer wrote nothing: 422 nothing_to_answer." + doc
	api.Handle(a, suggest, func(ctx context.Context, in *suggestIn) (Suggestion, error) { return s.Suggest(ctx, in.ID.UUID) })

	rewrite := ofConversation("/rewrite", "rewrite-reply", "Let a language model rewrite what is being written")
	rewrite.Doc = "Nothing is sent or stored. Translating into the customer's own language needs crm.conversations.view as well." + doc
	api.Handle(a, rewrite, func(ctx context.Context, in *rewriteIn) (Rewriting, error) {
		return s.Rewrite(ctx, in.ID.UUID, in.Body.Text, in.Body.Kind, in.Body.Language)
	})
}
