package template

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"konak/internal/kit/fault"
)

// Kinds of component and of header.
const (
	Header  = "HEADER"
	Body    = "BODY"
	Footer  = "FOOTER"
	Buttons = "BUTTONS"

	Text     = "TEXT"
	Image    = "IMAGE"
	Video    = "VIDEO"
	Document = "DOCUMENT"
	Location = "LOCATION"
)

// Kinds of button.
const (
	QuickReply  = "QUICK_REPLY"
	URL         = "URL"
	PhoneNumber = "PHONE_NUMBER"
	CopyCode    = "COPY_CODE"
	OTP         = "OTP"
)

// Component is a part of a template, in the provider's own shape.
type Component struct {
	Type    string   `json:"type" enum:"HEADER,BODY,FOOTER,BUTTONS" example:"BODY"`
	Format  string   `json:"format,omitempty" enum:"TEXT,IMAGE,VIDEO,DOCUMENT,LOCATION" doc:"Format of a header"`
	Text    string   `json:"text,omitempty" maxLength:"1024" example:"Merhaba {{1}}, {{2}} numaralı siparişiniz kargoya verildi."`
	Example *Example `json:"example,omitempty" doc:"A sample for each variable, or the handle of a sample file"`
	Buttons []Button `json:"buttons,omitempty" maxItems:"10" nullable:"false"`
	// Only for authentication templates.
	AddSecurityRecommendation *bool `json:"add_security_recommendation,omitempty"`
	CodeExpirationMinutes     *int  `json:"code_expiration_minutes,omitempty" minimum:"1" maximum:"90" example:"10"`
}

// Example is what a reviewer sees in place of the variables.
type Example struct {
	HeaderText   []string     `json:"header_text,omitempty" maxItems:"1" nullable:"false" example:"[\"15 Kasım\"]"`
	HeaderHandle []string     `json:"header_handle,omitempty" maxItems:"1" nullable:"false" doc:"Handle returned by POST /channels/templates/media"`
	BodyText     [][]string   `json:"body_text,omitempty" maxItems:"1" nullable:"false" example:"[[\"Elif\",\"4711\"]]"`
	HeaderNamed  []NamedValue `json:"header_text_named_params,omitempty" maxItems:"1" nullable:"false"`
	BodyNamed    []NamedValue `json:"body_text_named_params,omitempty" maxItems:"100" nullable:"false"`
}

// NamedValue is the sample of a named variable.
type NamedValue struct {
	Name    string `json:"param_name" example:"ad"`
	Example string `json:"example" example:"Elif"`
}

// Button is a button that a customer can tap.
type Button struct {
	Type        string   `json:"type" enum:"QUICK_REPLY,URL,PHONE_NUMBER,COPY_CODE,OTP" example:"URL"`
	Text        string   `json:"text,omitempty" maxLength:"25" example:"Kargom nerede?"`
	URL         string   `json:"url,omitempty" maxLength:"2000" example:"https://www.example.com/kargo/{{1}}"`
	PhoneNumber string   `json:"phone_number,omitempty" maxLength:"20" example:"+902121234567"`
	Example     []string `json:"example,omitempty" maxItems:"1" nullable:"false"`
	OTPType     string   `json:"otp_type,omitempty" example:"COPY_CODE"`
}

// UnmarshalJSON also accepts the sample of a copy code, which the provider does not write
// as a list.
func (b *Button) UnmarshalJSON(text []byte) error {
	type plain Button
	in := struct {
		*plain
		Example json.RawMessage `json:"example"`
	}{plain: (*plain)(b)}
	if err := json.Unmarshal(text, &in); err != nil || len(in.Example) == 0 || string(in.Example) == "null" {
		return err
	}
	if in.Example[0] == '"' {
		b.Example = make([]string, 1)
		return json.Unmarshal(in.Example, &b.Example[0])
	}
	return json.Unmarshal(in.Example, &b.Example)
}

// Variables are the values that sending a template requires.
type Variables struct {
	Header      []string         `json:"header" nullable:"false" example:"[]" doc:"Variables of a text header, in order"`
	HeaderMedia string           `json:"header_media" enum:",IMAGE,VIDEO,DOCUMENT,LOCATION" doc:"Media that the header needs; empty for none"`
	Body        []string         `json:"body" nullable:"false" example:"[\"1\",\"2\"]" doc:"Variables of the body, in order"`
	Buttons     []ButtonVariable `json:"buttons" nullable:"false" doc:"Buttons that need a value"`
}

// ButtonVariable is a button that needs a value.
type ButtonVariable struct {
	Index int    `json:"index" example:"0" doc:"Position among the buttons, from 0"`
	Type  string `json:"type" example:"URL"`
	Text  string `json:"text" example:"Kargom nerede?"`
}

