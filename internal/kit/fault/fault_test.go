package fault

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const page = "../../../docs/errors.md"

// The page is generated from the catalogue: UPDATE=1 go test ./internal/kit/fault
func TestErrorsPageMatchesCatalogue(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(b), "| status |")
	want := head + Table()
	if string(b) == want {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("docs/errors.md is not what the catalogue says; write it anew with UPDATE=1 go test ./internal/kit/fault")
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

var verb = regexp.MustCompile(`%[a-z]`)

// Both languages have a text, and take the same arguments in the same order.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	for code, e := range catalogue {
		if e.status < 400 || e.en == "" || e.tr == "" || e.en == e.tr {
			t.Errorf("%s: %+v", code, e)
		}
		if en, tr := verb.FindAllString(e.en, -1), verb.FindAllString(e.tr, -1); !slices.Equal(en, tr) {
			t.Errorf("%s takes %v in English and %v in Turkish", code, en, tr)
		}
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	err := fmt.Errorf("outer: %w", Invalid("email", "required").Because("why").Wrap(cause))
	f, ok := As(err)
	if !ok || !Is(err, ValidationFailed) || Is(err, NotFound) || !errors.Is(err, cause) {
		t.Fatalf("chain is broken: %v", err)
	}
	if got := f.Error(); got != "validation_failed email=required (why): disk on fire" {
		t.Errorf("got %q", got)
	}
	if got := New(NoRoute).At(2, "reply"); got.Error() != "no_route at 2 reply" || *got.Step != (Step{2, "reply"}) {
		t.Errorf("got %v", got)
	}
	if strings.Contains(f.Message("en"), "fire") {
		t.Error("the cause is shown to the caller")
	}
	if got := New(UnknownEvent, "x").Message("tr"); !strings.Contains(got, `"x"`) {
		t.Errorf("got %q", got)
	}
	if Code("no such").Status() != 500 {
		t.Error("an unknown code is not ours to blame on the caller")
	}
}
