package advisor

import (
	"context"
	"net/url"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type searchIn struct {
	Q      string   `query:"q" required:"true" minLength:"1" maxLength:"512" doc:"Search query: a question, words or a citation such as TTK m. 376" example:"kıdem tazminatı"`
	Limit  int      `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Number of hits to return"`
	Cursor string   `query:"cursor" maxLength:"512" doc:"The next_cursor of the previous page, with the same query"`
	Kinds  []string `query:"tur,explode" maxItems:"6" enum:"kanun,anayasa,khk,cbk,yonetmelik,teblig" doc:"Kinds of legislation; can be repeated"`
	Laws   []string `query:"mevzuat,explode" maxItems:"50" doc:"Ids of laws; can be repeated"`
	Status string   `query:"durum" enum:"yururlukte,mulga,hepsi" default:"yururlukte" doc:"In force, repealed or all"`
	Day    string   `query:"tarih" maxLength:"10" doc:"Search the texts as they stood on this day (YYYY-MM-DD)"`
	From   string   `query:"rg_from" maxLength:"10" doc:"Earliest gazette day of the law (YYYY-MM-DD)"`
	To     string   `query:"rg_to" maxLength:"10" doc:"Latest gazette day of the law, inclusive (YYYY-MM-DD)"`
	Facets bool     `query:"facets" doc:"Count the hits by kind and law"`
	Marks  bool     `query:"vurgu" default:"true" doc:"Mark matches in the snippet with <em>"`
}

type searchOut struct {
	api.Traced
	Data       []Hit                `json:"data" nullable:"false"`
	NextCursor *string              `json:"next_cursor" nullable:"true" doc:"Cursor of the next page; null on the last page"`
	Total      int                  `json:"total" doc:"Number of provisions relevant enough to be shown" example:"120"`
	Facets     api.Nullable[Facets] `json:"facets" doc:"null unless requested with facets"`
	Query      Understood           `json:"query"`
	CorpusRev  int64                `json:"corpus_rev" doc:"Corpus revision of this response" example:"3"`
}

type provisionIn struct {
	ID string `path:"id" example:"kanun-6102:m376"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	route := func(path, id, summary, doc string) api.Route {
		return api.Route{
			Method: "GET", Path: "/api/musavir/v1" + path, ID: id, Tag: "Advisor", Summary: summary, Doc: doc,
			Access: api.Session, Permission: perm.AdvisorSearch, Licence: "advisor",
		}
	}
	api.HandleBody(a, route("/arama", "search-regulations", "Search the regulations",
		"Full-text search over all provisions, ordered by relevance. Returns an empty list if nothing matches."),
		func(ctx context.Context, in *searchIn) (searchOut, error) {
			f, err := s.Search(ctx, Question{
				Text: in.Q, Kinds: in.Kinds, Laws: in.Laws, Status: in.Status, Day: in.Day, From: in.From, To: in.To,
				Facets: in.Facets, Highlight: in.Marks, Limit: in.Limit, Cursor: in.Cursor,
			})
			out := searchOut{Data: f.Hits, Total: f.Total, Query: f.Query, CorpusRev: f.Rev, Facets: api.Nullable[Facets]{V: f.Facets}}
			if f.Next != "" {
				out.NextCursor = &f.Next
			}
			return out, err
		})

	api.HandlePage(a, route("/kutuphane", "list-laws", "List the laws of the library", "The most recently updated laws come first."), s.Laws)

	api.Handle(a, route("/maddeler/{id}", "get-provision", "Get a provision",
		"Returns the full text with its neighbours, its versions and the outline of its law."),
		func(ctx context.Context, in *provisionIn) (ProvisionPage, error) {
			return s.Provision(ctx, pathID(in.ID))
		})
}

// pathID returns the id as the corpus has it: some contain a slash ("kanun-5326:m43/C"),
// which is escaped in a path.
func pathID(id string) string {
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}
