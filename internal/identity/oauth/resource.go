package oauth

import (
	"context"
	"net/url"
	"strings"

	"konak/internal/kit/api"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// resourcePath is the path of the protected resource that names this package's service as
// its authorization server: the MCP server.
const resourcePath = "/mcp"

const resourceMetadataPath = "/.well-known/oauth-protected-resource"

// ResourceMetadata is the resource metadata of RFC 9728.
type ResourceMetadata struct {
	Resource             string   `json:"resource" example:"https://konak.example/mcp"`
	AuthorizationServers []string `json:"authorization_servers" nullable:"false"`
	ScopesSupported      []string `json:"scopes_supported" nullable:"false"`
	BearerMethods        []string `json:"bearer_methods_supported" nullable:"false"`
	ResourceName         string   `json:"resource_name" example:"Konak"`
}

// resourceScopes are the scopes that the tools of the resource need.
var resourceScopes = []string{
	string(perm.ArticlesView), "advisor.read", "agents.read", "contacts.read", "conversations.read", "conversations.write",
}

// origin returns the origin of a request's host: ours, or the workspace's own host with the
// same scheme and port.
func (s *Service) origin(ctx context.Context) string {
	host := api.ModuleHost(ctx)
	u, err := url.Parse(s.baseURL)
	if host == "" || err != nil {
		return s.baseURL
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

// ResourceMetadataURL returns the address of the resource's metadata, on the host of the
// request.
func (s *Service) ResourceMetadataURL(ctx context.Context) string {
	return s.origin(ctx) + resourceMetadataPath + resourcePath
}

// resourceOf returns the resource that a token for an address of RFC 8707 opens: "" for
// this server or for no address, resourcePath for the MCP server on it or on a workspace's
// host. It returns fault.InvalidTarget if the address is not ours.
func (s *Service) resourceOf(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	refused := fault.New(fault.InvalidTarget).Field("resource", "unknown")
	base, err := url.Parse(s.baseURL)
	u, errOther := url.Parse(address)
	if err != nil || errOther != nil || u.Scheme != base.Scheme || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", refused
	}
	path := strings.TrimSuffix(u.Path, "/")
	if u.Host == base.Host {
		if path != "" && path != resourcePath {
			return "", refused
		}
		return path, nil
	}
	slug, ok := strings.CutSuffix(u.Host, ".crm."+base.Host)
	if !ok || slug == "" || strings.ContainsAny(slug, ".:@") || path != resourcePath {
		return "", refused
	}
	return resourcePath, nil
}

// addressOf returns the address of the resource that a token opens; nil for the whole
// server.
func (s *Service) addressOf(ctx context.Context, resource string) *string {
	if resource == "" {
		return nil
	}
	address := s.origin(ctx) + resource
	return &address
}

// narrowed returns the resource that a token opens if its code was for one resource and is
// redeemed with an address: the code's resource, or the part of it that is requested now.
// More than the person saw is fault.InvalidTarget.
func (s *Service) narrowed(code, address string) (string, error) {
	asked, err := s.resourceOf(address)
	switch {
	case err != nil:
		return "", err
	case code == "" || asked == code:
		return asked, nil
	case address == "":
		return code, nil
	}
	return "", fault.New(fault.InvalidTarget).Field("resource", "not_allowed")
}

// registerResource adds the metadata of the resource, at the address that RFC 9728 derives
// from the resource's and at that of the whole host.
func (s *Service) registerResource(a *api.API) {
	for _, path := range []string{resourceMetadataPath, resourceMetadataPath + resourcePath} {
		id := "oauth-resource"
		if path != resourceMetadataPath {
			id = "oauth-mcp-resource"
		}
		api.HandleBare(a, api.Route{
			Method: "GET", Path: path, ID: id, Tag: "OAuth", Summary: "Protected resource metadata (RFC 9728)", Access: api.Public, Open: true,
			Doc: "Names the MCP server of this host as the resource and this server as its authorization server.",
		}, func(ctx context.Context, _ *struct{}) (ResourceMetadata, error) {
			return ResourceMetadata{
				Resource: s.origin(ctx) + resourcePath, AuthorizationServers: []string{s.baseURL}, ScopesSupported: resourceScopes,
				BearerMethods: []string{"header"}, ResourceName: "Konak",
			}, nil
		})
	}
}
