package helpcenter

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type articleIn struct {
	ID api.ID `path:"id" record:"help_article"`
}

type listArticlesIn struct {
	api.Paged
	CategoryID string `query:"category_id" format:"uuid" doc:"Only articles of this category"`
	Language   string `query:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" doc:"Only articles with a text in this language"`
	State      string `query:"state" enum:"draft,published,changed" doc:"Only articles with a text in this state"`
}

type createArticleIn struct {
	Body struct {
		CategoryID uuid.UUID `json:"category_id" format:"uuid"`
		Language   string    `json:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" example:"tr"`
		Words
	}
}

type moveArticleIn struct {
	ID   api.ID `path:"id" record:"help_article"`
	Body struct {
		CategoryID uuid.UUID `json:"category_id" format:"uuid"`
	}
}

// ByText identifies an article's text in one language.
type ByText struct {
	ID       api.ID `path:"id" record:"help_article"`
	Language string `path:"language" enum:"tr,en,de,fr,es,it,nl,ar,ru,az" example:"tr"`
}

type saveTextIn struct {
	ByText
	Body struct {
		Words
		BasedOn *int `json:"based_on,omitempty" minimum:"0" example:"3" doc:"Version that the change is based on; 409 if there is a newer one. 0 for a new text"`
	}
}

type versionsIn struct {
	api.Paged
	ByText
}

type versionIn struct {
	ByText
	Number int `path:"number" minimum:"1" maximum:"1000000" example:"1"`
}

func invalidCategory() error { return fault.Invalid("category_id", "invalid_id") }

func (s *Service) registerArticles(a *api.API) {
	api.HandleList(a, route("GET", "/articles", "list-articles", "List articles, newest first", perm.ArticlesView),
		func(ctx context.Context, in *listArticlesIn) (db.List[Listed], error) {
			q := Query{Language: in.Language, State: in.State}
			if in.CategoryID != "" {
				id, err := uuid.Parse(in.CategoryID)
				if err != nil {
					return db.List[Listed]{}, invalidCategory()
				}
				q.CategoryID = &id
			}
			return s.Articles(ctx, q, in.Page())
		})
	create := route("POST", "/articles", "create-article", "Create an article", perm.ArticlesManage)
	create.TakesKey = true
	create.Status, create.Refusals = 201, []int{409}
	create.Doc = "Creates a draft in one language. A workspace can have at most 1,000 articles."
	api.Handle(a, create, func(ctx context.Context, in *createArticleIn) (Article, error) {
		return s.AddArticle(ctx, NewArticle{CategoryID: in.Body.CategoryID, Language: in.Body.Language, Words: in.Body.Words})
	})
	api.Handle(a, route("GET", "/articles/{id}", "get-article", "Get an article with its newest texts", perm.ArticlesView),
		func(ctx context.Context, in *articleIn) (Article, error) { return s.Article(ctx, in.ID.UUID) })
	api.Handle(a, route("PUT", "/articles/{id}", "move-article", "Move an article to another category", perm.ArticlesManage),
		func(ctx context.Context, in *moveArticleIn) (Article, error) {
			return s.MoveArticle(ctx, in.ID.UUID, in.Body.CategoryID)
		})
	drop := route("DELETE", "/articles/{id}", "delete-article", "Delete an article with all its versions", perm.ArticlesManage)
	api.Handle(a, drop, func(ctx context.Context, in *articleIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteArticle(ctx, in.ID.UUID)
	})
}

func (s *Service) registerTexts(a *api.API) {
	const path = "/articles/{id}/texts/{language}"
	save := route("PUT", path, "save-article-text", "Save an article's text in a language", perm.ArticlesManage)
	save.Refusals = []int{409}
	save.Doc = "Each save creates a new version, which is the draft. The public version stays unchanged until the text is published again."
	api.Handle(a, save, func(ctx context.Context, in *saveTextIn) (Article, error) {
		return s.SaveText(ctx, in.ID.UUID, in.Language, in.Body.Words, in.Body.BasedOn)
	})
	publish := route("POST", path+"/publish", "publish-article", "Publish the newest version of a text", perm.ArticlesManage)
	publish.Doc = "Sends the event article.published. Repeating the call changes nothing."
	api.Handle(a, publish, func(ctx context.Context, in *ByText) (Article, error) { return s.Publish(ctx, in.ID.UUID, in.Language) })
	unpublish := route("POST", path+"/unpublish", "unpublish-article", "Unpublish a text", perm.ArticlesManage)
	unpublish.Doc = "Removes the text from the site and sends the event article.unpublished. Repeating the call changes nothing."
	api.Handle(a, unpublish, func(ctx context.Context, in *ByText) (Article, error) {
		return s.Unpublish(ctx, in.ID.UUID, in.Language)
	})

	list := route("GET", path+"/versions", "list-article-versions", "List the versions of a text, newest first", perm.ArticlesView)
	list.Doc = "Returns the last 50 versions and the published one."
	api.HandleList(a, list, func(ctx context.Context, in *versionsIn) (db.List[Version], error) {
		return s.Versions(ctx, in.ID.UUID, in.Language, in.Page())
	})
	api.Handle(a, route("GET", path+"/versions/{number}", "get-article-version", "Get a version of a text", perm.ArticlesView),
		func(ctx context.Context, in *versionIn) (Version, error) {
			return s.Version(ctx, in.ID.UUID, in.Language, in.Number)
		})
	restore := route("POST", path+"/versions/{number}/restore", "restore-article-version", "Restore an earlier version as the draft", perm.ArticlesManage)
	restore.Doc = "Saves its text as a new latest version."
	api.Handle(a, restore, func(ctx context.Context, in *versionIn) (Article, error) {
		return s.Restore(ctx, in.ID.UUID, in.Language, in.Number)
	})
}
