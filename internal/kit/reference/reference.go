// Package reference shows the OpenAPI document to people: a page of contents and a page for
// each group of operations, with examples to copy. The server builds the pages from the
// document only, and they need no script.
package reference

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the templates
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Path is the path of the pages.
const Path = "/docs"

//go:embed pages.html
var pagesText string

//go:embed style.css
var style string

var pages = template.Must(template.New("").Parse(pagesText))

// policy lets a page use its own style and nothing else.
var policy = func() string {
	hash := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// group holds the operations of one tag.
type group struct {
	Name, Slug string
	Operations []operation
}

// operation is one call.
type operation struct {
	ID, Method, Path, Summary, Description string
	Access, Permission, Licence            string
	Parameters                             []parameter
	Curl                                   string
	Status, Answer                         string
}

type parameter struct {
	Name, In, Type, Description string
	Required                    bool
}

// accessWords describe who may call an operation, by x-access.
var accessWords = map[string]string{
	"public":         "Anybody",
	"keyless":        "Anyone who knows the id, a signed-in person or an API key",
	"session":        "A signed-in person",
	"api_key":        "An API key",
	"session_or_key": "A signed-in person or an API key",
}

// Handler serves the pages of a document, which is built when the first page is requested.
func Handler(document func() ([]byte, error)) http.Handler {
	made := sync.OnceValues(func() (map[string][]byte, error) {
		b, err := document()
		if err != nil {
			return nil, err
		}
		return render(b)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all, err := made()
		if err != nil {
			http.Error(w, "the reference could not be made", http.StatusInternalServerError)
			return
		}
		page, ok := all[strings.TrimSuffix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cache-Control", "no-cache")
		_, _ = w.Write(page)
	})
}

// render returns all pages, by their path.
func render(document []byte) (map[string][]byte, error) {
	groups, err := read(document)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	put := func(path, name string, data map[string]any) error {
		var b bytes.Buffer
		data["Style"], data["Groups"], data["Path"] = template.CSS(style), groups, Path //nolint:gosec // our own file
		if err := pages.ExecuteTemplate(&b, name, data); err != nil {
			return fmt.Errorf("reference: %s: %w", path, err)
		}
		out[path] = b.Bytes()
		return nil
	}
	if err := put(Path, "contents", map[string]any{}); err != nil {
		return nil, err
	}
	for _, g := range groups {
		if err := put(Path+"/"+g.Slug, "group", map[string]any{"Group": g}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// specification is the part of the OpenAPI document that is shown.
type specification struct {
	Paths      map[string]map[string]specOperation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type specOperation struct {
	ID          string   `json:"operationId"`
	Summary     string   `json:"summary"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Access      string   `json:"x-access"`
	Permission  string   `json:"x-permission"`
	Licence     string   `json:"x-licence"`
	Parameters  []struct {
		Name        string `json:"name"`
		In          string `json:"in"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
		Schema      schema `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"responses"`
}

// read returns the operations of a document in groups, both sorted by name.
func read(document []byte) ([]group, error) {
	var spec specification
	if err := json.Unmarshal(document, &spec); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	byTag := map[string][]operation{}
	for path, methods := range spec.Paths {
		for method, op := range methods {
			if len(op.Tags) == 0 {
				return nil, fmt.Errorf("reference: %s %s has no tag", method, path)
			}
			byTag[op.Tags[0]] = append(byTag[op.Tags[0]], spec.describe(strings.ToUpper(method), path, op))
		}
	}
	var out []group
	for tag, list := range byTag {
		slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
		out = append(out, group{tag, strings.ReplaceAll(strings.ToLower(tag), " ", "-"), list})
	}
	slices.SortFunc(out, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// describe returns what is shown of one operation.
func (s *specification) describe(method, path string, op specOperation) operation {
	out := operation{
		ID: op.ID, Method: method, Path: path, Summary: op.Summary, Description: op.Description,
		Access: accessWords[op.Access], Permission: op.Permission, Licence: op.Licence,
	}
	for _, p := range op.Parameters {
		out.Parameters = append(out.Parameters, parameter{p.Name, p.In, p.Schema.words(), p.Description, p.Required})
	}
	curl := "curl -X " + method + ` "$KONAK` + path + `"`
	if op.Access != "public" {
		curl += " \\\n  -H \"Authorization: Bearer $KEY\""
	}
	if body, ok := op.RequestBody.Content["application/json"]; ok {
		text, err := json.MarshalIndent(s.example(body.Schema, 0), "", "  ")
		if err == nil {
			// An unescaped apostrophe would end the argument.
			curl += " \\\n  -H \"Content-Type: application/json\" \\\n  -d '" + strings.ReplaceAll(string(text), "'", `'\''`) + "'"
		}
	}
	out.Curl = curl
	for status, answer := range op.Responses {
		if example := answer.Content["application/json"].Example; strings.HasPrefix(status, "2") && example != nil {
			var b bytes.Buffer
			if json.Indent(&b, example, "", "  ") == nil {
				out.Status, out.Answer = status, b.String()
			}
		}
	}
	return out
}
