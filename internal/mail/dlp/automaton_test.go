package dlp_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"konak/internal/mail/dlp"
)

var expressions = []string{
	`PRJ-\d{4}`, `\bPRJ\b`, `(?i)gizli|İHALE`, `(?i)straße|k`, `^ab`, `ab$`, `(?m)^ab$`, `\Aab\z`, `a\Bb`, `\B`, `[^a-z\n]+x`, `.`, `(?s)a.b`, `a.b`,
	`(a|ab)(c|bcd)(d*)`, `\pL{3}\d`, `[çğş]{2}`, `x*`, `(?:)`, `a{2,4}?b`, `[[:^ascii:]]`, `\x{1F600}`, `(?i)[k-m]7`, `(^|\s)no($|\s)`,
}

var expressionTexts = []string{
	"", "a", "ab", "aab b", "PRJ-1234", "xPRJ-123", "PRJ", "xPRJ", "\nab\n", "ab\nc", "çok GİZLİ", "gizli", "İhale", "ihale", "a\nb", "abcd", "ŞğÇ1", "şç",
	"K7", "K7", "ſtrasse", "STRASSE", "straẞe", "\U0001F600", "\xff", "a\xffb", "no", "say no now", "now", "1no",
}

// The automaton says what package regexp says.
func TestAutomaton(t *testing.T) {
	t.Parallel()
	matched, refused := 0, 0
	for _, e := range expressions {
		re := regexp.MustCompile(e)
		for _, text := range expressionTexts {
			want := re.MatchString(text)
			if got := dlp.MayMatch(re, []byte(text)); got != want {
				t.Errorf("%s in %q: got %v", e, text, got)
			}
			if want {
				matched++
			} else {
				refused++
			}
		}
	}
	if matched < 100 || refused < 100 {
		t.Errorf("the table is one-sided: %d and %d", matched, refused)
	}
}

func FuzzAutomaton(f *testing.F) {
	for i, e := range expressions {
		f.Add(e, expressionTexts[i])
	}
	f.Fuzz(func(t *testing.T, e, text string) {
		if len(e) > dlp.MaxRegexLength || len(text) > 1000 {
			return
		}
		re, err := regexp.Compile(e)
		if err != nil {
			return
		}
		if re.MatchString(text) && !dlp.MayMatch(re, []byte(text)) {
			t.Errorf("%q in %q is passed over", e, text)
		}
	})
}

// An expression that is too large for an automaton, or that needs too many states, is
// found all the same.
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
