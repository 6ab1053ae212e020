package mcp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/kit/tooltest"
)

const crm = "/api/crm/v1"

// send posts one message of the protocol.
func send(c *apptest.Client, message any) *apptest.Response {
	return c.Header("Accept", "application/json, text/event-stream").Header("Mcp-Protocol-Version", "2025-06-18").Post("/mcp", message)
}

// listed returns the names of the tools that a client is offered.
func listed(t *testing.T, c *apptest.Client) (names []string) {
	t.Helper()
	var out struct {
		Result struct{ Tools []struct{ Name string } }
	}
	send(c, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).Want(200).Whole(&out)
	for _, tool := range out.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// result is the answer of a tool.
type result struct {
	text  string
	error struct{ Code, Reason, Permission string }
}

// call calls a tool.
func call(t *testing.T, c *apptest.Client, name string, args map[string]any) (r result) {
	t.Helper()
	var out struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	send(c, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args}}).Want(200).Whole(&out)
	if out.Error != nil {
		r.error.Code = "protocol: " + out.Error.Message
		return r
	}
	if len(out.Result.Content) != 1 {
		t.Fatalf("%s: %+v", name, out)
	}
	r.text = out.Result.Content[0].Text
	if !out.Result.IsError {
		return r
	}
	var body struct {
		Error struct{ Code, Reason, Permission string }
	}
	if err := json.Unmarshal([]byte(r.text), &body); err != nil {
		r.error.Code = "invalid: " + r.text
		return r
	}
	r.error = body.Error
	return r
}

// want fails the test unless the tool succeeded and its answer contains the parts.
func (r result) want(t *testing.T, parts ...string) result {
	t.Helper()
	if r.error.Code != "" {
		t.Fatalf("refused: %+v", r.error)
	}
	for _, p := range parts {
		if !strings.Contains(r.text, p) {
			t.Fatalf("%q is not in %s", p, r.text)
		}
	}
	return r
}

// refused fails the test unless the tool answered with this code.
func (r result) refused(t *testing.T, code string) {
	t.Helper()
	if r.error.Code != code {
		t.Fatalf("got %+v %s, want %s", r.error, r.text, code)
	}
}

// begin adds a customer's message and returns the conversation and the contact.
func begin(w *apptest.Workspace, text string) (conversation, contact string) {
	contact = w.Owner.Post(crm+"/contacts", map[string]any{"name": "Elif Kaya"}).Want(201).ID()
	return w.Owner.Post(crm+"/conversations", map[string]any{"contact_id": contact, "subject": "Kargo", "body": text}).Want(201).ID(), contact
}

var allTools = []string{
	"assign_conversation", "close_conversation", "draft_reply", "get_article", "get_contact", "get_conversation", "get_provision", "list_agents",
	"list_conversations", "search_articles", "search_contacts", "search_conversations", "search_provisions", "tag_conversation",
}

// A key is offered the tools that its permissions allow, and can call nothing else.
func TestKeyUsesOnlyPermittedTools(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, customer := begin(w, "Siparişim nerede?")
		s.Settle()
		key := w.Key(false, perm.ConversationsView)
		if got := listed(t, key); !slices.Equal(got, []string{"get_conversation", "list_conversations", "search_conversations"}) {
			t.Fatalf("offered %v", got)
		}
		call(t, key, "list_conversations", nil).want(t, id, "Kargo")
		call(t, key, "search_conversations", map[string]any{"query": "siparişim"}).want(t, id, "Siparişim nerede?")
		call(t, key, "get_conversation", map[string]any{"conversation_id": id}).want(t, "Siparişim nerede?", customer)
		for tool, needs := range map[string]perm.Permission{
			"get_contact": perm.ContactsView, "search_contacts": perm.ContactsView, "list_agents": perm.AgentsView,
			"search_articles": perm.ArticlesView, "get_article": perm.ArticlesView, "search_provisions": perm.AdvisorSearch, "get_provision": perm.AdvisorSearch,
			"draft_reply": perm.ConversationsReply, "tag_conversation": perm.ConversationsManage, "assign_conversation": perm.ConversationsAssign, "close_conversation": perm.ConversationsManage,
		} {
			r := call(t, key, tool, map[string]any{"contact_id": customer, "conversation_id": id, "query": "x"})
			r.refused(t, "forbidden")
			if r.error.Permission != string(needs) {
				t.Errorf("%s needs %q", tool, r.error.Permission)
			}
		}
		if got := listed(t, w.FullKey()); !slices.Equal(got, allTools) {
			t.Errorf("a full key is offered %v", got)
		}
		var c struct{ State string }
		if w.Owner.Get(crm + "/conversations/" + id).Want(200).Data(&c); c.State != "open" {
			t.Errorf("the conversation is %s", c.State)
		}
	})
}

