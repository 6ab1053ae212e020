package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"konak/internal/kit/api"
)

type numbered struct {
	N int `json:"n"`
}

// Routes are prepared by their first calls, which may come at the same time.
func TestFirstCallsAtOnce(t *testing.T) {
	t.Parallel()
	const routes = 30
	path := func(n int) string { return fmt.Sprintf("/api/test/numbered/%d", n) }
	h := open(t, func(a *api.API) {
		for n := range routes {
			api.Handle(a, route("GET", path(n), fmt.Sprintf("numbered-%d", n)), func(context.Context, *struct{}) (numbered, error) {
				return numbered{n}, nil
			})
		}
	})
	var calls sync.WaitGroup
	for i := range 2 * routes {
		calls.Go(func() {
			n := i % routes
			if resp, text := h.do("GET", path(n), ""); !strings.Contains(text, fmt.Sprintf(`"n":%d`, n)) {
				t.Errorf("%s: %s %s", path(n), resp.Status, text)
			}
		})
	}
	calls.Wait()
}
