package app

import (
	"konak/internal/app/adapter"
	"konak/internal/crm/mcp"
)

// wireMCP builds the server of the Model Context Protocol.
func (a *App) wireMCP(*parts) (err error) {
	a.MCP, err = mcp.New(mcp.Config{
		DB: a.DB, Conversations: a.Conversations, Contacts: a.Contacts, Agents: a.Agents, Finder: a.Finder, Articles: a.HelpCenter,
		Replies: a.Replies, Provisions: adapter.Provisions{Advisor: a.Advisor}, Version: Version, MetadataURL: a.OAuth.ResourceMetadataURL,
	})
	return err
}
