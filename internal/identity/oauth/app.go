package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// CodeLife is how long an authorization code is valid.
const CodeLife = 60 * time.Second

// maxApps is the maximum number of apps of a workspace.
const maxApps = 50

// App is a program that may ask people for its own session.
type App struct {
	ID           uuid.UUID  `json:"id"`
	ClientID     string     `json:"client_id" example:"app_…" doc:"Public; the app is verified by PKCE"`
	Name         string     `json:"name" example:"Field service"`
	RedirectURIs []string   `json:"redirect_uris" nullable:"false" example:"[\"https://field.example.com/callback\"]"`
	Scopes       []string   `json:"scopes" nullable:"false" example:"[\"conversations.read\"]"`
	Public       bool       `json:"public" doc:"Whether people in other workspaces can connect it too"`
	CreatedBy    *uuid.UUID `json:"created_by" nullable:"true"`
	CreatedAt    clock.Time `json:"created_at"`

	tenant         uuid.UUID
	selfRegistered bool
}

// AppChange is a change of an app; nil fields stay unchanged.
type AppChange struct {
	Name         *string
	RedirectURIs []string
	Scopes       []string
	Public       *bool
}

// Grant is a person's consent to an app.
type Grant struct {
	ID        uuid.UUID  `json:"id"`
	App       GrantedApp `json:"app"`
	Scopes    []string   `json:"scopes" nullable:"false"`
	Resource  *string    `json:"resource" example:"https://konak.example/mcp" doc:"What its tokens give access to: the MCP server alone, whose tools read, draft, tag, assign and close, but send nothing; null for the whole API, or if the app has no token now"`
	CreatedAt clock.Time `json:"created_at"`
	UpdatedAt clock.Time `json:"updated_at" doc:"When consent was last given"`

	app uuid.UUID
}

// GrantedApp is what a person sees of an app.
type GrantedApp struct {
	ClientID  string `json:"client_id" example:"app_…"`
	Name      string `json:"name" example:"Field service"`
	Publisher string `json:"publisher" example:"Demo A.Ş." doc:"Workspace that registered the app; for a self-registered app, the host of its redirect URI"`
	// SelfRegistered apps choose their own names.
	SelfRegistered bool `json:"self_registered" doc:"Whether the app registered itself (RFC 7591); its name is then not verified"`
}

