package template

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

func body(text string, samples ...string) Component {
	c := Component{Type: Body, Text: text}
	if len(samples) > 0 {
		c.Example = &Example{BodyText: [][]string{samples}}
	}
	return c
}

func TestFill(t *testing.T) {
	t.Parallel()
	tpl := Template{
		Name: "kargo", Language: "tr", Category: Utility, ParameterFormat: Positional,
		Components: []Component{
			{Type: Header, Format: Text, Text: "Sipariş {{1}}", Example: &Example{HeaderText: []string{"4711"}}},
			body("{{2}} gününde {{1}} adresine, {{2}}.", "Kadıköy", "salı"),
			{Type: Footer, Text: "Demo"},
			{Type: Buttons, Buttons: []Button{{Type: QuickReply, Text: "Tamam"}, {Type: URL, Text: "Aç", URL: "https://demo.example/{{1}}", Example: []string{"1"}}}},
		},
	}
	got, text, err := tpl.Fill(Use{Header: []string{"48213"}, Body: []string{"Beşiktaş", "çarşamba"}, Buttons: []ButtonValue{{Index: 1, Value: "48213"}}})
	if err != nil {
		t.Fatal(err)
	}
	if text != "Sipariş 48213\n\nçarşamba gününde Beşiktaş adresine, çarşamba.\n\nDemo" {
		t.Errorf("the text is %q", text)
	}
	want := []Value{{Text: "Beşiktaş"}, {Text: "çarşamba"}}
	if cmp.Diff(want, got.Body) != "" || cmp.Diff([]FilledButton{{1, URL, "48213"}}, got.Buttons) != "" {
		t.Errorf("filled: %+v", got)
	}
	named := Template{Category: Utility, ParameterFormat: Named, Components: []Component{{Type: Body, Text: "Merhaba {{ad}}, kodunuz {{kod}} hazır."}}}
	got, text, err = named.Fill(Use{Body: []string{"Elif", "42"}})
	if err != nil || text != "Merhaba Elif, kodunuz 42 hazır." || got.Body[1].Name != "kod" {
		t.Errorf("named: %+v %q %v", got, text, err)
	}
	code := Template{Category: Authentication, ParameterFormat: Positional, Components: []Component{{Type: Body}, {Type: Buttons, Buttons: []Button{{Type: OTP, OTPType: "COPY_CODE"}}}}}
	got, text, err = code.Fill(Use{Body: []string{"123456"}})
	if err != nil || text != "123456" || len(got.Buttons) != 1 || got.Buttons[0].Value != "123456" {
		t.Errorf("a code: %+v %q %v", got, text, err)
	}
}

// Whatever is filled in, no variable is left, and all given values are in the text.
func TestFillLeavesNoVariable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "variables")
		text, values := "Merhaba", []string{}
		for i := range n {
			text += " {{" + string(rune('1'+i)) + "}} ve"
			values = append(values, rapid.StringMatching(`[a-zçğıöşü0-9]{1,20}`).Draw(t, "value"))
		}
		tpl := Template{Category: Utility, ParameterFormat: Positional, Components: []Component{{Type: Body, Text: text + " son."}}}
		_, out, err := tpl.Fill(Use{Body: values})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, "{{") {
			t.Fatalf("left over: %q", out)
		}
		for _, v := range values {
			if !strings.Contains(out, v) {
				t.Fatalf("%q is not in %q", v, out)
			}
		}
		if n > 0 {
			if _, _, err := tpl.Fill(Use{Body: values[1:]}); !fault.Is(err, fault.ValidationFailed) {
				t.Fatalf("one value less: %v", err)
			}
		}
	})
}

func TestEditable(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	ago := func(hours ...int) (out []clock.Time) {
		for _, h := range hours {
			out = append(out, clock.At(now.Add(-time.Duration(h)*time.Hour)))
		}
		return out
	}
	for name, c := range map[string]struct {
		status string
		edits  []clock.Time
		want   bool
		from   time.Duration
	}{
		"never edited":          {Approved, nil, true, 0},
		"an hour ago":           {Approved, ago(1), false, 23 * time.Hour},
		"a day ago":             {Approved, ago(24), true, 0},
		"ten in thirty days":    {Approved, ago(700, 600, 500, 400, 300, 200, 150, 100, 50, 30), false, 20 * time.Hour},
		"the first is too old":  {Approved, ago(720, 600, 500, 400, 300, 200, 150, 100, 50, 30), true, 0},
		"rejected, an hour ago": {Rejected, ago(1), true, 0},
		"in review":             {Pending, nil, false, 0},
		"flagged":               {Flagged, nil, false, 0},
	} {
		tpl := Template{Status: c.status, edits: c.edits}
		got, from := tpl.editable(now)
		if got != c.want || (from != nil) != (c.from > 0) || from != nil && !from.Equal(now.Add(c.from)) {
			t.Errorf("%s: %v from %v", name, got, from)
		}
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	why := "INVALID_FORMAT"
	tpl := Template{Status: Rejected, Reason: &why, Category: Utility}
	if !tpl.take(Given{Status: "REINSTATED"}) || tpl.Status != Approved || tpl.Reason != nil {
		t.Errorf("reinstated: %+v", tpl)
	}
	if tpl.take(Given{Status: Approved, Category: Utility, Reason: "NONE"}) {
		t.Error("nothing new is a change")
	}
	again := Template{Status: Rejected, Reason: &why}
	if !again.take(Given{Status: Approved, Reason: "NONE"}) || again.Reason != nil {
		t.Errorf("approved after it was rejected: %+v", again)
	}
	if !tpl.take(Given{Category: Marketing}) || tpl.Category != Marketing || tpl.Status != Approved {
		t.Errorf("another category: %+v", tpl)
	}
	carousel := Template{Status: Approved, Components: []Component{body("Merhaba."), {Type: "CAROUSEL"}}}
	if carousel.sendable() {
		t.Error("what cannot be filled in can be sent")
	}
}

// The provider does not write the sample of a copy code as a list.
func TestButtonSample(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"type":"COPY_CODE","example":"KIS15"}`: {"KIS15"}, `{"type":"URL","example":["x"]}`: {"x"}, `{"type":"URL"}`: nil, `{"type":"URL","example":null}`: nil,
	} {
		var b Button
		if err := json.Unmarshal([]byte(text), &b); err != nil || cmp.Diff(want, b.Example) != "" {
			t.Errorf("%s: %v, %v", text, b, err)
		}
	}
}
