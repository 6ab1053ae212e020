package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// outside are the routes that are not part of the API, and so not of its document: those of
// other standards are tested in their own packages.
var outside = []string{"GET /healthz", "GET /readyz", "GET /openapi.json", "GET /docs", "GET /docs/*", "POST /mcp"}

// TestRoutesAreDocumented compares the router with the document, both ways: a route that
// the document lacks would escape the test.
func TestRoutesAreDocumented(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	b, err := s.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, op := range readDocument(t, b).operations {
		documented[op.method+" "+op.path] = false
	}
	err = chi.Walk(s.API.Mux(), func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		key := method + " " + path
		if _, ok := documented[key]; ok {
			documented[key] = true
			return nil
		}
		// A browser's preflight request is part of the call.
		asked := slices.ContainsFunc(slices.Collect(maps.Keys(documented)), func(k string) bool { return strings.HasSuffix(k, " "+path) })
		if !slices.Contains(outside, key) && (method != http.MethodOptions || !asked) {
			t.Errorf("%s is served and not documented", key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, served := range documented {
		if !served {
			t.Errorf("%s is documented and not served", key)
		}
	}
}

// foreignIDs puts ids of the other tenant wherever an operation takes an id outside its
// path: each answer must be the same as for an id that nobody has. Operations that create
// or act without any id are called as well, for their answer.
func (w *isolation) foreignIDs() {
	w.t.Helper()
	w.mine.Sample("bizimki")
	w.s.Settle()
	ids := w.everyID()
	tried := 0
	for _, op := range w.doc.operations {
		if streams(op) {
			continue
		}
		fields := w.idFields(op)
		for _, f := range fields {
			w.foreignID(op, f, ids)
			tried++
		}
		if len(fields) == 0 && op.method != "GET" && w.path(op, func(string) string { return "x" }) == op.path {
			w.send(op, w.body(op), w.query(op))
		}
	}
	if tried < 50 {
		w.t.Errorf("only %d ids beside paths were tried", tried)
	}
}

// foreignID tries one field of one operation.
func (w *isolation) foreignID(op operation, field []string, ids map[string]uuid.UUID) {
	w.t.Helper()
	nobody := uuid.NewString()
	absent := w.sendID(op, field, nobody)
	if absent.Status < 300 && op.method != "GET" {
		// It created something; the answer to a second call counts.
		nobody = uuid.NewString()
		absent = w.sendID(op, field, nobody)
	}
	for table, id := range candidates(field, ids) {
		foreign := w.sendID(op, field, id.String())
		a, f := answer(op, absent, nobody), answer(op, foreign, id.String())
		if a != f {
			w.t.Errorf("%s %s: a foreign %s in %s is told apart from an id that nobody has:\n%s\n%s",
				op.method, op.path, table, strings.Join(field, "."), a, f)
		}
	}
}

// answer is what two calls are compared by. Fields that a write creates are left out.
func answer(op operation, r *apptest.Response, id string) string {
	if r.Status < 300 && op.method != "GET" {
		return fmt.Sprint(r.Status)
	}
	return fmt.Sprint(r.Status, " ", strings.ReplaceAll(scrub(r.Body), id, "ID"))
}

// everyID returns one id of each table of the other tenant, and the tenant's own.
func (w *isolation) everyID() map[string]uuid.UUID {
	out := map[string]uuid.UUID{"tenant": w.theirs.ID}
	for table, columns := range dbtest.Tables(w.t, w.s.DB) {
		if slices.Contains(columns, "tenant_id") && slices.Contains(columns, "id") {
			if id, ok := dbtest.AnyID(w.t, w.s.DB, table, w.theirs.ID); ok {
				out[table] = id
			}
		}
	}
	return out
}

// candidates returns the records that a field may name: those of the table that its name
// mentions, else all.
func candidates(field []string, ids map[string]uuid.UUID) map[string]uuid.UUID {
	name := ""
	for _, part := range field {
		if part != each {
			name = part
		}
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "s"), "id"), "_")
	out := map[string]uuid.UUID{}
	for table, id := range ids {
		if stem != "" && strings.Contains(table, stem) {
			out[table] = id
		}
	}
	if len(out) == 0 {
		return ids
	}
	return out
}

// each stands for the elements of a list, and inQuery for the address.
const (
	each    = "[]"
	inQuery = "?"
)

// idFields finds where an operation takes ids outside its path.
func (w *isolation) idFields(op operation) (out [][]string) {
	for _, p := range op.Parameters {
		items, _ := p.Schema["items"].(map[string]any)
		if p.In == "query" && (p.Schema["format"] == "uuid" || items["format"] == "uuid") {
			out = append(out, []string{inQuery, p.Name})
		}
	}
	if op.RequestBody != nil {
		if media, ok := op.RequestBody.Content["application/json"]; ok {
			out = append(out, w.doc.ids(media.Schema, nil, nil)...)
		}
	}
	return out
}

func (d *document) ids(schema map[string]any, at, within []string) (out [][]string) {
	if ref, ok := schema["$ref"].(string); ok {
		if slices.Contains(within, ref) {
			return nil
		}
		return d.ids(d.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]], at, append(slices.Clip(within), ref))
	}
	if schema["format"] == "uuid" {
		return [][]string{at}
	}
	props, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		out = append(out, d.ids(props[name].(map[string]any), append(slices.Clip(at), name), within)...)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		out = append(out, d.ids(items, append(slices.Clip(at), each), within)...)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		for _, one := range list {
			out = append(out, d.ids(one.(map[string]any), at, within)...)
		}
	}
	return out
}

