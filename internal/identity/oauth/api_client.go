package oauth

import (
	"context"

	"konak/internal/kit/api"
)

const registerPath = "/oauth/register"

// clientIn is the metadata of RFC 7591 that matters here. Other metadata is not stored.
type clientIn struct {
	Body struct {
		_             struct{} `json:"-" additionalProperties:"true"`
		Name          string   `json:"client_name,omitempty" maxLength:"200" example:"Claude" doc:"Name shown to people; not verified"`
		RedirectURIs  []string `json:"redirect_uris,omitempty" maxItems:"10" example:"[\"http://127.0.0.1/callback\"]" doc:"https, or http on the user's own machine"`
		GrantTypes    []string `json:"grant_types,omitempty" maxItems:"10" example:"[\"authorization_code\"]"`
		ResponseTypes []string `json:"response_types,omitempty" maxItems:"10" example:"[\"code\"]"`
		Scope         string   `json:"scope,omitempty" maxLength:"2000" example:"conversations.read" doc:"Space-separated; unknown scopes are dropped. If omitted, the scopes that the MCP server's tools need"`
	}
}

// RegisteredClient is the answer of RFC 7591 §3.2.1.
type RegisteredClient struct {
	ClientID      string   `json:"client_id" example:"app_…"`
	IssuedAt      int64    `json:"client_id_issued_at" example:"1793000000" doc:"Seconds since 1970"`
	Name          string   `json:"client_name" example:"Claude"`
	RedirectURIs  []string `json:"redirect_uris" nullable:"false" example:"[\"http://127.0.0.1/callback\"]"`
	GrantTypes    []string `json:"grant_types" nullable:"false" example:"[\"authorization_code\"]"`
	ResponseTypes []string `json:"response_types" nullable:"false" example:"[\"code\"]"`
	AuthMethod    string   `json:"token_endpoint_auth_method" example:"none" doc:"Always none, whatever was requested: clients have no secret and use PKCE"`
	Scope         string   `json:"scope" example:"conversations.read" doc:"Scopes the client can request"`
}

// registerClients adds the registration of clients.
func (s *Service) registerClients(a *api.API) {
	rt := api.Route{
		Method: "POST", Path: registerPath, ID: "oauth-register", Tag: "OAuth", Summary: "Register a client (RFC 7591)", Access: api.Public, Open: true,
		Status: 201, Refusals: []int{429},
		Doc: "Registration alone grants no access: a person decides where the client can act, and it can never do more than they can. At most ten registrations an hour from one IP address. A client that obtains no token for 30 days is removed and has to register again.",
	}
	api.HandleBare(a, rt, func(ctx context.Context, in *clientIn) (RegisteredClient, error) {
		b := in.Body
		return s.RegisterClient(ctx, ClientMetadata{b.Name, b.RedirectURIs, b.GrantTypes, b.ResponseTypes, b.Scope}, api.ClientIP(ctx))
	})
}
