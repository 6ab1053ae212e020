package template

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type listIn struct {
	api.Paged
	AccountID string `query:"channel_account_id" format:"uuid" doc:"Only templates of this account"`
	Status    string `query:"status" maxLength:"40" example:"APPROVED" doc:"Only templates in this status"`
	Language  string `query:"language" maxLength:"10" example:"tr" doc:"Only templates in this language"`
	Category  string `query:"category" enum:"MARKETING,UTILITY,AUTHENTICATION" doc:"Only templates of this category"`
	Q         string `query:"q" maxLength:"200" example:"kargo" doc:"Part of the name"`
}

type createIn struct{ Body createBody }

type createBody struct {
	AccountID       uuid.UUID   `json:"channel_account_id" format:"uuid"`
	Name            string      `json:"name" minLength:"1" maxLength:"512" example:"kargo_bilgisi" doc:"Lowercase letters, digits and underscores; cannot be changed later"`
	Language        string      `json:"language" minLength:"2" maxLength:"10" example:"tr" doc:"Cannot be changed later"`
	Category        string      `json:"category" enum:"MARKETING,UTILITY,AUTHENTICATION" example:"UTILITY"`
	ParameterFormat string      `json:"parameter_format,omitempty" enum:"POSITIONAL,NAMED" default:"POSITIONAL" doc:"POSITIONAL: variables are {{1}}; NAMED: variables are {{name}}"`
	Components      []Component `json:"components" minItems:"1" maxItems:"4" nullable:"false" example:"[{\"type\":\"BODY\",\"text\":\"Merhaba {{1}}, siparişiniz yola çıktı.\",\"example\":{\"body_text\":[[\"Elif\"]]}}]"`
	Draft           bool        `json:"draft,omitempty" doc:"Keeps the template in Konak as a draft, without a review"`
}

type templateIn struct {
	ID api.ID `path:"id" record:"message_template"`
}

type updateIn struct {
	ID   api.ID `path:"id" record:"message_template"`
	Body updateBody
}

type updateBody struct {
	Category   *string      `json:"category,omitempty" enum:"MARKETING,UTILITY,AUTHENTICATION"`
	Components *[]Component `json:"components,omitempty" minItems:"1" maxItems:"4" nullable:"false"`
	Submit     bool         `json:"submit,omitempty" doc:"Sends a draft for review"`
}

type mediaIn struct {
	AccountID string `query:"channel_account_id" required:"true" format:"uuid" doc:"Account that the template is for"`
	Filename  string `query:"filename" required:"true" minLength:"1" maxLength:"200" example:"urun.png"`
}

type syncIn struct {
	Body *struct {
		AccountID *uuid.UUID `json:"channel_account_id,omitempty" format:"uuid" doc:"Account to sync; by default all accounts"`
	}
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/channels/templates" + path, ID: id, Tag: "CRM channels",
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

const refused = " 422 template_rejected, with the provider's message, if the provider refuses; 502 provider_rejected if it does not answer."

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandleList(a, route("GET", "", "list-templates", "List templates", perm.TemplatesView),
		func(ctx context.Context, in *listIn) (db.List[Template], error) {
			f := Filter{Status: in.Status, Language: in.Language, Category: in.Category, Query: in.Q}
			if in.AccountID != "" {
				id, err := uuid.Parse(in.AccountID)
				if err != nil {
					return db.List[Template]{}, fault.Invalid("channel_account_id", "invalid_id")
				}
				f.AccountID = &id
			}
			return s.List(ctx, f, in.Page())
		})
	api.Handle(a, route("GET", "/{id}", "get-template", "Get a template", perm.TemplatesView),
		func(ctx context.Context, in *templateIn) (Template, error) { return s.Get(ctx, in.ID.UUID) })

	create := route("POST", "", "create-template", "Create a template", perm.TemplatesManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409, 502}
	create.Doc = "Submits the template for the provider's review, or keeps it as a draft. The name of a deleted template cannot be used for four weeks: 409 name_barred." + refused
	api.Handle(a, create, func(ctx context.Context, in *createIn) (Template, error) {
		return s.Create(ctx, NewTemplate(in.Body))
	})

	update := route("PATCH", "/{id}", "update-template", "Edit a template", perm.TemplatesManage)
	update.Refusals = []int{409, 502}
	update.Doc = "The changed template is reviewed again, unless it stays a draft; name and language cannot be changed. An approved template can be edited once in 24 hours and ten times in 30 days: 409 template_edit_limit. Only draft, approved, rejected and paused templates can be edited: 409 template_locked." + refused
	api.Handle(a, update, func(ctx context.Context, in *updateIn) (Template, error) {
		return s.Update(ctx, in.ID.UUID, Change{Category: in.Body.Category, Components: in.Body.Components, Submit: in.Body.Submit})
	})

	remove := route("DELETE", "/{id}", "delete-template", "Delete a template at the provider and here", perm.TemplatesManage)
	remove.Refusals = []int{409, 502}
	remove.Doc = "The provider deletes by name, so all languages of the template are deleted, except drafts, and the name cannot be used for four weeks. Deleting a draft deletes only that draft. A disabled template cannot be deleted: 409 template_locked."
	api.Handle(a, remove, func(ctx context.Context, in *templateIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})

	media := route("POST", "/media", "upload-template-media", "Upload sample media for a template header", perm.TemplatesManage)
	media.MaxBody, media.Refusals = MaxSample, []int{502}
	media.Doc = "The body is the file itself: JPEG, PNG, MP4 or PDF, detected from the content. Konak passes it to the provider without storing it and returns the handle for a header's example." + refused
	api.HandleUpload(a, media, func(ctx context.Context, in *mediaIn, body *api.Upload) (Handle, error) {
		account, err := uuid.Parse(in.AccountID)
		if err != nil {
			return Handle{}, fault.Invalid("channel_account_id", "invalid_id")
		}
		return s.Upload(ctx, account, in.Filename, body)
	})

	sync := route("POST", "/sync", "sync-templates", "Sync templates with the provider", perm.TemplatesManage)
	sync.Refusals = []int{502}
	sync.Doc = "Updates the list to match the provider's; drafts stay. Without a body, syncs all accounts."
	api.Handle(a, sync, func(ctx context.Context, in *syncIn) (Synced, error) {
		if in.Body == nil {
			return s.Sync(ctx, nil)
		}
		return s.Sync(ctx, in.Body.AccountID)
	})
}