// sendID calls an operation with an id in one of its fields, on a record of the caller's
// own.
func (w *isolation) sendID(op operation, field []string, id string) *apptest.Response {
	w.t.Helper()
	if field[0] == inQuery {
		query := w.query(op)
		if query == "" {
			query = "?"
		} else {
			query += "&"
		}
		return w.send(op, w.body(op), query+url.Values{field[1]: {id}}.Encode())
	}
	body, ok := w.body(op).(map[string]any)
	if !ok {
		w.t.Fatalf("%s %s: the body is no object", op.method, op.path)
	}
	return w.send(op, w.put(op, op.RequestBody.Content["application/json"].Schema, body, field, id), w.query(op))
}

// put sets a value deep in a body, creating its parents from the examples.
func (w *isolation) put(op operation, schema map[string]any, body any, field []string, id string) any {
	for schema["$ref"] != nil {
		ref := schema["$ref"].(string)
		schema = w.doc.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]]
	}
	if list, ok := schema["anyOf"].([]any); ok {
		return w.put(op, list[0].(map[string]any), body, field, id)
	}
	if len(field) == 0 {
		return id
	}
	if field[0] == each {
		items := schema["items"].(map[string]any)
		inner, _ := w.doc.example(items)
		return []any{w.put(op, items, inner, field[1:], id)}
	}
	out := map[string]any{}
	if given, ok := body.(map[string]any); ok {
		maps.Copy(out, given)
	} else if made, err := w.doc.example(schema); err == nil {
		if given, ok := made.(map[string]any); ok {
			maps.Copy(out, given)
		}
	}
	inner := schema["properties"].(map[string]any)[field[0]].(map[string]any)
	out[field[0]] = w.put(op, inner, out[field[0]], field[1:], id)
	return out
}

// send calls an operation as a member of mine who may do everything, with a new session:
// some operations end it.
func (w *isolation) send(op operation, body any, query string) *apptest.Response {
	w.t.Helper()
	caller := w.mine.FullKey
	if op.Access != "api_key" {
		caller = func() *apptest.Client { return w.mine.SignIn("owner@mine.example") }
	}
	path := w.path(op, func(record string) string {
		id, ok := dbtest.AnyID(w.t, w.s.DB, record, w.mine.ID)
		if !ok {
			return uuid.NewString() // gone by an operation before this one
		}
		return id.String()
	})
	resp := caller().Do(op.method, path+query, body)
	if strings.Contains(string(resp.Body), canary) {
		w.t.Errorf("%s %s: the other tenant's text is in the answer", op.method, op.path)
	}
	if resp.Status == http.StatusInternalServerError {
		text, _ := json.Marshal(body)
		w.t.Errorf("%s %s%s with %s: %d %s", op.method, op.path, query, text, resp.Status, resp.Body)
	}
	return resp
}