// Without the licence a module's tools are not offered.
func TestToolsNeedTheLicence(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	key := w.FullKey()
	if err := s.Identity.SetLicences(t.Context(), "demo", []string{"crm"}); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, key); slices.Contains(got, "search_provisions") || !slices.Contains(got, "get_contact") {
		t.Errorf("offered %v", got)
	}
	call(t, key, "search_provisions", map[string]any{"query": "kira"}).refused(t, "not_licensed")
}

// A key tags, assigns, closes and proposes; nothing reaches the customer, and each
// call is in the audit log.
func TestKeyChangesAndProposes(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, customer := begin(w, "Kargom nerede?")
		s.Settle()
		key := w.FullKey()
		call(t, key, "get_contact", map[string]any{"contact_id": customer}).want(t, "Elif Kaya")
		call(t, key, "search_contacts", map[string]any{"query": "elif"}).want(t, customer)
		call(t, key, "list_agents", nil).want(t, w.Member.String())
		call(t, key, "tag_conversation", map[string]any{"conversation_id": id, "add": []string{"kargo"}}).want(t, "kargo")
		call(t, key, "assign_conversation", map[string]any{"conversation_id": id, "owner_id": w.Member.String()}).want(t, w.Member.String())
		call(t, key, "assign_conversation", map[string]any{"conversation_id": id, "owner_id": "me"}).refused(t, "validation_failed")
		for range 2 { // a repeat leaves no second note
			call(t, key, "draft_reply", map[string]any{"conversation_id": id, "body": "Yolda."}).want(t, `"kept":"note"`, `"sent":false`)
		}
		w.Owner.Put(crm+"/conversations/settings", map[string]any{"reopen": true, "reopen_days": nil, "csat": true}).Want(200)
		call(t, key, "close_conversation", map[string]any{"conversation_id": id}).want(t, "closed")
		call(t, key, "search_articles", map[string]any{"query": "kargo"}).want(t, "articles")
		call(t, key, "search_provisions", map[string]any{"query": "kira"}).want(t, "provisions")
		call(t, key, "get_provision", map[string]any{"provision_id": "kanun-1:m1"}).refused(t, "not_found")
		call(t, key, "get_article", map[string]any{"article_id": uuid.NewString(), "language": "tr"}).refused(t, "not_found")

		// A refused call is audited, too.
		call(t, key, "list_conversations", map[string]any{"state": "zz"}).refused(t, "validation_failed")
		call(t, w.Key(false, perm.ConversationsView), "get_contact", map[string]any{"contact_id": customer}).refused(t, "forbidden")
		call(t, key, "get_contact", map[string]any{"contact_id": customer, "tenant": "other"})
		call(t, key, "delete_everything", nil)

		// A closing through a tool sends no survey.
		s.Clock.Advance(time.Minute)
		s.Settle()
		if n := w.Owner.Get(crm + "/conversations/" + id + "/items").Want(200); strings.Contains(string(n.Body), "csat_") {
			t.Errorf("the customer was asked: %s", n.Body)
		}
		var items []struct {
			Kind       string
			Body       string
			AuthorKind string `json:"author_kind"`
		}
		w.Owner.Get(crm + "/conversations/" + id + "/items").Want(200).Data(&items)
		proposed := 0
		for _, i := range items {
			if i.Kind == "message" && i.AuthorKind != "contact" {
				t.Errorf("a message was written: %+v", i)
			}
			if i.Kind == "note" && i.AuthorKind == "api_key" && strings.Contains(i.Body, "Proposed reply") && strings.Contains(i.Body, "Yolda.") {
				proposed++
			}
		}
		if proposed != 1 {
			t.Errorf("%d proposals in %+v", proposed, items)
		}
		var audit []struct {
			Action  string
			Details map[string]any
		}
		w.Owner.Get("/api/v1/auth/audit?limit=100").Want(200).Data(&audit)
		var tools []string
		for _, line := range audit {
			if line.Action == "mcp.called" {
				tools = append(tools, line.Details["tool"].(string)+" "+line.Details["outcome"].(string))
			}
		}
		slices.Sort(tools)
		want := []string{
			"assign_conversation done", "assign_conversation validation_failed", "close_conversation done", "draft_reply done", "draft_reply done", "get_article not_found",
			"get_contact done", "get_contact forbidden", "get_contact invalid_call", "get_provision not_found", "list_agents done", "list_conversations validation_failed",
			"search_articles done", "search_contacts done", "search_provisions done", "tag_conversation done", "unknown invalid_call",
		}
		if !slices.Equal(tools, want) {
			t.Errorf("audited %v", tools)
		}
	})
}

