package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"konak/internal/app"
)

// operation is the part of an operation that the tests of this package read from the
// document.
type operation struct {
	method, path string

	ID          string         `json:"operationId"`
	Access      string         `json:"x-access"`
	Permission  string         `json:"x-permission"`
	StepUp      bool           `json:"x-step-up"`
	Summary     string         `json:"summary"`
	Parameters  []parameter    `json:"parameters"`
	RequestBody *requestBody   `json:"requestBody"`
	Responses   map[string]any `json:"responses"`
}

type parameter struct {
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Record   string         `json:"x-record"`
	Schema   map[string]any `json:"schema"`
}

type requestBody struct {
	Content map[string]struct {
		Schema map[string]any `json:"schema"`
	} `json:"content"`
}

type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`
	operations []operation
}

func readDocument(t *testing.T, b []byte) *document {
	t.Helper()
	d := &document{}
	if err := json.Unmarshal(b, d); err != nil {
		t.Fatal(err)
	}
	for path, item := range d.Paths {
		for method, raw := range item {
			op := operation{method: strings.ToUpper(method), path: path}
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatal(err)
			}
			d.operations = append(d.operations, op)
		}
	}
	slices.SortFunc(d.operations, func(a, b operation) int {
		return strings.Compare(a.path+" "+a.method, b.path+" "+b.method)
	})
	return d
}

// want is the access that a row of the platform document requires. Where it says that no
// credential is sent, docs/architecture.md has the rule: a path that carries an unguessable
// id works without one, the others need one.
func want(auth, path string) string {
	switch auth {
	case "Session":
		return "session"
	case "API key":
		return "api_key"
	case "Session (answers also without a bearer)":
		return "keyless"
	case "none (client proven by PKCE)":
		return "public"
	case "Public label":
		if strings.Contains(path, "{id}") {
			return "keyless"
		}
		return "session_or_key"
	case "Public":
		if strings.Contains(path, "/mail/v1/webhooks/") {
			return "keyless"
		}
		return "public"
	}
	return "?"
}

// Two schemas with the same name would be numbered in the order in which their routes are
// first called, so that the document would differ between servers.
func TestSchemasHaveTheirOwnNames(t *testing.T) {
	t.Parallel()
	b, err := app.Document(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Components.Schemas) == 0 {
		t.Fatal("the document has no schemas")
	}
	for name := range doc.Components.Schemas {
		if last := name[len(name)-1]; last >= '0' && last <= '9' {
			t.Errorf("schema %s: two inputs have the same name; give the Body of one a named type", name)
		}
	}
}

// TestPlatformDocument compares the served routes with the platform document's endpoints.
// Endpoints that are not built yet are in missing.txt, which only shrinks.
func TestPlatformDocument(t *testing.T) {
	t.Parallel()
	b, err := app.Document(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]operation{}
	for _, op := range readDocument(t, b).operations {
		served[op.method+" "+op.path] = op
	}
	missing := lines(t, "testdata/missing.txt")
	var absent []string
	for _, row := range lines(t, "testdata/endpoints.tsv")[1:] {
		col := strings.Split(row, "\t")
		auth, key := col[1], col[2]+" "+col[3]
		op, ok := served[key]
		switch {
		case !ok && !slices.Contains(missing, key):
			t.Errorf("%s is in the platform document and is not served", key)
		case !ok:
			absent = append(absent, key)
		case slices.Contains(missing, key):
			t.Errorf("%s is served: take it out of missing.txt", key)
		case op.Access != want(auth, col[3]):
			t.Errorf("%s: access is %s, the document says %q (%s)", key, op.Access, auth, want(auth, col[3]))
		}
	}
	for _, key := range missing {
		if !slices.Contains(absent, key) && !served[key].known() {
			t.Errorf("missing.txt: %s is no endpoint of the platform document", key)
		}
	}
	t.Logf("%d of 172 endpoints of the platform document are still missing:\n%s", len(absent), strings.Join(absent, "\n"))
}

// TestResponseExamples checks the example of every successful answer against its schema,
// with an independent validator.
func TestResponseExamples(t *testing.T) {
	t.Parallel()
	b, err := app.Document(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", whole); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, op := range readDocument(t, b).operations {
		for status, resp := range op.Responses {
			content, _ := resp.(map[string]any)["content"].(map[string]any)
			media, ok := content["application/json"].(map[string]any)
			if status[0] != '2' || !ok {
				continue
			}
			example, ok := media["example"]
			if !ok {
				t.Errorf("%s %s: status %s has no example", op.method, op.path, status)
				continue
			}
			shown++
			escaped := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(op.path)
			s, err := c.Compile("openapi.json#/paths/" + escaped + "/" + strings.ToLower(op.method) + "/responses/" + status + "/content/application~1json/schema")
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(v); err != nil {
				t.Errorf("%s %s: the example of %s is not what its schema says: %v", op.method, op.path, status, err)
			}
		}
	}
	if shown < 200 {
		t.Errorf("only %d answers are shown", shown)
	}
}

func (op operation) known() bool { return op.ID != "" }

func lines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(string(b))
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
