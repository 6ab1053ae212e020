package source

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type sourceIn struct {
	ID api.ID `path:"id" record:"assistant_source"`
}

type addIn struct{ Body newPage }

type uploadIn struct {
	Filename string `query:"filename" required:"true" minLength:"1" maxLength:"300" example:"garanti.pdf" doc:"File name; its extension tells HTML and Markdown apart from plain text"`
	Title    string `query:"title" maxLength:"200" example:"Garanti koşulları" doc:"Title that answers cite; defaults to the document's own title or the file name"`
}

type changeIn struct {
	ID   api.ID `path:"id" record:"assistant_source"`
	Body change
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/assistant/sources" + path, ID: id, Tag: "CRM assistant",
		Summary: summary, Access: api.Session, Permission: p, Licence: Licence,
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	all := route("GET", "", "list-assistant-sources", "List the pages and files the assistant answers from", perm.AssistantView)
	all.Ascending = true
	all.Doc = "It also answers from published help articles and from canned replies released for it."
	api.HandlePage(a, all, s.Sources)

	add := route("POST", "", "add-assistant-page", "Add a web page the assistant answers from", perm.AssistantManage)
	add.TakesKey = true
	add.Status, add.Refusals = 201, []int{409, 429}
	add.Doc = "The page is fetched at once and then every day; `state` shows the progress. At most 100 pages and files, with 1 MB of text in total and 200 kB each. 409 if the page is already a source."
	api.Handle(a, add, func(ctx context.Context, in *addIn) (Source, error) { return s.AddPage(ctx, in.Body) })

	upload := route("POST", "/files", "upload-assistant-file", "Upload a file the assistant answers from", perm.AssistantManage)
	upload.Status, upload.MaxBody, upload.Refusals = 201, maxFile, []int{409}
	upload.Doc = "PDF, Word (docx), text, Markdown or HTML. Only the text is kept. 422 on `file` if no text can be read (not_a_text, unreadable, no_text, too_large)."
	api.HandleUpload(a, upload, func(ctx context.Context, in *uploadIn, body *api.Upload) (Source, error) {
		return s.AddFile(ctx, in.Filename, in.Title, body)
	})

	api.Handle(a, route("GET", "/{id}", "get-assistant-source", "Get a page or file with the text the assistant reads", perm.AssistantView),
		func(ctx context.Context, in *sourceIn) (Text, error) { return s.Source(ctx, in.ID.UUID) })

	update := route("PATCH", "/{id}", "change-assistant-source", "Change the title or address of a source", perm.AssistantManage)
	update.Refusals = []int{409, 429}
	api.Handle(a, update, func(ctx context.Context, in *changeIn) (Source, error) { return s.Change(ctx, in.ID.UUID, in.Body) })

	again := route("POST", "/{id}/fetch", "fetch-assistant-source", "Fetch a page again", perm.AssistantManage)
	again.Refusals = []int{409, 429}
	again.Doc = "409 not_a_page for a file; upload it again instead."
	api.Handle(a, again, func(ctx context.Context, in *sourceIn) (Source, error) { return s.FetchAgain(ctx, in.ID.UUID) })

	remove := route("DELETE", "/{id}", "delete-assistant-source", "Delete a source of the assistant", perm.AssistantManage)
	remove.Doc = "The assistant no longer answers from it."
	api.Handle(a, remove, func(ctx context.Context, in *sourceIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})
}