// With a session, the proposal becomes the person's draft, and a draft they have begun
// stays.
func TestSessionProposalBecomesDraft(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, _ := begin(w, "Kargom nerede?")
		draft := func(body string) result {
			return call(t, w.Owner, "draft_reply", map[string]any{"conversation_id": id, "body": body})
		}
		draft("Yolda.").want(t, `"kept":"draft"`)
		draft("Yolda.").want(t)
		r := draft("Başka bir şey")
		if r.refused(t, "conflict"); r.error.Reason != "draft_exists" {
			t.Errorf("refused with %+v", r.error)
		}
		var c struct{ Drafts []struct{ Body string } }
		w.Owner.Get(crm + "/conversations/" + id).Want(200).Data(&c)
		if len(c.Drafts) != 1 || c.Drafts[0].Body != "Yolda." {
			t.Errorf("drafts %+v", c.Drafts)
		}
		call(t, w.Owner, "assign_conversation", map[string]any{"conversation_id": id, "owner_id": "me"}).want(t, w.Member.String())
	})
}

// Another workspace's records, and live ones for a test key, look as if they did not exist.
func TestRecordsOfOthersLookAbsent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		id, customer := begin(w, "gizlibilgi")
		s.Settle()
		for name, key := range map[string]*apptest.Client{"other": other.FullKey(), "test": w.Key(true, perm.All()...)} {
			for tool, args := range map[string]map[string]any{
				"get_conversation": {"conversation_id": id}, "get_contact": {"contact_id": customer}, "close_conversation": {"conversation_id": id},
				"tag_conversation": {"conversation_id": id, "add": []string{"x"}}, "assign_conversation": {"conversation_id": id, "owner_id": "none"},
				"draft_reply": {"conversation_id": id, "body": "x"},
			} {
				absent := map[string]any{}
				for k, v := range args {
					if absent[k] = v; v == id || v == customer {
						absent[k] = uuid.NewString()
					}
				}
				if a, b := call(t, key, tool, args), call(t, key, tool, absent); a.text != b.text || a.error.Code != "not_found" {
					t.Errorf("%s key, %s: %s, and for a random id: %s", name, tool, a.text, b.text)
				}
			}
			for tool, args := range map[string]map[string]any{
				"list_conversations": {}, "search_conversations": {"query": "gizlibilgi"}, "search_contacts": {"query": "elif"},
			} {
				if r := call(t, key, tool, args); strings.Contains(r.text, id) || strings.Contains(r.text, customer) || r.error.Code != "" {
					t.Errorf("%s key, %s: %s %+v", name, tool, r.text, r.error)
				}
			}
		}
	})
}

// An improper call, or one of an unknown caller, is refused before a tool runs.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	s.Workspace("other")
	id, _ := begin(w, "Merhaba")
	key := w.FullKey()
	list := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

	for name, c := range map[string]*apptest.Client{
		"nobody": s.Client(""), "a wrong key": s.Client("key_live_wrong"), "a cookie": s.Client("").Header("Cookie", "konak_session="+w.Owner.Token()),
		"another workspace's host": key.Host("other.crm.localhost"),
	} {
		r := send(c, list).Want(http.StatusUnauthorized)
		if got := r.Header.Get("WWW-Authenticate"); !strings.Contains(got, `resource_metadata="`) || !strings.Contains(got, "/.well-known/oauth-protected-resource/mcp") {
			t.Errorf("%s: %q", name, got)
		}
	}
	send(key.Header("Origin", "https://evil.example").Header("Sec-Fetch-Site", "cross-site"), list).Want(http.StatusForbidden)
	send(key.Host("demo.crm.localhost"), list).Want(200)
	if r := send(key.Header("Mcp-Session-Id", "somebody-elses"), list).Want(200); r.Header.Get("Mcp-Session-Id") != "" || r.Header.Get("RateLimit") == "" {
		t.Errorf("headers %v", r.Header)
	}
	send(key, []any{list, list}).Want(http.StatusBadRequest)
	// The oldest version allows batches, and so does the library.
	key.Header("Accept", "application/json, text/event-stream").Header("Mcp-Protocol-Version", "2025-03-26").Post("/mcp", []any{list, list}).Want(http.StatusBadRequest)
	send(key, strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000)).Want(http.StatusBadRequest)
	send(key, "{").Want(http.StatusBadRequest)
	send(key, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": map[string]any{"x": strings.Repeat("a", 2<<20)}}).Want(http.StatusRequestEntityTooLarge)
	key.Get("/mcp").Want(http.StatusMethodNotAllowed)
	key.Delete("/mcp").Want(http.StatusMethodNotAllowed)

	call(t, key, "draft_reply", map[string]any{"conversation_id": id, "body": strings.Repeat("a", 20_001)}).refused(t, "validation_failed")
	call(t, key, "search_conversations", map[string]any{"query": strings.Repeat("a", 201)}).refused(t, "validation_failed")
	call(t, key, "search_conversations", map[string]any{"query": " "}).refused(t, "validation_failed")
	call(t, key, "get_conversation", map[string]any{"conversation_id": "../" + id}).refused(t, "not_found")
	if r := call(t, key, "tag_conversation", map[string]any{"conversation_id": id, "add": []string{strings.Repeat("a", 500)}}); !strings.Contains(r.text, `"fields":{"add":`) {
		t.Errorf("a tag that is too long: %s", r.text)
	}
	tags := make([]string, 21)
	call(t, key, "tag_conversation", map[string]any{"conversation_id": id, "add": tags}).refused(t, "validation_failed")
	for name, r := range map[string]result{
		"an unknown tool": call(t, key, "delete_everything", nil), "an unknown argument": call(t, key, "get_conversation", map[string]any{"conversation_id": id, "tenant": "other"}),
	} {
		if r.error.Code == "" {
			t.Errorf("%s: %s", name, r.text)
		}
	}
}

