package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/api"
)

type sameBodyOut struct {
	IDs []uuid.UUID `json:"ids"`
}

// sameNames registers two routes whose inputs have the same name and different bodies.
func sameNames(a *api.API) {
	lists := func() {
		type sameBodyIn struct {
			Body struct {
				IDs []uuid.UUID `json:"ids"`
			}
		}
		api.Handle(a, route("POST", "/api/test/lists", "test-lists"), func(_ context.Context, in *sameBodyIn) (sameBodyOut, error) {
			return sameBodyOut{in.Body.IDs}, nil
		})
	}
	words := func() {
		type sameBodyIn struct {
			Body struct {
				Word string `json:"word" minLength:"2"`
			}
		}
		api.Handle(a, route("POST", "/api/test/words", "test-words"), func(context.Context, *sameBodyIn) (sameBodyOut, error) {
			return sameBodyOut{[]uuid.UUID{}}, nil
		})
	}
	lists()
	words()
}

func TestSchemasAreSharedByAPIs(t *testing.T) {
	t.Parallel()
	var made sync.WaitGroup
	documents := make([]string, 8)
	for i := range documents {
		made.Go(func() {
			a := api.New(api.Config{Domain: "localhost"})
			sameNames(a)
			b, err := a.Document()
			if err != nil {
				t.Error(err)
			}
			documents[i] = string(b)
		})
	}
	made.Wait()
	for _, d := range documents {
		if d != documents[0] {
			t.Fatalf("APIs with the same routes have different documents:\n%s\n%s", documents[0], d)
		}
	}
	if got := strings.Count(documents[0], `"format": "uuid"`); got != 2 {
		t.Errorf("%d lists say that they are of ids, not the one of the body and the one of the answer", got)
	}
	if strings.Contains(documents[0], "ListEnvelope") {
		t.Error("the document has schemas of other APIs")
	}

	h := open(t, sameNames)
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/api/test/lists", `{"ids":["` + uuid.NewString() + `"]}`, http.StatusOK},
		{"/api/test/lists", `{"ids":["x"]}`, http.StatusUnprocessableEntity},
		{"/api/test/lists", `{"word":"ab"}`, http.StatusUnprocessableEntity},
		{"/api/test/words", `{"word":"ab"}`, http.StatusOK},
		{"/api/test/words", `{"word":"a"}`, http.StatusUnprocessableEntity},
		{"/api/test/words", `{"ids":[]}`, http.StatusUnprocessableEntity},
	} {
		if resp, text := h.do("POST", c.path, c.body); resp.StatusCode != c.status {
			t.Errorf("%s %s: %d instead of %d: %s", c.path, c.body, resp.StatusCode, c.status, text)
		}
	}
}
