package fault

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// channelReasons are the reasons of the channel routes' 409 that are named by constants;
// those that are literals in the code are found there.
var channelReasons = []because{
	{ChannelUnavailable, "paused"},
	{ChannelUnavailable, "disconnected"},
	{ChannelUnavailable, "connecting"},
	{ChannelUnavailable, "token_expired"},
	{ChannelUnavailable, "no_bot"},
	{ChannelUnavailable, "business_ended"},
	{Conflict, "state"},
	{Conflict, "session"},
	{Conflict, "consent"},
	{Conflict, "assets"},
	{Conflict, "region_unsupported"},
	{Conflict, "other_channel"},
	{Conflict, "channel_unavailable"},
	{Conflict, "no_route"},
	{Conflict, "question_refused"},
	{Conflict, "already_sent"},
	{Conflict, "sending"},
	{Conflict, "customer_message"},
	{Conflict, "too_old"},
	{Conflict, "event"},
	{Conflict, "merged"},
}

// inCode matches a reason of a 409 that is a literal in the code.
var inCode = regexp.MustCompile(`fault\.New\(fault\.(Conflict|ChannelUnavailable)\)[^\n]*\.Because\("([a-z_]+)"\)`)

// A text that quotes the fault's argument contains it, and one that does not leaves it out.
func TestReasonQuotesArgument(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"question_refused": "The provider did not forward the request to the customer: (#138000) no. Write to them, or ask again later.",
		"already_sent":     "The customer already has this message, so it cannot be changed. Send a correction.",
	} {
		if got := New(Conflict, "(#138000) no").Because(reason).Message("en"); got != want {
			t.Errorf("%s: %q", reason, got)
		}
	}
}

// The text of a channel's 409 says what to do about it, in both languages.
func TestReasonsOfChannels(t *testing.T) {
	t.Parallel()
	list := channelReasons
	for _, dir := range []string{"channel", "helpcenter"} {
		root := filepath.Join("..", "..", "crm", dir)
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range inCode.FindAllStringSubmatch(string(text), -1) {
				code := Conflict
				if found[1] == "ChannelUnavailable" {
					code = ChannelUnavailable
				}
				list = append(list, because{code, found[2]})
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(list) < len(channelReasons)+8 {
		t.Errorf("only %d reasons were found", len(list))
	}
	for _, b := range list {
		e, said := reasons[b]
		if !said || e.status != b.code.Status() || e.en == e.tr {
			t.Errorf("%s because %s: %+v", b.code, b.reason, e)
			continue
		}
		for _, text := range []string{e.en, e.tr} {
			// The text says what is wrong, and then what to do.
			if !strings.ContainsAny(strings.TrimSuffix(text, "."), ".;") {
				t.Errorf("%s because %s does not say what to do: %q", b.code, b.reason, text)
			}
		}
	}
}
