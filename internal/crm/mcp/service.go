package mcp

import (
	"context"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"konak/internal/crm/agent"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/finder"
	"konak/internal/crm/helpcenter"
	"konak/internal/crm/reply"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
)

// Provisions searches and reads the regulations.
type Provisions interface {
	// SearchProvisions returns provisions in force, and a cursor for the next call with the
	// same text, "" at the end.
	SearchProvisions(ctx context.Context, text, cursor string, limit int) ([]FoundProvision, string, error)
	// ReadProvision returns one provision; fault.NotFound for an unknown id.
	ReadProvision(ctx context.Context, id string) (FoundProvision, error)
}

// FoundProvision is a provision with the text that was found in it, or all of its text.
type FoundProvision struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Law       string `json:"law"`
	Heading   string `json:"heading"`
	Text      string `json:"text"`
	Cut       bool   `json:"cut,omitempty"`
	Status    string `json:"status"`
	ValidFrom string `json:"valid_from"`
	SourceURL string `json:"source_url,omitempty"`
}

// Config is what the package needs. Every field is required.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
	Contacts      *contact.Service
	Agents        *agent.Service
	Finder        *finder.Service
	Articles      *helpcenter.Service
	Replies       *reply.Service
	Provisions    Provisions
	Version       string
	// MetadataURL returns the URL of the metadata of this resource (RFC 9728), on the host
	// of the request.
	MetadataURL func(ctx context.Context) string
}

// Service is the MCP server of every workspace.
type Service struct {
	cfg    Config
	server *sdk.Server
	tools  map[string]tool
	api    *api.API
}

// New returns the service, or an error if the config is incomplete.
func New(cfg Config) (*Service, error) {
	if cfg.DB == nil || cfg.Conversations == nil || cfg.Contacts == nil || cfg.Agents == nil || cfg.Finder == nil ||
		cfg.Articles == nil || cfg.Replies == nil || cfg.Provisions == nil || cfg.MetadataURL == nil {
		return nil, errors.New("mcp: every field of the config is needed")
	}
	return &Service{cfg: cfg, tools: map[string]tool{}}, nil
}

// done is the outcome of a successful call; the outcome of any other is the code of its
// refusal.
const done = "done"

// record writes the audit line of a call that changed nothing.
func (s *Service) record(ctx context.Context, name, object, outcome string) error {
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return writeLine(tx, name, object, outcome) })
}

// writeLine writes the audit line of a call.
func writeLine(tx *db.Tx, name, object, outcome string) error {
	return audit.Write(tx, "mcp.called", object, map[string]any{"tool": name, "outcome": outcome})
}
