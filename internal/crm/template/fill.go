package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/fault"
)

// Use is a template with the values to fill it in.
type Use struct {
	TemplateID  uuid.UUID     `json:"template_id" format:"uuid"`
	Header      []string      `json:"header,omitempty" maxItems:"1" nullable:"false" example:"[]" doc:"Values of the header's variables, in order"`
	HeaderMedia string        `json:"header_media,omitempty" maxLength:"2048" example:"https://www.example.com/fatura.pdf" doc:"Address of the header's picture, video or document"`
	HeaderName  string        `json:"header_filename,omitempty" maxLength:"200" example:"fatura.pdf" doc:"Filename of a document"`
	Body        []string      `json:"body,omitempty" maxItems:"100" nullable:"false" example:"[\"Elif\",\"4711\"]" doc:"Values of the body's variables, in order"`
	Buttons     []ButtonValue `json:"buttons,omitempty" maxItems:"10" nullable:"false"`
}

// ButtonValue fills in a button.
type ButtonValue struct {
	Index int    `json:"index" minimum:"0" maximum:"9" example:"0" doc:"Position among the buttons, from 0"`
	Value string `json:"value" minLength:"1" maxLength:"2000" example:"4711" doc:"End of the button's address, or the code to copy"`
}

// Filled is a template with its values, as it is sent and, if necessary, sent again.
type Filled struct {
	ID       uuid.UUID `json:"id" format:"uuid" doc:"ID of the template"`
	Name     string    `json:"name" example:"kargo_bilgisi"`
	Language string    `json:"language" example:"tr"`
	Category string    `json:"category" example:"UTILITY"`

	HeaderFormat string         `json:"header_format,omitempty"`
	Header       []Value        `json:"header,omitempty"`
	HeaderMedia  string         `json:"header_media,omitempty"`
	HeaderName   string         `json:"header_filename,omitempty"`
	Body         []Value        `json:"body,omitempty"`
	Buttons      []FilledButton `json:"buttons,omitempty"`
}

// Value fills in one variable; the name is empty if variables are numbered.
type Value struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// FilledButton fills in one button.
type FilledButton struct {
	Index int    `json:"index"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

const maxValue = 1024

// Fill fills in a template. It returns what is sent and the text that the customer reads,
// or a fault with the wrong fields.
func (t *Template) Fill(u Use) (Filled, string, error) {
	f := fault.New(fault.ValidationFailed)
	vars := t.variables()
	out := Filled{
		ID: t.ID, Name: t.Name, Language: t.Language, Category: t.Category, HeaderMedia: u.HeaderMedia, HeaderName: u.HeaderName,
		Header: t.values("header", vars.Header, u.Header, f), Body: t.values("body", vars.Body, u.Body, f),
	}
	h, hasHeader := t.part(Header)
	if hasHeader {
		out.HeaderFormat = h.Format
	}
	switch vars.HeaderMedia {
	case "":
		if u.HeaderMedia != "" {
			f.Field("header_media", "not_allowed")
		}
	case Location:
		f.Field("template_id", "location_header")
	default:
		if !strings.HasPrefix(u.HeaderMedia, "https://") && !strings.HasPrefix(u.HeaderMedia, "http://") {
			f.Field("header_media", "required")
		}
	}
	for _, b := range vars.Buttons {
		i := slices.IndexFunc(u.Buttons, func(v ButtonValue) bool { return v.Index == b.Index })
		if i < 0 || strings.TrimSpace(u.Buttons[i].Value) == "" {
			f.Field("buttons."+strconv.Itoa(b.Index), "required")
			continue
		}
		out.Buttons = append(out.Buttons, FilledButton{Index: b.Index, Type: b.Type, Value: strings.TrimSpace(u.Buttons[i].Value)})
	}
	for _, v := range u.Buttons {
		if !slices.ContainsFunc(vars.Buttons, func(b ButtonVariable) bool { return b.Index == v.Index }) {
			f.Field("buttons", "too_many")
		}
	}
	if t.Category == Authentication && len(out.Body) == 1 {
		// The button carries the same code.
		if b, ok := t.part(Buttons); ok && len(b.Buttons) > 0 {
			out.Buttons = []FilledButton{{Index: 0, Type: OTP, Value: out.Body[0].Text}}
		}
	}
	if len(f.Fields) > 0 {
		return out, "", f
	}
	return out, t.text(&out), nil
}

// values pairs variables with the given values.
func (t *Template) values(field string, vars, given []string, f *fault.Fault) []Value {
	out := []Value{}
	for i, v := range vars {
		switch {
		case i >= len(given) || strings.TrimSpace(given[i]) == "":
			f.Field(field+"."+strconv.Itoa(i), "required")
			continue
		case long(given[i], maxValue):
			f.Field(field+"."+strconv.Itoa(i), "too_long")
			continue
		case strings.ContainsAny(given[i], "\n\r\t") || strings.Contains(given[i], "     "):
			f.Field(field+"."+strconv.Itoa(i), "one_line")
			continue
		}
		value := Value{Text: strings.TrimSpace(given[i])}
		if t.ParameterFormat == Named {
			value.Name = v
		}
		out = append(out, value)
	}
	if len(given) > len(vars) {
		f.Field(field, "too_many")
	}
	return out
}

// text returns the text that the customer reads.
func (t *Template) text(v *Filled) string {
	var parts []string
	if h, ok := t.part(Header); ok && h.Format == Text {
		parts = append(parts, filledIn(h.Text, v.Header))
	}
	if b, ok := t.part(Body); ok {
		text := filledIn(b.Text, v.Body)
		if text == "" && len(v.Body) > 0 {
			text = v.Body[0].Text
		}
		parts = append(parts, text)
	}
	if c, ok := t.part(Footer); ok && c.Text != "" {
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, "\n\n")
}

func filledIn(text string, values []Value) string {
	return variable.ReplaceAllStringFunc(text, func(m string) string {
		name := variable.FindStringSubmatch(m)[1]
		if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(values) {
			return values[n-1].Text
		}
		if i := slices.IndexFunc(values, func(v Value) bool { return v.Name == name }); i >= 0 {
			return values[i].Text
		}
		return m
	})
}
