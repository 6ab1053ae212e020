// Package adapter lets modules use each other through the small interfaces that they
// declare. It makes no decisions.
package adapter

import (
	"context"
	"strings"

	"konak/internal/advisor"
	"konak/internal/crm/assistant"
	"konak/internal/crm/assistant/engine"
	"konak/internal/crm/mcp"
	"konak/internal/kit/each"
)

// Provisions lets the MCP server and the assistant read the regulations.
type Provisions struct{ Advisor *advisor.Service }

var (
	_ mcp.Provisions       = Provisions{}
	_ assistant.Provisions = Provisions{}
)

// SearchProvisions implements mcp.Provisions.
func (p Provisions) SearchProvisions(ctx context.Context, text, cursor string, limit int) (out []mcp.FoundProvision, next string, err error) {
	found, err := p.Advisor.Search(ctx, advisor.Question{Text: text, Status: "yururlukte", Limit: limit, Cursor: cursor})
	for _, h := range found.Hits {
		out = append(out, foundProvision(h.ID, h.Law, h.Provision, h.Snippet, h.Status, h.ValidFrom, h.SourceURL))
	}
	return out, found.Next, err
}

// ReadProvision implements mcp.Provisions.
func (p Provisions) ReadProvision(ctx context.Context, id string) (mcp.FoundProvision, error) {
	v, err := p.Advisor.Provision(ctx, id)
	if err != nil {
		return mcp.FoundProvision{}, err
	}
	return foundProvision(v.ID, v.Law, v.Provision, v.Text, v.Status, v.ValidFrom, v.SourceURL), nil
}

func foundProvision(id string, law advisor.HitLaw, at advisor.HitProvision, text, status, from string, source *string) mcp.FoundProvision {
	out := mcp.FoundProvision{ID: id, Label: at.Label, Law: law.Title, Heading: at.Heading, Text: text, Status: status, ValidFrom: from}
	if source != nil {
		out.SourceURL = *source
	}
	return out
}

// FindProvisions implements assistant.Provisions.
func (p Provisions) FindProvisions(ctx context.Context, question string, limit int) ([]engine.Text, error) {
	found, err := p.Advisor.Passages(ctx, question, limit)
	return each.Map(found, func(v advisor.Passage) engine.Text {
		return engine.Text{
			Kind: engine.Provision, Language: engine.Turkish, Title: strings.TrimSuffix(v.Label+" "+v.Heading, " "), Summary: v.Law, URL: v.URL,
			Sections: []engine.Section{{Heading: v.Heading, Body: v.Text}},
		}
	}), err
}
