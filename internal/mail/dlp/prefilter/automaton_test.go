package prefilter_test

import (
	"regexp"
	"testing"

	"konak/internal/mail/dlp/prefilter"
)

var expressions = []string{
	`PRJ-\d{4}`, `\bPRJ\b`, `(?i)gizli|İHALE`, `(?i)straße|k`, `^ab`, `ab$`, `(?m)^ab$`, `\Aab\z`, `a\Bb`, `\B`, `[^a-z\n]+x`, `.`, `(?s)a.b`, `a.b`,
	`(a|ab)(c|bcd)(d*)`, `\pL{3}\d`, `[çğş]{2}`, `x*`, `(?:)`, `a{2,4}?b`, `[[:^ascii:]]`, `\x{1F600}`, `(?i)[k-m]7`, `(^|\s)no($|\s)`,
}

var expressionTexts = []string{
	"", "a", "ab", "aab b", "PRJ-1234", "xPRJ-123", "PRJ", "xPRJ", "\nab\n", "ab\nc", "çok GİZLİ", "gizli", "İhale", "ihale", "a\nb", "abcd", "ŞğÇ1", "şç",
	"K7", "K7", "ſtrasse", "STRASSE", "straẞe", "\U0001F600", "\xff", "a\xffb", "no", "say no now", "now", "1no",
}

// The automaton agrees with package regexp.
func TestAutomaton(t *testing.T) {
	t.Parallel()
	matched, refused := 0, 0
	for _, e := range expressions {
		re := regexp.MustCompile(e)
		for _, text := range expressionTexts {
			want := re.MatchString(text)
			if got := prefilter.MayMatch(re, []byte(text)); got != want {
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
		if len(e) > 1000 || len(text) > 1000 {
			return
		}
		re, err := regexp.Compile(e)
		if err != nil {
			return
		}
		if re.MatchString(text) && !prefilter.MayMatch(re, []byte(text)) {
			t.Errorf("%q in %q is passed over", e, text)
		}
	})
}
