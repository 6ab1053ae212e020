package app_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// canary is text of one tenant that another must never see.
const canary = "kanaryakusu"

// isolation calls every operation of the document with two tenants.
type isolation struct {
	t   *testing.T
	s   *apptest.Server
	doc *document
	// mine calls; theirs holds the canary.
	mine, theirs *apptest.Workspace
	// powerless is a member and a key of mine without any permission.
	powerlessMember, powerlessKey *apptest.Client
}

// TestAccessToEveryOperation checks, for every operation that the document lists, who is refused and how. It
// is generated from the document: a new route is covered without touching it, and a route
// whose parameters it cannot fill fails it.
func TestAccessToEveryOperation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		b, err := s.API.Document()
		if err != nil {
			t.Fatal(err)
		}
		w := &isolation{t: t, s: s, doc: readDocument(t, b), mine: s.Workspace("mine"), theirs: s.Workspace("theirs")}
		w.theirs.Sample(canary)
		s.Settle()
		w.powerlessMember, w.powerlessKey = w.mine.Guest(), w.mine.Key(false)
		before := dbtest.Dump(t, s.DB, w.theirs.ID)
		if !strings.Contains(before, canary) {
			t.Fatal("the sample holds no canary")
		}
		for _, op := range w.doc.operations {
			w.operation(op)
		}
		w.foreignIDs()
		if diff := cmp.Diff(before, dbtest.Dump(t, s.DB, w.theirs.ID)); diff != "" {
			t.Errorf("the other tenant's rows changed:\n%s", diff)
		}
		if strings.Contains(s.Logs.String(), canary) {
			t.Error("the other tenant's text is in the log")
		}
	})
}

func (w *isolation) operation(op operation) {
	w.t.Helper()
	body, query := w.body(op), w.query(op)
	random := w.path(op, func(string) string { return uuid.NewString() })
	// A parameter that names no record, such as the kind of a channel, does not count.
	hasID := slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.In == "path" && p.Record != "" })
	call := func(c *apptest.Client, path string) *apptest.Response {
		resp := c.Do(op.method, path+query, body)
		if strings.Contains(string(resp.Body), canary) {
			w.t.Errorf("%s %s: the other tenant's text is in the answer", op.method, op.path)
		}
		return resp
	}
	nobody := w.s.Client("")
	switch op.Access {
	case "public":
		call(nobody, random)
		return
	case "keyless":
		if hasID {
			call(nobody, random).Want(404)
			// Even the right id is absent on another tenant's host.
			call(nobody.Host("mine.erp.localhost"), w.keylessPath(op)).Want(404)
		}
	default:
		call(nobody, random).Refused(401, "unauthenticated")
	}
	// A credential on the wrong tenant's host is refused.
	call(w.caller(op).Host("theirs.crm.localhost"), random).Refused(401, "unauthenticated")

	if op.Permission != "" {
		weak := w.powerlessMember
		if op.Access == "api_key" {
			weak = w.powerlessKey
		}
		if got := call(weak, random).Refused(403, "forbidden"); got.Permission != op.Permission {
			w.t.Errorf("%s %s: 403 names %q, not %q", op.method, op.path, got.Permission, op.Permission)
		}
	}
	if hasID {
		absent := call(w.caller(op), random).Want(404)
		foreign := call(w.caller(op), w.theirPath(op)).Want(404)
		if a, f := scrub(absent.Body), scrub(foreign.Body); a != f {
			w.t.Errorf("%s %s: another tenant's id is told apart from a random one:\n%s\n%s", op.method, op.path, a, f)
		}
		call(w.caller(op), w.path(op, func(string) string { return "no-uuid" })).Want(404)
		return
	}
	if op.method == "GET" && !streams(op) {
		call(w.caller(op), random) // lists: no canary
	}
}

// streams reports that the answer has no end.
func streams(op operation) bool {
	ok, _ := op.Responses["200"].(map[string]any)
	content, _ := ok["content"].(map[string]any)
	_, is := content["text/event-stream"]
	return is
}

// caller may call the operation in its own tenant.
func (w *isolation) caller(op operation) *apptest.Client {
	if op.Access == "api_key" {
		return w.mine.FullKey()
	}
	return w.mine.Owner
}

func (w *isolation) theirPath(op operation) string {
	return w.path(op, func(record string) string {
		id, ok := dbtest.AnyID(w.t, w.s.DB, record, w.theirs.ID)
		if !ok {
			w.t.Errorf("%s %s: the sample wrote no %s", op.method, op.path, record)
			return uuid.NewString()
		}
		return id.String()
	})
}

