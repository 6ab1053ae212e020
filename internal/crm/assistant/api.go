package assistant

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/assistant/engine"
	"konak/internal/kit/api"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type configurationIn struct {
	ID api.ID `path:"id" record:"assistant_configuration"`
}

type createIn struct{ Body Input }

type updateIn struct {
	ID   api.ID `path:"id" record:"assistant_configuration"`
	Body Input
}

type tryIn struct {
	Body struct {
		Question        string     `json:"question" minLength:"1" maxLength:"2000" example:"Ürünü nasıl iade ederim?"`
		Language        string     `json:"language,omitempty" enum:"tr,en" example:"tr" doc:"Used if the question itself does not show its language"`
		ConfigurationID *uuid.UUID `json:"configuration_id,omitempty" nullable:"true" format:"uuid" doc:"Configuration that answers; its language model is asked, using its budget. If left out or null, the embedded engine answers"`
	}
}

// Trial is the answer that the assistant would give, and why.
type Trial struct {
	Language   string    `json:"language" enum:"tr,en,other" example:"tr" doc:"other: a language the embedded engine does not understand, so it hands over"`
	Intent     string    `json:"intent" enum:"question,greeting,thanks,human" example:"question"`
	Answered   bool      `json:"answered" doc:"Whether it would answer; otherwise it hands over"`
	Text       string    `json:"text" example:"14 gün içinde iade edebilirsiniz." doc:"What the customer would read"`
	Reason     *string   `json:"reason" nullable:"true" example:"no_answer" doc:"Why it would hand over"`
	Bound      float64   `json:"bound" example:"0.65" doc:"Confidence an answer needs"`
	Candidates []Passage `json:"candidates" nullable:"false" doc:"Passages found, best first"`
}

// Passage is a passage that was found for a question.
type Passage struct {
	Kind       string  `json:"kind" example:"article"`
	Title      string  `json:"title" example:"Ürünü nasıl iade ederim?"`
	URL        string  `json:"url" example:"https://ada.help.example.com/tr/a/0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c-iade"`
	Excerpt    string  `json:"excerpt" example:"Teslim aldığınız günden itibaren 14 gün içinde iade edebilirsiniz."`
	Confidence float64 `json:"confidence" example:"0.81"`
}

// Try returns what the assistant would answer to a question with a configuration, or with
// the defaults if it is nil. It stores nothing except what a language model spent.
func (s *Service) Try(ctx context.Context, question, language string, configuration *uuid.UUID) (Trial, error) {
	st := state{question: question, language: language, configuration: defaultConfiguration(), account: Account{Enabled: true, Open: true}}
	st.until = s.DB.Clock().Now().Add(s.writingTime())
	if configuration != nil {
		var err error
		if st.configuration, err = s.Configuration(ctx, *configuration); isGone(err) {
			return Trial{}, fault.Invalid("configuration_id", "unknown_configuration")
		} else if err != nil {
			return Trial{}, err
		}
		st.configuration.Active = Always
	}
	p, err := s.plan(ctx, &st)
	if err == nil && p.needsModel {
		end, refused := s.takeTrial(ctx)
		if refused != nil {
			return Trial{}, refused
		}
		err = s.askModel(ctx, &st, &p)
		end()
	}
	if err != nil {
		return Trial{}, err
	}
	out := Trial{
		Language: p.understood.Language, Intent: p.understood.Intent, Answered: p.reason == "", Text: p.text,
		Bound: engine.DefaultBound, Candidates: []Passage{},
	}
	if p.reason != "" {
		out.Reason = &p.reason
	}
	index, err := s.index(ctx)
	if err != nil {
		return Trial{}, err
	}
	provisions, err := s.findProvisions(ctx, &st.configuration, question, p.understood.Language)
	if err != nil {
		return Trial{}, err
	}
	all := append(index.Answer(question, p.understood.Language, engine.DefaultBound).Candidates, provisions.Candidates...)
	slices.SortStableFunc(all, func(a, b engine.Candidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	for _, c := range all {
		out.Candidates = append(out.Candidates, Passage{Kind: c.Kind, Title: c.Title, URL: c.URL, Excerpt: c.Excerpt, Confidence: c.Confidence})
	}
	return out, nil
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/assistant" + path, ID: id, Tag: "CRM assistant",
		Summary: summary, Access: api.Session, Permission: p, Licence: Licence,
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	all := route("GET", "/configurations", "list-assistant-configurations", "List assistant configurations", perm.AssistantView)
	all.Ascending = true
	api.HandlePage(a, all, s.Configurations)

	create := route("POST", "/configurations", "create-assistant-configuration", "Create an assistant configuration", perm.AssistantManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "A channel selects it with PATCH /channels/{id}/ai. On a channel without one, the assistant always answers, after two seconds and at most five times per conversation. A workspace can have at most 50 configurations."
	api.Handle(a, create, func(ctx context.Context, in *createIn) (Configuration, error) { return s.Add(ctx, in.Body) })

	api.Handle(a, route("GET", "/configurations/{id}", "get-assistant-configuration", "Get an assistant configuration", perm.AssistantView),
		func(ctx context.Context, in *configurationIn) (Configuration, error) {
			return s.Configuration(ctx, in.ID.UUID)
		})

	update := route("PUT", "/configurations/{id}", "update-assistant-configuration", "Change an assistant configuration", perm.AssistantManage)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateIn) (Configuration, error) {
		return s.Change(ctx, in.ID.UUID, in.Body)
	})

	remove := route("DELETE", "/configurations/{id}", "delete-assistant-configuration", "Delete an assistant configuration", perm.AssistantManage)
	remove.Refusals = []int{409}
	remove.Doc = "409 in_use while a channel uses it."
	api.Handle(a, remove, func(ctx context.Context, in *configurationIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})

	s.registerWriting(a)
	try := route("POST", "/try", "try-assistant", "Try a question: what the assistant would answer, and why", perm.AssistantView)
	try.Doc = "Nobody is notified. The answer comes from published help articles, canned replies released for the assistant, and its sources. A language model's use counts towards its budgets. A workspace can ask a language model 20 questions a minute, and two at once; more: 429."
	api.Handle(a, try, func(ctx context.Context, in *tryIn) (Trial, error) {
		return s.Try(ctx, in.Body.Question, in.Body.Language, in.Body.ConfigurationID)
	})
}
