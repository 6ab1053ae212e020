package oauth

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
)

// keepClients is how long a self-registered client is kept without a new token. No token
// lives longer, so none is left when the client is removed.
const keepClients = identity.SessionCeiling

// registrations limits the number of clients that one address registers.
var registrations = limit.Policy{Name: "oauth-register", Burst: 10, Window: time.Hour}

// maxClientName is the maximum length of a client's name, in bytes.
const maxClientName = 80

// ClientMetadata is what a client states about itself.
type ClientMetadata struct {
	Name          string
	RedirectURIs  []string
	GrantTypes    []string
	ResponseTypes []string
	Scope         string
}

// RegisterClient is the gate for a client that registers itself. The refusals are
// invalid_redirect_uris, invalid_client_metadata and rate_limited.
func (s *Service) RegisterClient(ctx context.Context, in ClientMetadata, ip string) (RegisteredClient, error) {
	a := App{Name: trtext.Cut(trtext.OneLine(in.Name), maxClientName), RedirectURIs: in.RedirectURIs, selfRegistered: true}
	if err := checkClientRedirects(in.RedirectURIs); err != nil {
		return RegisteredClient{}, err
	}
	if a.Name == "" {
		a.Name = a.host()
	}
	if len(in.GrantTypes) > 0 && !slices.Contains(in.GrantTypes, "authorization_code") {
		return RegisteredClient{}, fault.New(fault.InvalidClientData).Field("grant_types", "not_allowed")
	}
	if len(in.ResponseTypes) > 0 && !slices.Contains(in.ResponseTypes, "code") {
		return RegisteredClient{}, fault.New(fault.InvalidClientData).Field("response_types", "not_allowed")
	}
	if a.Scopes = clientScopes(in.Scope); len(a.Scopes) == 0 {
		return RegisteredClient{}, fault.New(fault.InvalidClientData).Field("scope", "unknown_scope")
	}
	if r := s.limits.Take(ctx, registrations, limit.OfIP(ip)); !r.Allowed {
		return RegisteredClient{}, api.RateLimited(r)
	}
	a.ClientID = secret.NewToken(secret.ClientPrefix)
	err := s.db.System("client registration").InTx(ctx, func(tx *db.Tx) error {
		a.ID, a.CreatedAt = tx.NewID(), clock.At(tx.Now())
		return putClient(tx, a)
	})
	if err != nil {
		return RegisteredClient{}, fmt.Errorf("oauth: put client: %w", err)
	}
	return RegisteredClient{
		ClientID: a.ClientID, IssuedAt: a.CreatedAt.Unix(), Name: a.Name, RedirectURIs: a.RedirectURIs, GrantTypes: []string{"authorization_code"},
		ResponseTypes: []string{"code"}, AuthMethod: "none", Scope: strings.Join(a.Scopes, " "),
	}, nil
}

// checkClientRedirects refuses what checkRedirects refuses, and custom schemes: any program
// on a machine may claim those, and nobody vouches for this client.
func checkClientRedirects(list []string) error {
	refused := fault.New(fault.InvalidRedirectURIs).Field("redirect_uris", "invalid_address")
	if len(list) == 0 || checkRedirects(list) != nil {
		return refused
	}
	for _, s := range list {
		if u, err := url.Parse(s); err != nil || len(s) > 2000 || u.Scheme != "https" && u.Scheme != "http" {
			return refused
		}
	}
	return nil
}

// clientScopes returns the known scopes that a client asks for, or those of the MCP
// server's tools.
func clientScopes(wanted string) []string {
	list := strings.Fields(wanted)
	if len(list) == 0 {
		return slices.Sorted(slices.Values(resourceScopes))
	}
	list = slices.DeleteFunc(list, func(name string) bool { return !perm.KnownScope(name) })
	slices.Sort(list)
	return slices.Compact(list)
}

// host returns the host of an app's first redirect URI, "" if there is none.
func (a *App) host() string {
	if len(a.RedirectURIs) == 0 {
		return ""
	}
	u, err := url.Parse(a.RedirectURIs[0])
	if err != nil {
		return ""
	}
	return u.Hostname()
}
