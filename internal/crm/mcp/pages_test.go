package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"konak/internal/advisor"
	"konak/internal/app/apptest"
	"konak/internal/crm/helpcenter"
)

// moreThanAPage is the number of rows in each list of the test.
const moreThanAPage = 28

// publishArticles publishes a help center.
func publishArticles(t *testing.T, w *apptest.Workspace, center *helpcenter.Service) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	title := "Yardım"
	_, err := center.Change(w.Context(), helpcenter.SettingsChange{Title: &title, Languages: &[]string{"tr"}})
	must(err)
	c, err := center.AddCategory(w.Context(), helpcenter.CategoryInput{Slug: "kargo", Texts: []helpcenter.CategoryText{{Language: "tr", Name: "Kargo"}}})
	must(err)
	for n := range moreThanAPage {
		a, err := center.AddArticle(w.Context(), helpcenter.NewArticle{CategoryID: c.ID, Language: "tr", Words: helpcenter.Words{Title: fmt.Sprint("Kargo ", n), Body: "Kargo yolda."}})
		must(err)
		_, err = center.Publish(w.Context(), a.ID, "tr")
		must(err)
	}
}

// importProvisions imports a regulation corpus of count provisions with the same text.
func importProvisions(t *testing.T, service *advisor.Service, count int, text string) {
	t.Helper()
	var corpus bytes.Buffer
	for n := range count {
		if err := json.NewEncoder(&corpus).Encode(advisor.Provision{
			ID: fmt.Sprintf("kanun-9001:m%d", n+1), LawID: "kanun-9001", LawNo: "9001", LawTitle: "ÖRNEK KANUN", LawStatus: "in_force", LawKind: "kanun",
			Kind: "madde", No: fmt.Sprint(n + 1), Heading: "Kira bedeli", Text: text, Status: "in_force",
			GazetteDate: "2020-03-01", GazetteNo: "31000", SourceURL: "https://example.com/9001", Order: n,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := service.Import(t.Context(), advisor.BytesSource("test", corpus.Bytes()), advisor.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
}

// readPage reads a page of a list and returns the ids of the rows, with their language if
// they have one, and the cursor.
func readPage(t *testing.T, c *apptest.Client, tool, rows string, args map[string]any) (ids []string, cursor string) {
	t.Helper()
	var out map[string]json.RawMessage
	if err := json.Unmarshal([]byte(call(t, c, tool, args).want(t).text), &out); err != nil {
		t.Fatal(err)
	}
	var list []struct{ ID string }
	if err := json.Unmarshal(out[rows], &list); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if next, more := out["next_cursor"]; more {
		if err := json.Unmarshal(next, &cursor); err != nil || cursor == "" {
			t.Fatalf("%s: next_cursor is %s, %v", tool, next, err)
		}
	}
	for _, row := range list {
		ids = append(ids, row.ID)
	}
	return ids, cursor
}

// Every list and every search continues where the previous page ended, to the last row. A
// cursor of another tool or workspace is refused.
func TestListsArePaged(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for range moreThanAPage {
			begin(w, "Siparişim nerede?")
		}
		w.Guest()
		publishArticles(t, w, s.HelpCenter)
		importProvisions(t, s.Advisor, moreThanAPage, "Kira bedelinin artışı sınırlıdır.")
		s.Settle()
		key, other := w.FullKey(), s.Workspace("acme").FullKey()
		var ofList string
		for _, list := range []struct {
			tool, rows string
			args       map[string]any
			limit, all int
		}{
			{"list_conversations", "conversations", map[string]any{"state": "open"}, 25, moreThanAPage},
			{"search_conversations", "conversations", map[string]any{"query": "siparişim"}, 25, moreThanAPage},
			{"search_contacts", "contacts", map[string]any{"query": "elif"}, 25, moreThanAPage},
			{"list_agents", "agents", map[string]any{}, 1, 2},
			{"search_articles", "articles", map[string]any{"query": "kargo"}, 25, moreThanAPage},
			{"search_provisions", "provisions", map[string]any{"query": "kira"}, 25, moreThanAPage},
		} {
			args := maps.Clone(list.args)
			args["limit"] = list.limit
			seen := map[string]bool{}
			first, cursor := readPage(t, key, list.tool, list.rows, args)
			if list.tool == "list_conversations" {
				ofList = cursor
			}
			args["cursor"] = cursor
			rest, end := readPage(t, key, list.tool, list.rows, args)
			for _, id := range append(first, rest...) {
				seen[id] = true
			}
			if len(first) != list.limit || len(first)+len(rest) != list.all || len(seen) != list.all || end != "" {
				t.Errorf("%s: %d and %d rows, %d of them different, then %q", list.tool, len(first), len(rest), len(seen), end)
			}
			args["cursor"] = "zz"
			call(t, key, list.tool, args).refused(t, "validation_failed")
		}
		call(t, key, "search_conversations", map[string]any{"query": "siparişim", "cursor": ofList}).refused(t, "validation_failed")
		call(t, other, "list_conversations", map[string]any{"cursor": ofList}).refused(t, "validation_failed")
	})
}
