package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
)

// configuration are the records that keys of the test environment may read. All other live
// records are absent for them.
var configuration = []string{"channel_account", "webhook_endpoint", "webhook_recovery"}

// TestTestKeysSeeNoLiveRecords calls every operation that takes a key with a key of
// the test environment and the ids of live records. It is generated from the
// document, as TestAccessToEveryOperation is.
func TestTestKeysSeeNoLiveRecords(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		b, err := s.API.Document()
		if err != nil {
			t.Fatal(err)
		}
		live := s.Workspace("mine")
		w := &isolation{t: t, s: s, doc: readDocument(t, b), mine: live, theirs: live}
		live.Sample(canary)
		s.Settle()
		read := func() (all []string) {
			var list []struct{ ID string }
			live.Owner.Get("/api/crm/v1/conversations").Want(200).Data(&list)
			for _, c := range list {
				path := "/api/crm/v1/conversations/" + c.ID
				for _, part := range []string{"", "/items", "/participants", "/attributes"} {
					all = append(all, scrub(live.Owner.Get(path+part).Body))
				}
			}
			if len(list) == 0 {
				t.Fatal("the sample has no conversation")
			}
			return all
		}
		before := read()
		// One live record of each kind, before the key creates any.
		ids := map[string]string{}
		for _, op := range w.doc.operations {
			for _, p := range op.Parameters {
				if p.In == "path" && p.Record != "" && ids[p.Record] == "" {
					id, _ := dbtest.AnyID(t, s.DB, p.Record, live.ID)
					ids[p.Record] = id.String()
				}
			}
		}
		livePath := func(op operation) string { return w.path(op, func(record string) string { return ids[record] }) }
		key := live.Key(true, perm.All()...)
		tried, listed := 0, 0
		for _, op := range w.doc.operations {
			if !slices.Contains([]string{"api_key", "session_or_key", "keyless"}, op.Access) || streams(op) {
				continue
			}
			var records []string
			for _, p := range op.Parameters {
				if p.In == "path" && p.Record != "" && !slices.Contains(configuration, p.Record) {
					records = append(records, p.Record)
				}
			}
			hasConfiguration := len(records) == 0 && strings.Contains(op.path, "{")
			if strings.HasSuffix(op.path, "/resend") || hasConfiguration && op.method != "GET" {
				continue // the webhooks' own tests have these
			}
			call := func(path string) *apptest.Response {
				r := key.Do(op.method, path+w.query(op), w.body(op))
				if !hasConfiguration && strings.Contains(string(r.Body), canary) {
					t.Errorf("%s %s: live text is in the answer: %s", op.method, op.path, r.Body)
				}
				return r
			}
			if len(records) == 0 {
				call(livePath(op))
				listed++
				continue
			}
			// Live records cannot be distinguished from records that never existed.
			absent := w.path(op, func(record string) string {
				if slices.Contains(configuration, record) {
					return ids[record]
				}
				return uuid.NewString()
			})
			if a, l := call(absent).Want(404), call(livePath(op)).Want(404); scrub(a.Body) != scrub(l.Body) {
				t.Errorf("%s %s: a live id is told apart from a random one:\n%s\n%s", op.method, op.path, a.Body, l.Body)
			}
			tried++
		}
		if tried < 15 || listed < 5 {
			t.Errorf("tried %d operations with an id and %d without", tried, listed)
		}
		var after []string
		for _, text := range read() {
			if strings.Contains(text, canary) { // what the test key made has none
				after = append(after, text)
			}
		}
		before = slices.DeleteFunc(before, func(text string) bool { return !strings.Contains(text, canary) })
		if diff := cmp.Diff(before, after); diff != "" || len(before) == 0 {
			t.Errorf("live records changed: %s", diff)
		}
	})
}