// AuthRequest is an app's request, in the terms of RFC 6749 and 7636.
type AuthRequest struct {
	ClientID            string `json:"client_id" minLength:"1" maxLength:"100" example:"app_…"`
	RedirectURI         string `json:"redirect_uri" minLength:"1" maxLength:"2000" example:"https://field.example.com/callback"`
	ResponseType        string `json:"response_type" maxLength:"40" example:"code" doc:"Must be code"`
	Scope               string `json:"scope,omitempty" maxLength:"2000" example:"conversations.read" doc:"Space-separated; if omitted, all scopes that the app registered"`
	State               string `json:"state,omitempty" maxLength:"1000" example:"af0ifjsldkj"`
	CodeChallenge       string `json:"code_challenge" maxLength:"200" example:"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	CodeChallengeMethod string `json:"code_challenge_method" maxLength:"40" example:"S256" doc:"Must be S256"`
	Resource            string `json:"resource,omitempty" maxLength:"2000" example:"https://konak.example/mcp" doc:"Resource the token is for (RFC 8707): this server or its MCP server"`
}

// Consent is the state of the consent page.
type Consent struct {
	App         GrantedApp                  `json:"app"`
	RedirectURI string                      `json:"redirect_uri" example:"https://field.example.com/callback"`
	State       string                      `json:"state" example:"af0ifjsldkj"`
	Scopes      []ConsentScope              `json:"scopes" nullable:"false" doc:"Scopes the app requests"`
	Resource    *string                     `json:"resource" example:"https://konak.example/mcp" doc:"What the token will give access to: the MCP server alone, whose tools read, draft, tag, assign and close, but send nothing; null for the whole API"`
	SignedIn    bool                        `json:"signed_in"`
	User        api.Nullable[identity.User] `json:"user"`
	Workspaces  []ConsentWorkspace          `json:"workspaces" nullable:"false" doc:"Workspaces the person can grant access to; empty before they sign in"`
}

// ConsentScope is a right that an app asks for, in plain words.
type ConsentScope struct {
	Name string `json:"name" example:"conversations.read"`
	EN   string `json:"en" example:"Read conversations"`
	TR   string `json:"tr" example:"Konuşmaları okuma"`
}

// ConsentWorkspace is a workspace that an app may get access to.
type ConsentWorkspace struct {
	identity.Workspace
	Current bool `json:"current" doc:"Whether it is the current session's workspace"`
	Granted bool `json:"granted" doc:"Whether the person already granted all of this"`
}

// RedirectTo is the address to which the consent page sends the browser.
type RedirectTo struct {
	RedirectTo string `json:"redirect_to" example:"https://field.example.com/callback?code=ac_…&state=af0ifjsldkj&iss=https%3A%2F%2Fkonak.example"`
}

// TokenRequest redeems a code.
type TokenRequest struct {
	GrantType    string `json:"grant_type" maxLength:"100" example:"authorization_code"`
	ClientID     string `json:"client_id" maxLength:"100" example:"app_…"`
	Code         string `json:"code" maxLength:"200" example:"ac_…"`
	RedirectURI  string `json:"redirect_uri" maxLength:"2000" example:"https://field.example.com/callback"`
	CodeVerifier string `json:"code_verifier" maxLength:"200" example:"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" doc:"43 to 128 characters"`
	Resource     string `json:"resource,omitempty" maxLength:"2000" example:"https://konak.example/mcp" doc:"Resource the token is for (RFC 8707)"`
}

// Token is the session of an app.
type Token struct {
	AccessToken string               `json:"access_token" example:"ses_…" doc:"Shown once"`
	TokenType   string               `json:"token_type" example:"Bearer"`
	ExpiresIn   int                  `json:"expires_in" example:"2592000" doc:"Seconds"`
	Scope       string               `json:"scope" example:"conversations.read"`
	Session     identity.SessionInfo `json:"session"`
	Workspace   identity.Workspace   `json:"workspace"`
}

// checkRedirects refuses return addresses that could hand a code to somebody else: plain
// http beyond this machine, fragments, schemes that apps do not use, hosts with a wildcard
// or another character that no name has.
func checkRedirects(list []string) error {
	for _, s := range list {
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Scheme == "" || u.Fragment != "" || strings.Contains(s, "#") || u.User != nil,
			strings.ContainsAny(u.Host, "*!$&'()+,;=%\" "): // refused below
		case u.Scheme == "https" && u.Host != "":
			continue
		case u.Scheme == "http" && (loopback(u) || u.Hostname() == "localhost"):
			continue
		case strings.Contains(u.Scheme, ".") && u.Host == "": // RFC 8252 §7.1
			continue
		}
		return fault.Invalid("redirect_uris", "invalid_address")
	}
	return nil
}

func loopback(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// redirectAllowed matches exactly, except for the port of a loopback address: apps listen
// on whichever is free (RFC 8252 §7.3).
func (a *App) redirectAllowed(uri string) bool {
	if slices.Contains(a.RedirectURIs, uri) {
		return true
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || !loopback(u) || u.Fragment != "" || u.User != nil {
		return false
	}
	return slices.ContainsFunc(a.RedirectURIs, func(s string) bool {
		r, err := url.Parse(s)
		return err == nil && r.Scheme == "http" && loopback(r) && r.Hostname() == u.Hostname() &&
			r.EscapedPath() == u.EscapedPath() && r.RawQuery == u.RawQuery
	})
}

// wanted returns the scopes of a request, and false if the app may not request them.
func (a *App) wanted(scope string) ([]string, bool) {
	scopes := slices.Compact(slices.Sorted(slices.Values(strings.Fields(scope))))
	if len(scopes) == 0 {
		return a.Scopes, true
	}
	return scopes, identity.CoversScopes(a.Scopes, scopes)
}

var (
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	verifierForm  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// verifies checks a PKCE verifier against its challenge (RFC 7636 §4.6).
func verifies(verifier, challenge string) bool {
	if !verifierForm.MatchString(verifier) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	got := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(got), []byte(challenge)) == 1
}

// backTo returns the app's return address with an answer in its query.
func backTo(redirect string, answer url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect // it was parsed when it was registered
	}
	q := u.Query()
	for name, v := range answer {
		if v[0] != "" {
			q.Set(name, v[0])
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// describeScopes describes scopes for the consent page.
func describeScopes(scopes []string) []ConsentScope {
	out := make([]ConsentScope, 0, len(scopes))
	for _, name := range scopes {
		c := ConsentScope{Name: name, EN: name, TR: name}
		for _, s := range perm.Scopes {
			if s.Name == name {
				c.EN, c.TR = s.EN, s.TR
			}
		}
		for _, e := range perm.Table {
			if string(e.Name) == name {
				c.EN, c.TR = e.EN, e.TR
			}
		}
		out = append(out, c)
	}
	return out
}