// The provider's limits.
const (
	maxHeader       = 60
	maxBody         = 1024
	maxFooter       = 60
	maxButtons      = 10
	maxButtonText   = 25
	maxURLButtons   = 2
	maxPhoneButtons = 1
	maxNewlines     = 2
)

var (
	variable   = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)
	namedShape = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)
	nameShape  = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)
	language   = regexp.MustCompile(`^[a-z]{2,3}(_[A-Z]{2,3})?$`)
)

// variablesOf lists the variables of a text: numbers in ascending order, names in the order
// of the text.
func variablesOf(text string) []string {
	out := []string{}
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX != nil || errY != nil {
			return 0
		}
		return x - y
	})
	return out
}

func (t *Template) part(kind string) (Component, bool) {
	i := slices.IndexFunc(t.Components, func(c Component) bool { return c.Type == kind })
	if i < 0 {
		return Component{}, false
	}
	return t.Components[i], true
}

// supported reports whether Konak can fill in all parts of the template.
func (t *Template) supported() bool {
	for _, c := range t.Components {
		if !slices.Contains([]string{Header, Body, Footer, Buttons}, c.Type) {
			return false
		}
		for _, b := range c.Buttons {
			if !slices.Contains([]string{QuickReply, URL, PhoneNumber, CopyCode, OTP}, b.Type) {
				return false
			}
		}
	}
	return true
}

func (t *Template) variables() Variables {
	v := Variables{Header: []string{}, Body: []string{}, Buttons: []ButtonVariable{}}
	if h, ok := t.part(Header); ok {
		if h.Format == Text {
			v.Header = variablesOf(h.Text)
		} else {
			v.HeaderMedia = h.Format
		}
	}
	if b, ok := t.part(Body); ok {
		if v.Body = variablesOf(b.Text); t.Category == Authentication {
			v.Body = []string{"1"}
		}
	}
	if b, ok := t.part(Buttons); ok {
		for i, button := range b.Buttons {
			if button.Type == CopyCode || button.Type == OTP && t.Category != Authentication || button.Type == URL && len(variablesOf(button.URL)) > 0 {
				v.Buttons = append(v.Buttons, ButtonVariable{Index: i, Type: button.Type, Text: button.Text})
			}
		}
	}
	return v
}

func sameComponents(a, b []Component) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// check refuses what the provider would refuse, with an error per field.
func (t *Template) check() error {
	f := fault.New(fault.ValidationFailed)
	if !nameShape.MatchString(t.Name) {
		f.Field("name", "invalid_name")
	}
	if !language.MatchString(t.Language) {
		f.Field("language", "invalid_language")
	}
	if !slices.Contains([]string{Marketing, Utility, Authentication}, t.Category) {
		f.Field("category", "not_allowed")
	}
	seen := map[string]bool{}
	for i := range t.Components {
		c, at := &t.Components[i], "components."+strconv.Itoa(i)
		if seen[c.Type] {
			f.Field(at+".type", "repeated")
		}
		seen[c.Type] = true
		switch c.Type {
		case Header:
			t.checkHeader(c, at, f)
		case Body:
			t.checkBody(c, at, f)
		case Footer:
			checkFooter(c, at, f, t.Category)
		case Buttons:
			checkButtons(c, at, f, t.Category)
		default:
			f.Field(at+".type", "not_allowed")
		}
	}
	if !seen[Body] {
		f.Field("components", "body_required")
	}
	return f.OrNil()
}

func long(text string, most int) bool { return utf8.RuneCountInString(text) > most }

func (t *Template) checkHeader(c *Component, at string, f *fault.Fault) {
	ex := c.example()
	switch c.Format {
	case Text:
		vars := variablesOf(c.Text)
		switch {
		case strings.TrimSpace(c.Text) == "":
			f.Field(at+".text", "required")
		case long(c.Text, maxHeader):
			f.Field(at+".text", "too_long")
		case strings.ContainsAny(c.Text, "\n\r"):
			f.Field(at+".text", "one_line")
		case len(vars) > 1:
			f.Field(at+".text", "too_many_variables")
		}
		t.checkVariables(vars, ex.HeaderText, ex.HeaderNamed, at, f)
	case Image, Video, Document:
		if len(ex.HeaderHandle) != 1 || ex.HeaderHandle[0] == "" {
			f.Field(at+".example.header_handle", "required")
		}
	case Location:
		if t.Category == Authentication {
			f.Field(at+".format", "not_allowed")
		}
	default:
		f.Field(at+".format", "not_allowed")
	}
}

