package identity_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		k := addKey(w, map[string]any{})
		s.Clock.Advance(time.Minute)
		middle := s.Clock.Now()
		w.Owner.Post(keys+"/"+k.ID.String()+"/rotate", nil).Want(200)
		w.Owner.Do("PUT", roles, map[string]any{"name": "lead", "title": "Lead", "permissions": []string{"identity.audit.view"}}).Want(200)
		w.Owner.Delete(keys + "/" + k.ID.String()).Want(200)
		other.Owner.Post(auth+"/apps", map[string]any{
			"name": "Field service", "redirect_uris": []string{"https://field.example.com/callback"}, "scopes": []string{"contacts.read"},
		}).Want(201)

		read := func(filter url.Values) (out []string) {
			t.Helper()
			cursor := ""
			for page := 0; page == 0 || cursor != ""; page++ {
				filter.Set("limit", "2")
				filter.Del("cursor")
				if cursor != "" {
					filter.Set("cursor", cursor)
				}
				var lines []identity.AuditLine
				resp := w.Owner.Get(auth + "/audit?" + filter.Encode()).Want(200).Data(&lines)
				for _, l := range lines {
					if strings.HasPrefix(l.Action, "session.") {
						continue // signing in is none of this test's
					}
					out = append(out, l.Action)
					if l.Actor.Name == nil || *l.Actor.Name != "Owner of demo" || l.TraceID == "" {
						t.Errorf("got %+v", l)
					}
				}
				cursor = resp.NextCursor()
			}
			return out
		}
		for _, tc := range []struct {
			filter url.Values
			want   []string
		}{
			{url.Values{}, []string{"api_key.revoked", "role.changed", "api_key.rotated", "api_key.created"}},
			{url.Values{"action": {"api_key.*"}}, []string{"api_key.revoked", "api_key.rotated", "api_key.created"}},
			{url.Values{"action": {"api_key.created"}}, []string{"api_key.created"}},
			{url.Values{"action": {"api.*"}}, nil},
			{url.Values{"object": {"lead"}}, []string{"role.changed"}},
			{url.Values{"from": {middle.Format(time.RFC3339)}, "action": {"api_key.*"}}, []string{"api_key.revoked", "api_key.rotated"}},
			{url.Values{"to": {middle.Format(time.RFC3339)}, "action": {"api_key.*"}}, []string{"api_key.created"}},
			{url.Values{"actor": {w.Member.String()}, "action": {"role.changed"}}, []string{"role.changed"}},
			{url.Values{"actor": {other.Member.String()}}, nil},
		} {
			if diff := cmp.Diff(tc.want, read(tc.filter)); diff != "" {
				t.Errorf("%v: %s", tc.filter, diff)
			}
		}
		if body := w.Owner.Get(auth + "/audit").Want(200).Body; strings.Contains(string(body), k.Key) {
			t.Error("a key is in the audit log")
		}
		for _, query := range []string{"actor=me", "from=yesterday", "action=Api", "colour=red"} {
			w.Owner.Get(auth+"/audit?"+query).Refused(422, "validation_failed")
		}
		w.Guest().Get(auth+"/audit").Refused(403, "forbidden")
	})
}
