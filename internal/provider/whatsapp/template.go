package whatsapp

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/template"
	"konak/internal/kit/each"
	"konak/internal/provider/graph"
)

// templateMessage returns a template message with the values filled in.
func templateMessage(t *template.Filled) Template {
	out := Template{Name: t.Name, Language: Language{Code: t.Language}}
	if t.HeaderMedia != "" {
		file := &Media{Link: t.HeaderMedia}
		p := Parameter{Type: strings.ToLower(t.HeaderFormat)}
		switch t.HeaderFormat {
		case template.Image:
			p.Image = file
		case template.Video:
			p.Video = file
		default:
			file.Filename = t.HeaderName
			p.Document = file
		}
		out.Components = append(out.Components, TemplateComponent{Type: "header", Parameters: []Parameter{p}})
	} else if len(t.Header) > 0 {
		out.Components = append(out.Components, TemplateComponent{Type: "header", Parameters: parameters(t.Header)})
	}
	if len(t.Body) > 0 {
		out.Components = append(out.Components, TemplateComponent{Type: "body", Parameters: parameters(t.Body)})
	}
	for _, b := range t.Buttons {
		c := TemplateComponent{Type: "button", SubType: "url", Index: strconv.Itoa(b.Index), Parameters: []Parameter{{Type: "text", Text: b.Value}}}
		if b.Type == template.CopyCode {
			c.SubType, c.Parameters = "copy_code", []Parameter{{Type: "coupon_code", CouponCode: b.Value}}
		}
		out.Components = append(out.Components, c)
	}
	return out
}

func parameters(values []template.Value) []Parameter {
	return each.Map(values, func(v template.Value) Parameter { return Parameter{Type: "text", Name: v.Name, Text: v.Text} })
}

// pages bounds the number of pages of templates that are read: more than a business may
// have.
const pages = 100

// Templates implements channel.Provider.
func (c *Client) Templates(ctx context.Context, a channel.Access) ([]template.Given, error) {
	out := []template.Given{}
	query := url.Values{"fields": {TemplateFields}, "limit": {"50"}}
	for t, err := range graph.List[TemplateRecord](ctx, c.graph, a.Token, "/"+url.PathEscape(a.BusinessID)+"/message_templates", query, pages) {
		if err != nil {
			return nil, err
		}
		g := template.Given{
			ProviderID: t.ID, Name: t.Name, Language: t.Language, Category: t.Category, Status: t.Status, Reason: t.Reason,
			ParameterFormat: cmp.Or(strings.ToUpper(t.ParameterFormat), template.Positional), Components: upper(t.Components),
		}
		if t.Quality != nil {
			g.Quality = quality(t.Quality.Score)
		}
		out = append(out, g)
	}
	return out, nil
}

// upper converts the types of components to upper case; Meta accepts both cases.
func upper(list []template.Component) []template.Component {
	out := make([]template.Component, len(list))
	for i, c := range list {
		c.Type, c.Format = strings.ToUpper(c.Type), strings.ToUpper(c.Format)
		for n := range c.Buttons {
			c.Buttons[n].Type = strings.ToUpper(c.Buttons[n].Type)
		}
		out[i] = c
	}
	return out
}

func quality(score string) string {
	switch score {
	case "GREEN", "YELLOW", "RED":
		return score
	}
	return "UNKNOWN"
}

// CreateTemplate implements channel.Provider.
func (c *Client) CreateTemplate(ctx context.Context, a channel.Access, t *template.Template) (template.Given, error) {
	var out TemplateRecord
	err := c.post(ctx, a, "/"+url.PathEscape(a.BusinessID)+"/message_templates", TemplateRecord{
		Name: t.Name, Language: t.Language, Category: t.Category, ParameterFormat: t.ParameterFormat, Components: t.Components,
	}, &out)
	return template.Given{ProviderID: out.ID, Status: cmp.Or(out.Status, template.Pending), Category: out.Category}, err
}

// EditTemplate implements channel.Provider. The answer contains no status: an edited
// template is in review.
func (c *Client) EditTemplate(ctx context.Context, a channel.Access, t *template.Template) (template.Given, error) {
	if t.ProviderID == nil {
		return template.Given{}, channel.ErrNoTemplate
	}
	var out struct {
		Success
		TemplateRecord
	}
	err := c.post(ctx, a, "/"+url.PathEscape(*t.ProviderID), TemplateEdit{Category: t.Category, Components: t.Components}, &out)
	return template.Given{Status: template.Pending, Category: out.Category}, err
}

// DeleteTemplate implements channel.Provider.
func (c *Client) DeleteTemplate(ctx context.Context, a channel.Access, name string) error {
	return c.graph.Delete(ctx, a.Token, "/"+url.PathEscape(a.BusinessID)+"/message_templates", url.Values{"name": {name}})
}

// UploadSample implements channel.Provider: it opens a session, then sends the bytes.
func (c *Client) UploadSample(ctx context.Context, a channel.Access, f template.Sample) (string, error) {
	var session ID
	err := c.graph.Do(ctx, graph.Call{
		Method: http.MethodPost, Path: "/app/uploads", Token: a.Token,
		Query: url.Values{"file_name": {f.Name}, "file_length": {strconv.FormatInt(f.Size, 10)}, "file_type": {f.Type}},
	}, &session)
	if err != nil {
		return "", err
	}
	var out UploadHandle
	err = c.graph.Do(ctx, graph.Call{
		Method: http.MethodPost, Path: "/" + session.ID, Token: a.Token, Scheme: "OAuth", Body: f.Content, Kind: f.Type, Timeout: graph.FilePatience,
		Header: http.Header{"File_offset": {"0"}},
	}, &out)
	return out.Handle, err
}
