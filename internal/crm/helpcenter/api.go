package helpcenter

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type changeIn struct {
	Body SettingsChange
}

type categoryIn struct {
	ID api.ID `path:"id" record:"help_category"`
}

type createCategoryIn struct {
	Body CategoryInput
}

type updateCategoryIn struct {
	ID   api.ID `path:"id" record:"help_category"`
	Body CategoryInput
}

type previewIn struct{ Body previewBody }

type previewBody struct {
	Body string `json:"body" maxLength:"100000" example:"Siparişiniz **iki iş günü** içinde kargoya verilir." doc:"Markdown"`
}

// Previewed is Markdown as the site would show it.
type Previewed struct {
	HTML string `json:"html" example:"<p>Siparişiniz <strong>iki iş günü</strong> içinde kargoya verilir.</p>" doc:"Rendered Markdown; HTML in the source is left out"`
}

type importIn struct {
	Filename   string `query:"filename" required:"true" minLength:"1" maxLength:"300" example:"makaleler.zip"`
	Language   string `query:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" doc:"Language of files that do not name one; by default the help center's default language"`
	CategoryID string `query:"category_id" format:"uuid" doc:"Category for files that do not name one of the help center"`
	Publish    bool   `query:"publish" doc:"Publishes the imported articles; by default they are drafts"`
}

type searchIn struct {
	Q        string `query:"q" required:"true" minLength:"1" maxLength:"200" example:"kargo ne zaman gelir"`
	Language string `query:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" doc:"Only texts in this language"`
}

const tag = "CRM help center"

// route is a session route of the help center.
func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/help-center" + path, ID: id, Tag: tag,
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerSettings(a)
	s.registerCategories(a)
	s.registerArticles(a)
	s.registerTexts(a)

	preview := route("POST", "/preview", "preview-article", "Preview Markdown as the site shows it", perm.ArticlesView)
	preview.Doc = "Saves nothing. 422 too_complex if the source is nested too deeply or the result is too long."
	api.Handle(a, preview, func(_ context.Context, in *previewIn) (Previewed, error) {
		html, err := s.Preview(in.Body.Body)
		return Previewed{html}, err
	})

	find := route("GET", "/search", "search-articles", "Search the published articles", perm.ArticlesView)
	find.Doc = "Returns the best 20 matches. Finds inflected words by their stem, with or without Turkish letters; the last word can be incomplete. Drafts are not found."
	api.Handle(a, find, func(ctx context.Context, in *searchIn) ([]Hit, error) {
		hits, _, err := s.Search(ctx, in.Language, in.Q, "", maxHits)
		return hits, err
	})

	load := route("POST", "/import", "import-articles", "Import articles from Markdown", perm.ArticlesManage)
	load.MaxBody = maxImport
	load.Doc = "The body is one Markdown file or a zip of up to 300. A file describes itself in front matter, between two --- lines at its start (title, summary, category, language, article); otherwise its path does (language/category/name.md), and its first heading is the title. Files that name the same article become one article in several languages. A text that already exists (same title, category and language) stays unchanged and counts as skipped, so the same files can be imported again. Files that cannot become an article are listed with the reason."
	api.HandleUpload(a, load, func(ctx context.Context, in *importIn, body *api.Upload) (ImportResult, error) {
		o := ImportOptions{Filename: in.Filename, Language: in.Language, Publish: in.Publish}
		if in.CategoryID != "" {
			id, err := uuid.Parse(in.CategoryID)
			if err != nil {
				return ImportResult{}, invalidCategory()
			}
			o.CategoryID = &id
		}
		return s.Import(ctx, o, body)
	})
}

func (s *Service) registerSettings(a *api.API) {
	get := channel.Route("GET", "/help-center", "get-help-center", "Get the help center's settings and article counts", perm.ChannelsView)
	get.Doc = "Before the first PUT, the help center is not enabled and has no address."
	api.Handle(a, get, func(ctx context.Context, _ *struct{}) (Summary, error) { return s.Summary(ctx) })

	put := channel.Route("PUT", "/help-center", "update-help-center", "Change the help center", perm.ChannelsManage)
	put.Refusals = []int{409}
	put.Doc = "Changes only the fields that are sent and returns the current state. The first call creates the site and needs a title. An accent colour that is not readable on white is refused (low_contrast)."
	api.Handle(a, put, func(ctx context.Context, in *changeIn) (Summary, error) { return s.Change(ctx, in.Body) })

	logo := channel.Route("POST", "/help-center/logo", "set-help-center-logo", "Set the help center's logo", perm.ChannelsManage)
	logo.MaxBody = maxLogo
	logo.Doc = "The body is a PNG, JPEG or WebP image. 404 if the help center is not set up yet."
	logo.Refusals = []int{404}
	api.HandleUpload(a, logo, func(ctx context.Context, _ *struct{}, body *api.Upload) (Summary, error) { return s.SetLogo(ctx, body) })

	drop := channel.Route("DELETE", "/help-center/logo", "remove-help-center-logo", "Remove the help center's logo", perm.ChannelsManage)
	drop.Refusals = []int{404}
	api.Handle(a, drop, func(ctx context.Context, _ *struct{}) (Summary, error) { return s.DropLogo(ctx) })
}

func (s *Service) registerCategories(a *api.API) {
	list := route("GET", "/categories", "list-help-categories", "List the categories of the help center", perm.ArticlesView)
	list.Ascending = true
	api.HandlePage(a, list, s.Categories)
	create := route("POST", "/categories", "create-help-category", "Create a category", perm.ArticlesManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	api.Handle(a, create, func(ctx context.Context, in *createCategoryIn) (Category, error) { return s.AddCategory(ctx, in.Body) })
	api.Handle(a, route("GET", "/categories/{id}", "get-help-category", "Get a category", perm.ArticlesView),
		func(ctx context.Context, in *categoryIn) (Category, error) { return s.Category(ctx, in.ID.UUID) })
	update := route("PUT", "/categories/{id}", "update-help-category", "Change a category", perm.ArticlesManage)
	update.Refusals = []int{409}
	api.Handle(a, update, func(ctx context.Context, in *updateCategoryIn) (Category, error) {
		return s.ChangeCategory(ctx, in.ID.UUID, in.Body)
	})
	drop := route("DELETE", "/categories/{id}", "delete-help-category", "Delete an empty category", perm.ArticlesManage)
	drop.Refusals = []int{409}
	drop.Doc = "409 with the reason has_articles if the category has articles."
	api.Handle(a, drop, func(ctx context.Context, in *categoryIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteCategory(ctx, in.ID.UUID)
	})
}