// keylessPath is theirPath with an id that grants a call without a credential.
func (w *isolation) keylessPath(op operation) string {
	base, end, ok := strings.Cut(op.path, "/webhooks/{id}")
	if !ok {
		return w.theirPath(op)
	}
	var list []struct {
		KeylessID uuid.UUID `json:"keyless_id"`
	}
	if w.theirs.Owner.Get(base + "/webhooks").Want(200).Data(&list); len(list) == 0 || list[0].KeylessID == uuid.Nil {
		w.t.Fatalf("%s %s: the sample has no keyless id", op.method, op.path)
	}
	return base + "/webhooks/" + list[0].KeylessID.String() + end
}

var placeholder = regexp.MustCompile(`\{[^}]+\}`)

// path fills the ids of a path. A parameter that names a record says so; any
// other must have an example.
func (w *isolation) path(op operation, id func(record string) string) string {
	return placeholder.ReplaceAllStringFunc(op.path, func(m string) string {
		i := slices.IndexFunc(op.Parameters, func(p parameter) bool { return p.In == "path" && "{"+p.Name+"}" == m })
		if i < 0 {
			w.t.Fatalf("%s %s: %s is not described", op.method, op.path, m)
		}
		p := op.Parameters[i]
		if p.Record != "" {
			return id(p.Record)
		}
		v, err := w.doc.example(p.Schema)
		if err != nil {
			w.t.Fatalf("%s %s: the test cannot fill %s: it names no record (tag record) and %v", op.method, op.path, m, err)
		}
		return fmt.Sprint(v)
	})
}

// query fills the parameters without which an operation refuses every call.
func (w *isolation) query(op operation) string {
	values := url.Values{}
	for _, p := range op.Parameters {
		if p.In != "query" || !p.Required {
			continue
		}
		v, err := w.doc.example(p.Schema)
		if err != nil {
			w.t.Fatalf("%s %s: the test cannot fill %s: %v", op.method, op.path, p.Name, err)
		}
		values.Set(p.Name, fmt.Sprint(v))
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

func (w *isolation) body(op operation) any {
	if op.RequestBody == nil {
		return nil
	}
	media, ok := op.RequestBody.Content["application/json"]
	if !ok {
		return "sample"
	}
	v, err := w.doc.example(media.Schema)
	if err != nil {
		w.t.Fatalf("%s %s: no example body: %v", op.method, op.path, err)
	}
	return v
}

// example builds a value from the examples of a schema.
func (d *document) example(schema map[string]any) (any, error) {
	if ref, ok := schema["$ref"].(string); ok {
		return d.example(d.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]])
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := schema[key].([]any); ok && len(list) > 0 {
			return list[0], nil
		}
	}
	if v, ok := schema["default"]; ok {
		return v, nil
	}
	if _, choice := schema["anyOf"]; choice {
		return nil, nil // an object or null
	}
	typ, _ := schema["type"].(string)
	if list, ok := schema["type"].([]any); ok && len(list) > 0 {
		typ, _ = list[0].(string)
	}
	switch typ {
	case "object":
		out := map[string]any{}
		required, _ := schema["required"].([]any)
		props, _ := schema["properties"].(map[string]any)
		for _, name := range required {
			v, err := d.example(props[name.(string)].(map[string]any))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out[name.(string)] = v
		}
		return out, nil
	case "array":
		v, err := d.example(schema["items"].(map[string]any))
		return []any{v}, err
	case "boolean":
		return true, nil
	case "string":
		switch schema["format"] {
		case "uuid":
			return uuid.NewString(), nil
		case "date-time":
			return "2026-11-16T09:00:00Z", nil
		}
	}
	return nil, fmt.Errorf("a %s without an example", typ)
}

// scrub removes what differs between any two answers.
func scrub(body []byte) string {
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		return string(body)
	}
	delete(v, "trace_id")
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestEveryTenantTableHasTenantID compares the list of global tables with the schema: every other table belongs
// to a tenant.
func TestEveryTenantTableHasTenantID(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		for table, columns := range dbtest.Tables(t, s.DB) {
			if table == "goose_db_version" || slices.Contains(db.Globals, table) {
				continue
			}
			if !slices.Contains(columns, "tenant_id") {
				t.Errorf("table %s has no tenant_id and is not in db.Globals", table)
			}
		}
	})
}
