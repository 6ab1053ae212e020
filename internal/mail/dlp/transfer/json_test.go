package transfer_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"konak/internal/mail/dlp/transfer"
)

// Numeric escapes become the characters that programs show. An unpaired half of a character
// does not hide what follows.
func TestJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a": "\u0034111\u0031"}`: `{"a": "41111"}`,
		`\ud83d\ude00\u0034`:       "😀4",
		`\ud83d\u0034111`:          "\uFFFD4111",
		`\ude00\u0034`:             "\uFFFD4",
		`\ud83d\n`:                 "\uFFFD" + `\n`,
		`\u00zz \u12`:              `\u00zz \u12`,
		`a\`:                       `a\`,
	} {
		got, err := io.ReadAll(iotest.OneByteReader(transfer.JSON(strings.NewReader(text))))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %q and %v, want %q", text, got, err, want)
		}
	}
}
