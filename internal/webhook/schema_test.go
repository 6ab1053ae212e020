package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// catalog returns the events that can be subscribed to, with compiled schemas.
func catalog(t *testing.T, w *apptest.Workspace) (list []webhook.CatalogEntry, schemas map[string]*jsonschema.Schema) {
	t.Helper()
	w.Owner.Get("/api/v1/webhooks/catalog").Want(200).Data(&list)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schemas = map[string]*jsonschema.Schema{}
	for _, e := range list {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Schema))
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if err := c.AddResource(e.Name, doc); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if schemas[e.Name], err = c.Compile(e.Name); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
	}
	return list, schemas
}

func valid(t *testing.T, s *jsonschema.Schema, body []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// Every example matches its schema, and the schemas are strict: every wrong part of a body
// is found.
func TestCatalogSchemas(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	list, schemas := catalog(t, w)
	var full []webhook.CatalogEntry
	if w.Owner.Get(hooks + "/catalog").Want(200).Data(&full); len(full) != len(list) {
		t.Error("the alias is another list")
	}
	withItem := 0
	for _, e := range list {
		if err := valid(t, schemas[e.Name], e.Example); err != nil {
			t.Errorf("%s: the example is not what the schema says: %v", e.Name, err)
		}
		var body struct {
			Data struct {
				Object   map[string]any
				Item     map[string]any
				Previous map[string]any
			}
		}
		if err := json.Unmarshal(e.Example, &body); err != nil {
			t.Fatal(err)
		}
		for name := range body.Data.Previous {
			if _, ok := body.Data.Object[name]; !ok {
				t.Errorf("%s: previous tells of %s, which the object has not", e.Name, name)
			}
		}
		spoil := func(what string, change func(body, data map[string]any)) {
			t.Helper()
			var v map[string]any
			if err := json.Unmarshal(e.Example, &v); err != nil {
				t.Fatal(err)
			}
			change(v, v["data"].(map[string]any))
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if valid(t, schemas[e.Name], text) == nil {
				t.Errorf("%s: the schema takes %s", e.Name, what)
			}
		}
		spoil("another type", func(b, _ map[string]any) { b["type"] = "no.such" })
		spoil("an object without an id", func(_, d map[string]any) { delete(d["object"].(map[string]any), "id") })
		spoil("an item of no form", func(_, d map[string]any) { d["item"] = map[string]any{"id": 7} })
		spoil("a previous of no form", func(_, d map[string]any) { d["previous"] = map[string]any{"id": 7} })
		spoil("a truncated body with an item", func(b, d map[string]any) {
			b["truncated"], d["item"] = true, map[string]any{"id": "x"}
		})
		if body.Data.Item != nil {
			withItem++
			spoil("an item without its fields", func(_, d map[string]any) { d["item"] = map[string]any{} })
		}
	}
	if withItem < 6 {
		t.Errorf("only %d events of %d show an item", withItem, len(list))
	}
}

// changeEverything changes records in the ways that the sample does not.
func changeEverything(w *apptest.Workspace) {
	const crm = "/api/crm/v1"
	contact := w.Owner.Post(crm+"/contacts", map[string]any{"name": "Elif"}).Want(201).ID()
	w.Owner.Put(crm+"/contacts/"+contact, map[string]any{"name": "Elif Kaya"}).Want(200)
	w.Owner.Post(crm+"/contacts/"+contact+"/consents", map[string]any{
		"channel": "whatsapp", "purpose": "marketing", "status": "granted", "source": "form", "evidence": "",
	}).Want(200)
	talk := func() string {
		return w.Owner.Post(crm+"/conversations", map[string]any{"contact_id": contact, "subject": "Teslimat", "body": "Ne zaman?"}).Want(201).ID()
	}
	one, two := crm+"/conversations/"+talk(), talk()
	w.Owner.Put(one, map[string]any{"priority": "high"}).Want(200)
	w.Owner.Put(one+"/tags", map[string]any{"tags": []string{"iade"}}).Want(200)
	w.Owner.Post(one+"/assign", map[string]any{"owner_id": w.Member}).Want(200)
	w.Owner.Post(one+"/snooze", map[string]any{"until_reply": true}).Want(200)
	w.Owner.Post(one+"/reply-as-customer", map[string]any{"body": "Merhaba?"}).Want(200)
	w.Owner.Post(one+"/close", nil).Want(200)
	w.Owner.Post(one+"/open", nil).Want(200)
	w.Owner.Post(one+"/merge", map[string]any{"into_id": two}).Want(200)
	w.Owner.Delete(crm + "/conversations/" + two).Want(200)
	w.Owner.Post(crm+"/conversations/"+two+"/restore", nil).Want(200)
	w.Owner.Delete(exceptions + "/" + w.Owner.Post(exceptions, map[string]any{"email": "z@example.com"}).Want(201).ID()).Want(200)
	gone := w.Owner.Post(crm+"/contacts", map[string]any{"name": "Can"}).Want(201).ID()
	w.Owner.Delete(crm + "/contacts/" + gone).Want(200)
}

// The sent bodies match the schemas: records of every module, events that a customer emits,
// and bodies that are too large.
func TestDeliveriesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		list, schemas := catalog(t, w)
		rcv := newReceiver(t)
		var names []string
		for _, e := range list {
			names = append(names, e.Name)
		}
		e := register(w, rcv.URL, names...)
		w.Sample("ornek")
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200)
		changeEverything(w)
		emit := func(name string, data any) {
			w.Owner.Post(hooks+"/emit", map[string]any{"event": name, "data": data}).Want(202)
		}
		emit("contact.created", map[string]any{"anything": true})
		emit("contact.updated", map[string]any{"id": "42", "text": strings.Repeat("x", 300<<10)})
		s.Settle()
		seen := map[string]int{}
		kinds := map[string]bool{}
		for _, r := range rcv.take() {
			name := r.header.Get("X-Service-Event")
			seen[name]++
			if err := valid(t, schemas[name], r.body); err != nil {
				t.Errorf("%s: %v\n%s", name, err, r.body)
			}
			var body struct {
				Truncated, Emitted bool
				Data               struct{ Object, Item, Previous map[string]any }
			}
			if err := json.Unmarshal(r.body, &body); err != nil {
				t.Fatal(err)
			}
			kinds[fmt.Sprint(body.Truncated, body.Emitted)] = true
			for field := range body.Data.Previous {
				if _, ok := body.Data.Object[field]; !ok {
					t.Errorf("%s: previous tells of %s, which the object has not", name, field)
				}
			}
		}
		for _, want := range []string{"false false", "false true", "true true"} {
			if !kinds[want] {
				t.Errorf("no body with truncated and emitted being %s came", want)
			}
		}
		var absent []string
		for _, name := range names {
			if seen[name] == 0 {
				absent = append(absent, name)
			}
		}
		slices.Sort(absent)
		t.Logf("%d of %d types came; not: %v", len(seen), len(names), absent)
		if len(seen) < 24 {
			t.Errorf("only %d types came", len(seen))
		}
	})
}