// Long texts are cut, long conversations are read page by page.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	id, _ := begin(w, strings.Repeat("ş", 10_000))
	for range 35 {
		w.Owner.Post(crm+"/conversations/"+id+"/reply-as-agent", map[string]any{"body": "not", "message_type": "note"}).Want(200)
	}
	key := w.FullKey()
	var page struct {
		Items []struct {
			Text string
			Cut  bool
		}
		NextCursor string `json:"next_cursor"`
	}
	read := func(args map[string]any) {
		if err := json.Unmarshal([]byte(call(t, key, "get_conversation", args).want(t).text), &page); err != nil {
			t.Fatal(err)
		}
	}
	if read(map[string]any{"conversation_id": id}); len(page.Items) != 30 || page.NextCursor == "" {
		t.Fatalf("%d items, next %q", len(page.Items), page.NextCursor)
	}
	read(map[string]any{"conversation_id": id, "cursor": page.NextCursor})
	last := page.Items[len(page.Items)-1]
	if len(page.Items) > 8 || !slices.ContainsFunc(page.Items, func(i struct {
		Text string
		Cut  bool
	},
	) bool {
		return i.Cut && len(i.Text) == 4000
	}) {
		t.Errorf("%d items, the last %v of %d bytes", len(page.Items), last.Cut, len(last.Text))
	}

	importProvisions(t, s.Advisor, 1, strings.Repeat("ş", 20_001))
	var provision struct {
		Text string
		Cut  bool
	}
	if err := json.Unmarshal([]byte(call(t, key, "get_provision", map[string]any{"provision_id": "kanun-9001:m1"}).want(t).text), &provision); err != nil {
		t.Fatal(err)
	}
	if !provision.Cut || len(provision.Text) != 40_000 {
		t.Errorf("a long provision: cut is %v, %d bytes", provision.Cut, len(provision.Text))
	}
}

// The official client of the protocol connects unmodified, with a limited key.
func TestNodeClient(t *testing.T) {
	t.Parallel()
	s := apptest.NewPublic(t, db.SQLite)
	w := s.Workspace("demo")
	id, _ := begin(w, "Siparişim nerede?")
	s.Settle()
	key := w.Key(false, perm.ConversationsView, perm.ConversationsReply)
	out := tooltest.RunNode(t, "../../..", "@modelcontextprotocol/sdk", "testdata/client.cjs", s.URL+"/mcp", key.Token(), id)
	var got struct {
		Server, Announces, Named, Read, Found, Draft, Refused, Unauthorized string
		Tools                                                               []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	slices.Sort(got.Tools)
	if got.Server != "konak" || got.Announces != `{"tools":{}}` || got.Named != "conversation_id,cursor" || got.Read != id || got.Found != id || got.Draft != "note" || got.Refused != "forbidden" || got.Unauthorized == "" ||
		!slices.Equal(got.Tools, []string{"draft_reply", "get_conversation", "list_conversations", "search_conversations"}) {
		t.Errorf("the client saw %+v", got)
	}
}