func (t *Template) checkBody(c *Component, at string, f *fault.Fault) {
	if t.Category == Authentication {
		if c.Text != "" { // the provider writes the text
			f.Field(at+".text", "not_allowed")
		}
		return
	}
	ex := c.example()
	var samples []string
	if len(ex.BodyText) > 0 {
		samples = ex.BodyText[0]
	}
	text := strings.TrimSpace(c.Text)
	switch {
	case text == "":
		f.Field(at+".text", "required")
	case long(c.Text, maxBody):
		f.Field(at+".text", "too_long")
	case strings.Contains(c.Text, strings.Repeat("\n", maxNewlines+1)):
		f.Field(at+".text", "too_many_lines")
	case strings.HasPrefix(text, "{{") || strings.HasSuffix(text, "}}"):
		f.Field(at+".text", "variable_at_edge")
	}
	t.checkVariables(variablesOf(c.Text), samples, ex.BodyNamed, at, f)
}

// checkVariables requires variables of one kind, numbered without a gap, with a sample for
// each.
func (t *Template) checkVariables(vars, samples []string, named []NamedValue, at string, f *fault.Fault) {
	if t.ParameterFormat == Named {
		for _, v := range vars {
			if !namedShape.MatchString(v) {
				f.Field(at+".text", "invalid_variable")
				return
			}
			if !slices.ContainsFunc(named, func(n NamedValue) bool { return n.Name == v && strings.TrimSpace(n.Example) != "" }) {
				f.Field(at+".example", "sample_missing")
				return
			}
		}
		if len(named) > len(vars) {
			f.Field(at+".example", "too_many")
		}
		return
	}
	for i := range vars {
		if !slices.Contains(vars, strconv.Itoa(i+1)) {
			f.Field(at+".text", "invalid_variable")
			return
		}
	}
	given := len(samples) - len(slices.DeleteFunc(slices.Clone(samples), func(s string) bool { return strings.TrimSpace(s) != "" }))
	switch {
	case given < len(vars):
		f.Field(at+".example", "sample_missing")
	case len(samples) > len(vars):
		f.Field(at+".example", "too_many")
	}
}

func checkFooter(c *Component, at string, f *fault.Fault, category string) {
	switch {
	case category == Authentication && c.CodeExpirationMinutes != nil && c.Text == "":
	case strings.TrimSpace(c.Text) == "":
		f.Field(at+".text", "required")
	case long(c.Text, maxFooter):
		f.Field(at+".text", "too_long")
	case len(variablesOf(c.Text)) > 0:
		f.Field(at+".text", "no_variables")
	}
}

func checkButtons(c *Component, at string, f *fault.Fault, category string) {
	if len(c.Buttons) == 0 {
		f.Field(at+".buttons", "required")
	}
	if len(c.Buttons) > maxButtons {
		f.Field(at+".buttons", "too_many")
	}
	counts := map[string]int{}
	for i, b := range c.Buttons {
		at := at + ".buttons." + strconv.Itoa(i)
		counts[b.Type]++
		if (b.Type == OTP) != (category == Authentication) {
			f.Field(at+".type", "not_allowed")
			continue
		}
		if b.Type != OTP && b.Type != CopyCode && strings.TrimSpace(b.Text) == "" {
			f.Field(at+".text", "required")
		}
		if long(b.Text, maxButtonText) {
			f.Field(at+".text", "too_long")
		}
		switch b.Type {
		case QuickReply, OTP:
		case URL:
			checkURL(b, at, f)
		case PhoneNumber:
			if strings.TrimSpace(b.PhoneNumber) == "" {
				f.Field(at+".phone_number", "required")
			}
		case CopyCode:
			if len(b.Example) != 1 || b.Example[0] == "" || long(b.Example[0], 15) {
				f.Field(at+".example", "sample_missing")
			}
		default:
			f.Field(at+".type", "not_allowed")
		}
	}
	if counts[URL] > maxURLButtons || counts[PhoneNumber] > maxPhoneButtons || counts[CopyCode] > 1 {
		f.Field(at+".buttons", "too_many")
	}
}

// checkURL requires a web address with at most one variable, at its end.
func checkURL(b Button, at string, f *fault.Fault) {
	vars := variablesOf(b.URL)
	fixed, _, _ := strings.Cut(b.URL, "{{")
	switch {
	case !strings.HasPrefix(b.URL, "https://") && !strings.HasPrefix(b.URL, "http://"):
		f.Field(at+".url", "invalid_address")
	case len(vars) > 1 || len(vars) == 1 && (vars[0] != "1" || !strings.HasSuffix(b.URL, "}}") || len(fixed) < len("http://a.b/")):
		f.Field(at+".url", "invalid_variable")
	case len(vars) == 1 && (len(b.Example) != 1 || strings.TrimSpace(b.Example[0]) == ""):
		f.Field(at+".example", "sample_missing")
	}
}

func (c *Component) example() Example {
	if c.Example == nil {
		return Example{}
	}
	return *c.Example
}
