package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/perm"
)

// Characters that a database cannot store are refused under the argument's name, by every
// tool.
func TestUnstorableCharactersInArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, _ := begin(w, "Kargom nerede?")
		key := w.FullKey()
		for field, c := range map[string]struct {
			tool string
			args map[string]any
		}{
			"body":   {"draft_reply", map[string]any{"conversation_id": id, "body": "a\x00b"}},
			"add[1]": {"tag_conversation", map[string]any{"conversation_id": id, "add": []string{"x", "y\x00"}}},
			"tag":    {"list_conversations", map[string]any{"tag": "\x00"}},
			"query":  {"search_contacts", map[string]any{"query": "\x00elif"}},
		} {
			r := call(t, key, c.tool, c.args)
			if r.refused(t, "validation_failed"); !strings.Contains(r.text, `"fields":{"`+field+`":["invalid_character"]}`) {
				t.Errorf("%s: %s", c.tool, r.text)
			}
		}
		call(t, key, "tag_conversation", map[string]any{"conversation_id": id, "add": []string{""}}).refused(t, "validation_failed")
		call(t, key, "get_conversation", map[string]any{"conversation_id": id}).want(t, `"tags":[]`)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_contacts","arguments":{"query":"` + "\xff" + `"}}}`
		key.Header("Accept", "application/json, text/event-stream").Post("/mcp", body).Want(http.StatusBadRequest)
		r := s.Client("key_live_none").Post("/mcp", body)
		if r.Want(401); !strings.Contains(r.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
			t.Errorf("the challenge is %q", r.Header.Get("WWW-Authenticate"))
		}
	})
}

// However an id is spelled, the audit log names the record.
func TestAuditNamesTheRecord(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, customer := begin(w, "Kargom nerede?")
		key := w.FullKey()
		for _, spelling := range []string{id, "{" + id + "}", strings.ToUpper(id), "urn:uuid:" + id, strings.ReplaceAll(id, "-", "")} {
			call(t, key, "get_conversation", map[string]any{"conversation_id": spelling}).want(t, "Kargom nerede?")
		}
		call(t, key, "get_contact", map[string]any{"contact_id": "{" + customer + "}"}).want(t, customer)
		// If a call has two ids, the audit log names the one that was read.
		other, _ := begin(w, "Faturam nerede?")
		twice := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_conversation","arguments":{"conversation_id":"` + id + `","conversation_id":"` + other + `"}}}`
		read := string(key.Header("Accept", "application/json, text/event-stream").Post("/mcp", twice).Want(200).Body)
		named := map[string]int{}
		var lines []identity.AuditLine
		w.Owner.Get("/api/v1/auth/audit?action=mcp.called").Want(200).Data(&lines)
		for _, l := range lines {
			named[l.Object]++
		}
		first, last := strings.Contains(read, "Kargom"), strings.Contains(read, "Faturam")
		want := map[string]int{id: 5, customer: 1, other: 0}
		switch {
		case first && !last:
			want[id]++
		case last && !first:
			want[other]++
		}
		for object, n := range want {
			if named[object] != n {
				t.Errorf("%s is named %d times instead of %d: %v\n%s", object, named[object], n, named, read)
			}
		}
	})
}

// A caller who may change conversations but not see them gets only the id and the state.
func TestChangeWithoutViewPermission(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id, _ := begin(w, "Kargom nerede?")
		r := call(t, w.Key(false, perm.ConversationsManage), "tag_conversation", map[string]any{"conversation_id": id, "add": []string{"iade"}}).want(t)
		if want := `{"id":"` + uuid.MustParse(id).String() + `","state":"open"}`; r.text != want {
			t.Errorf("got %s, want %s", r.text, want)
		}
		call(t, w.FullKey(), "get_conversation", map[string]any{"conversation_id": id}).want(t, `"tags":["iade"]`)
	})
}
