package dlp_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"konak/internal/mail/dlp"
)

// Expressions that are too large for an automaton, or need too many states, still match.
func TestLargeExpressions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var many strings.Builder // of states
	for range 4000 {
		many.WriteByte("ab"[r.IntN(2)])
	}
	for e, text := range map[string]string{
		`PRJ-\d{600}`:       "PRJ-" + strings.Repeat("7", 600),
		`(a|b)*a(a|b){12}c`: many.String() + "abbbbbbbbbbbbc",
	} {
		s := compile(t, []dlp.Rule{{ID: "large", Type: dlp.Regex, Pattern: e}})
		r := s.ScanMessage(t.Context(), dlp.Message{Text: text}, dlp.DefaultLimits())
		if len(r.Matches) != 1 {
			t.Errorf("%s: got %v", e, found(r))
		}
	}
}
