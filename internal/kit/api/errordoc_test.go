package api_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/kit/api"
	"konak/internal/kit/fault"
)

// docs/errors.md shows the error as it is sent, and explains every field.
func TestErrorsPageShowsEveryField(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		api.Handle(a, route("GET", "/api/test/refused", "test-refused"), func(context.Context, *struct{}) (string, error) {
			return "", fault.Invalid("email", "required")
		})
	})
	_, body := h.do("GET", "/api/test/refused", "")
	page, err := os.ReadFile("../../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "```json\n")
	shown, _, _ = strings.Cut(shown, "```")
	type object = map[string]any
	var sent, documented object
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(shown), &documented); err != nil {
		t.Fatal(err)
	}
	sent["trace_id"] = documented["trace_id"]
	if diff := cmp.Diff(sent, documented); diff != "" {
		t.Errorf("docs/errors.md differs from what is sent (-sent +documented):\n%s", diff)
	}
	for _, field := range slices.Collect(maps.Keys(sent["error"].(object))) {
		if !strings.Contains(string(page), "| `"+field+"` | ") {
			t.Errorf("docs/errors.md does not explain %s", field)
		}
	}
}
