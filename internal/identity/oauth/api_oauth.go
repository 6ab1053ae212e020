package oauth

import (
	"context"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type consentIn struct{ Body AuthRequest }

type authorizeIn struct {
	Body struct {
		AuthRequest
		Decision    string     `json:"decision" enum:"approve,deny" example:"approve"`
		WorkspaceID *uuid.UUID `json:"workspace_id,omitempty" doc:"Workspace to grant access to; the session's own by default"`
	}
}

type tokenIn struct{ Body TokenRequest }

// registerFlow adds the platform document's part of the authorization code
// flow, in the envelope.
func (s *Service) registerFlow(a *api.API) {
	consent := identity.Route("POST", "/app/context", "app-context", "Get the state of the consent page")
	consent.Access, consent.Invalid400, consent.Refusals = api.Keyless, true, []int{400}
	consent.Doc = "Also works without a credential, so that the page can show what the app requests before the person signs in. 400 if a parameter is invalid."
	api.Handle(a, consent, func(ctx context.Context, in *consentIn) (Consent, error) { return s.Consent(ctx, in.Body) })

	authorize := identity.Route("POST", "/app/authorize", "app-authorize", "Approve or deny an app")
	authorize.Invalid400, authorize.ShowsSecret, authorize.Refusals = true, true, []int{400}
	authorize.Doc = "Returns the redirect URI for the page to open, with a code that is valid once, for 60 seconds, or with error=access_denied."
	api.Handle(a, authorize, func(ctx context.Context, in *authorizeIn) (RedirectTo, error) {
		workspace := uuid.Nil
		if in.Body.WorkspaceID != nil {
			workspace = *in.Body.WorkspaceID
		}
		return s.Authorize(ctx, in.Body.AuthRequest, in.Body.Decision == "approve", workspace)
	})

	token := identity.Route("POST", "/app/token", "app-token", "Exchange a code for a session")
	token.Access, token.Permission, token.Open, token.Invalid400, token.ShowsSecret = api.Public, "", true, true, true
	token.Doc = "The app is verified by PKCE with S256. Using a code a second time ends the session opened by the first use."
	api.Handle(a, token, func(ctx context.Context, in *tokenIn) (Token, error) {
		return s.Redeem(ctx, in.Body, api.ClientIP(ctx))
	})
}

type oauthAuthorizeIn struct {
	ClientID            string `query:"client_id" example:"app_…"`
	RedirectURI         string `query:"redirect_uri" example:"https://field.example.com/callback"`
	ResponseType        string `query:"response_type" example:"code"`
	Scope               string `query:"scope" example:"conversations.read"`
	State               string `query:"state" example:"af0ifjsldkj"`
	CodeChallenge       string `query:"code_challenge" example:"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	CodeChallengeMethod string `query:"code_challenge_method" example:"S256"`
	Resource            string `query:"resource" example:"https://konak.example/mcp" doc:"Resource the token is for (RFC 8707)"`
}

// oauthTokenIn is TokenRequest as a form. Nothing is required by its schema:
// another grant has other fields, and must be told that it is not served.
type oauthTokenIn struct {
	Body struct {
		_            struct{} `json:"-" additionalProperties:"true"`
		GrantType    string   `json:"grant_type,omitempty" maxLength:"100" example:"authorization_code"`
		ClientID     string   `json:"client_id,omitempty" maxLength:"100" example:"app_…"`
		Code         string   `json:"code,omitempty" maxLength:"200" example:"ac_…"`
		RedirectURI  string   `json:"redirect_uri,omitempty" maxLength:"2000" example:"https://field.example.com/callback"`
		CodeVerifier string   `json:"code_verifier,omitempty" maxLength:"200" example:"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" doc:"43 to 128 characters"`
		Resource     string   `json:"resource,omitempty" maxLength:"2000" example:"https://konak.example/mcp" doc:"Resource the token is for (RFC 8707)"`
	} `contentType:"application/x-www-form-urlencoded"`
}

// request returns the request of a complete form; fault.ValidationFailed if something is
// missing.
func (in *oauthTokenIn) request() (TokenRequest, error) {
	b := in.Body
	missing := fault.New(fault.ValidationFailed)
	if b.GrantType == "" {
		return TokenRequest{}, missing.Field("grant_type", "required")
	}
	if b.GrantType == "authorization_code" {
		for _, f := range []struct{ name, value string }{
			{"client_id", b.ClientID}, {"code", b.Code}, {"redirect_uri", b.RedirectURI}, {"code_verifier", b.CodeVerifier},
		} {
			if f.value == "" {
				return TokenRequest{}, missing.Field(f.name, "required")
			}
		}
	}
	return TokenRequest{GrantType: b.GrantType, ClientID: b.ClientID, Code: b.Code, RedirectURI: b.RedirectURI, CodeVerifier: b.CodeVerifier, Resource: b.Resource}, nil
}

type oauthRevokeIn struct {
	Body struct {
		_             struct{} `json:"-" additionalProperties:"true"`
		Token         string   `json:"token,omitempty" maxLength:"200" example:"ses_…"`
		TokenTypeHint string   `json:"token_type_hint,omitempty" maxLength:"100" example:"access_token" doc:"Ignored: there is only one type of token"`
		ClientID      string   `json:"client_id,omitempty" maxLength:"100" example:"app_…" doc:"App that the token was issued to"`
	} `contentType:"application/x-www-form-urlencoded"`
}

// BareToken is the answer of RFC 6749 §5.1.
type BareToken struct {
	AccessToken string             `json:"access_token" example:"ses_…"`
	TokenType   string             `json:"token_type" example:"Bearer"`
	ExpiresIn   int                `json:"expires_in" example:"2592000"`
	Scope       string             `json:"scope" example:"conversations.read"`
	Workspace   identity.Workspace `json:"workspace" doc:"Workspace the token is valid for"`
}

// ServerMetadata is the server metadata of RFC 8414.
type ServerMetadata struct {
	Issuer                string   `json:"issuer" example:"https://konak.example"`
	AuthorizationEndpoint string   `json:"authorization_endpoint" example:"https://konak.example/oauth/authorize"`
	TokenEndpoint         string   `json:"token_endpoint" example:"https://konak.example/oauth/token"`
	RegistrationEndpoint  string   `json:"registration_endpoint" example:"https://konak.example/oauth/register"`
	RevocationEndpoint    string   `json:"revocation_endpoint" example:"https://konak.example/oauth/revoke"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported" nullable:"false"`
	ScopesSupported       []string `json:"scopes_supported" nullable:"false"`
	ResponseTypes         []string `json:"response_types_supported" nullable:"false"`
	ResponseModes         []string `json:"response_modes_supported" nullable:"false"`
	GrantTypes            []string `json:"grant_types_supported" nullable:"false"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported" nullable:"false"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported" nullable:"false"`
	ServiceDocumentation  string   `json:"service_documentation" example:"https://konak.example/docs"`
	UILocales             []string `json:"ui_locales_supported" nullable:"false"`
	ResponseIss           bool     `json:"authorization_response_iss_parameter_supported" doc:"RFC 9207"`
}

// registerStandard adds the same flow in the form that standard clients use.
func (s *Service) registerStandard(a *api.API) {
	bare := func(method, path, id, summary string) api.Route {
		return api.Route{
			Method: method, Path: path, ID: id, Tag: "OAuth", Summary: summary, Access: api.Public, Open: true,
		}
	}

	authorize := bare("GET", "/oauth/authorize", "oauth-authorize", "Start the authorization code flow (RFC 6749)")
	authorize.Doc = "Redirects the browser to the consent page, or back to the app if its request is invalid."
	api.HandleRedirect(a, authorize, func(ctx context.Context, in *oauthAuthorizeIn, query url.Values) (string, error) {
		_, trusted, err := s.check(ctx, AuthRequest(*in))
		if f, ok := fault.As(err); ok && trusted {
			return backTo(in.RedirectURI, url.Values{
				"error": {api.BareCode(f)}, "error_description": {f.Message("en")}, "state": {in.State}, "iss": {s.baseURL},
			}), nil
		} else if err != nil && !ok {
			return "", err
		}
		// A wrong app or return address is shown to the person, not reported to the app.
		return s.baseURL + "/consent?" + query.Encode(), nil
	})

	token := bare("POST", "/oauth/token", "oauth-token", "Exchange a code for a token (RFC 6749)")
	token.ShowsSecret = true
	token.Doc = "Takes a form and responds without the envelope; otherwise the same as POST /api/v1/auth/app/token."
	api.HandleBare(a, token, func(ctx context.Context, in *oauthTokenIn) (BareToken, error) {
		request, err := in.request()
		if err != nil {
			return BareToken{}, err
		}
		t, err := s.Redeem(ctx, request, api.ClientIP(ctx))
		return BareToken{t.AccessToken, t.TokenType, t.ExpiresIn, t.Scope, t.Workspace}, err
	})

	revoke := bare("POST", "/oauth/revoke", "oauth-revoke", "Revoke a token (RFC 7009)")
	revoke.Doc = "Takes a form with the token and the client_id of the app it was issued to. Returns 200 whether or not the token exists. A token of another app is refused with invalid_grant and stays valid."
	api.HandleBare(a, revoke, func(ctx context.Context, in *oauthRevokeIn) (struct{}, error) {
		if in.Body.Token == "" {
			return struct{}{}, fault.Invalid("token", "required")
		}
		return struct{}{}, s.RevokeToken(ctx, in.Body.ClientID, in.Body.Token)
	})

	metadata := bare("GET", "/.well-known/oauth-authorization-server", "oauth-metadata", "Authorization server metadata (RFC 8414)")
	api.HandleBare(a, metadata, func(context.Context, *struct{}) (ServerMetadata, error) {
		scopes := slices.Clone(resourceScopes)
		for _, sc := range perm.Scopes {
			scopes = append(scopes, sc.Name)
		}
		slices.Sort(scopes)
		return ServerMetadata{
			Issuer: s.baseURL, AuthorizationEndpoint: s.baseURL + "/oauth/authorize", TokenEndpoint: s.baseURL + "/oauth/token",
			RegistrationEndpoint: s.baseURL + registerPath,
			RevocationEndpoint:   s.baseURL + "/oauth/revoke", RevocationAuthMethods: []string{"none"},
			ScopesSupported: slices.Compact(scopes), ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
			GrantTypes: []string{"authorization_code"}, TokenAuthMethods: []string{"none"}, ChallengeMethods: []string{"S256"},
			ServiceDocumentation: s.baseURL + "/docs", UILocales: []string{"tr", "en"}, ResponseIss: true,
		}, nil
	})
}
