package identity

import (
	"testing"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Demir Ticaret A.Ş.": "demir-ticaret-a-s",
		"IŞIK & İpek":        "isik-ipek",
		"東京":                 "workspace",
		"--- x ---":          "workspace",
	} {
		if got := slugOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
