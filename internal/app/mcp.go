package app

import (
	"context"

	"konak/internal/advisor"
	"konak/internal/crm/mcp"
)

// wireMCP makes the server of the Model Context Protocol.
func (a *App) wireMCP(*parts) (err error) {
	a.MCP, err = mcp.New(mcp.Config{
		DB: a.DB, Conversations: a.Conversations, Contacts: a.Contacts, Agents: a.Agents, Finder: a.Finder, Articles: a.HelpCenter,
		Replies: a.Replies, Provisions: provisions{a.Advisor}, Version: Version, MetadataURL: a.OAuth.ResourceMetadataURL,
	})
	return err
}

// provisions lets the MCP server read the regulations.
type provisions struct{ advisor *advisor.Service }

// SearchProvisions implements mcp.Provisions.
func (p provisions) SearchProvisions(ctx context.Context, text string, limit int) ([]mcp.FoundProvision, error) {
	found, err := p.advisor.Search(ctx, advisor.Question{Text: text, Status: "yururlukte", Limit: limit})
	var out []mcp.FoundProvision
	for _, h := range found.Hits {
		out = append(out, foundProvision(h.ID, h.Law, h.Provision, h.Snippet, h.Status, h.ValidFrom, h.SourceURL))
	}
	return out, err
}

// ReadProvision implements mcp.Provisions.
func (p provisions) ReadProvision(ctx context.Context, id string) (mcp.FoundProvision, error) {
	v, err := p.advisor.Provision(ctx, id)
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
