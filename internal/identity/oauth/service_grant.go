package oauth

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// checkedRequest is a request of an app that passed every check.
type checkedRequest struct {
	app       App
	publisher string
	scopes    []string
	resource  string
}

// check finds the app of a request and checks the request. If trusted is true, a fault may
// be reported to the app at its return address; otherwise the address itself is in doubt.
func (s *Service) check(ctx context.Context, in AuthRequest) (q checkedRequest, trusted bool, err error) {
	err = s.db.System("app look-up").Read(ctx, func(r *db.Reader) (err error) {
		q.app, q.publisher, err = appByClient(r, in.ClientID)
		return err
	})
	switch {
	case err != nil:
		return q, false, db.IfNoRow(fmt.Errorf("oauth: find app: %w", err), fault.New(fault.InvalidClient).Field("client_id", "unknown"))
	case !q.app.redirectAllowed(in.RedirectURI):
		return q, false, fault.New(fault.InvalidRedirect).Field("redirect_uri", "not_registered")
	case in.ResponseType != "code":
		return q, true, fault.New(fault.UnsupportedResponse).Field("response_type", "not_allowed")
	case in.CodeChallengeMethod != "S256":
		return q, true, fault.New(fault.InvalidParameter).Field("code_challenge_method", "not_allowed")
	case !challengeForm.MatchString(in.CodeChallenge):
		return q, true, fault.New(fault.InvalidParameter).Field("code_challenge", "invalid_format")
	}
	if q.resource, err = s.resourceOf(in.Resource); err != nil {
		return q, true, err
	}
	var ok bool
	if q.scopes, ok = q.app.wanted(in.Scope); !ok {
		return q, true, fault.New(fault.InvalidScope).Field("scope", "not_allowed")
	}
	return q, true, nil
}

// Consent returns the state of the consent page: what an app asks for and, once the person
// has signed in, in which workspaces they may let it in.
func (s *Service) Consent(ctx context.Context, in AuthRequest) (Consent, error) {
	q, _, err := s.check(ctx, in)
	if err != nil {
		return Consent{}, err
	}
	out := Consent{
		App:         GrantedApp{q.app.ClientID, q.app.Name, q.publisher, q.app.selfRegistered},
		RedirectURI: in.RedirectURI, State: in.State, Scopes: describeScopes(q.scopes), Resource: s.addressOf(ctx, q.resource), Workspaces: []ConsentWorkspace{},
	}
	who := caller.From(ctx)
	if who.Kind != caller.Agent {
		return out, nil
	}
	err = s.db.System("app look-up").Read(ctx, func(r *db.Reader) error {
		u, err := identity.FindUserByMember(r, who.TenantID, who.ID)
		if err != nil {
			return err
		}
		out.SignedIn, out.User = true, api.Some(u)
		granted, err := grantedScopes(r, u.ID, q.app.ID)
		if err != nil {
			return err
		}
		own, err := identity.FindWorkspaces(r, u.ID)
		for _, p := range own {
			if q.app.Public || p.Workspace.ID == q.app.tenant {
				out.Workspaces = append(out.Workspaces, ConsentWorkspace{
					Workspace: p.Workspace, Current: p.Workspace.ID == who.TenantID,
					Granted: identity.CoversScopes(granted[p.Workspace.ID], q.scopes),
				})
			}
		}
		return err
	})
	return out, err
}

// Authorize is the gate for a person's decision about an app. It returns the address that
// the page opens: the app's, with a code or with the refusal.
func (s *Service) Authorize(ctx context.Context, in AuthRequest, approve bool, workspace uuid.UUID) (RedirectTo, error) {
	q, _, err := s.check(ctx, in)
	if err != nil {
		return RedirectTo{}, err
	}
	answer := url.Values{"state": {in.State}, "iss": {s.baseURL}}
	if !approve {
		answer.Set("error", "access_denied")
		return RedirectTo{backTo(in.RedirectURI, answer)}, nil
	}
	who := caller.From(ctx)
	if workspace == uuid.Nil {
		workspace = who.TenantID
	}
	member, user, err := s.findMembership(ctx, workspace)
	if err != nil {
		return RedirectTo{}, err
	}
	if !q.app.Public && workspace != q.app.tenant {
		return RedirectTo{}, fault.Invalid("workspace_id", "unknown")
	}
	token := secret.NewToken(secret.CodePrefix)
	// The decision belongs to the workspace that the app gets access to.
	ctx = caller.With(ctx, &caller.Caller{
		Kind: caller.Agent, TenantID: workspace, Slug: member.Workspace.Slug, ID: member.Membership.ID, UserID: user, IP: who.IP,
	})
	err = s.db.Tenant(workspace).InTx(ctx, func(tx *db.Tx) error {
		grant, err := saveGrant(tx, member.Membership.ID, q.app.ID, q.scopes)
		if err != nil {
			return fmt.Errorf("oauth: save grant: %w", err)
		}
		c := code{
			app: q.app.ID, membership: member.Membership.ID, user: user,
			redirect: in.RedirectURI, scopes: q.scopes, challenge: in.CodeChallenge, resource: q.resource,
		}
		if err := putCode(tx, c, grant, secret.Hash(token)); err != nil {
			return fmt.Errorf("oauth: put code: %w", err)
		}
		return audit.Write(tx, "app.authorized", grant.String(), map[string]any{
			"app": q.app.Name, "client_id": q.app.ClientID, "scopes": q.scopes,
		})
	})
	answer.Set("code", token)
	return RedirectTo{backTo(in.RedirectURI, answer)}, err
}

// findMembership finds the caller's membership in a workspace. It returns
// fault.ValidationFailed if they are not a member, as if the workspace did not exist.
func (s *Service) findMembership(ctx context.Context, workspace uuid.UUID) (identity.OwnWorkspace, uuid.UUID, error) {
	who := caller.From(ctx)
	var user identity.User
	var own []identity.OwnWorkspace
	err := s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if user, err = identity.FindUserByMember(r, who.TenantID, who.ID); err != nil {
			return err
		}
		own, err = identity.FindWorkspaces(r, user.ID)
		return err
	})
	if err != nil {
		return identity.OwnWorkspace{}, uuid.Nil, fmt.Errorf("oauth: find workspaces: %w", err)
	}
	i := slices.IndexFunc(own, func(w identity.OwnWorkspace) bool { return w.Workspace.ID == workspace })
	if i < 0 {
		return identity.OwnWorkspace{}, uuid.Nil, fault.Invalid("workspace_id", "unknown")
	}
	return own[i], user.ID, nil
}

// Redeem is the gate for exchanging a code for a session. The second use of a code is
// refused and ends the session that the first one opened: one of the two was not made by
// the app.
func (s *Service) Redeem(ctx context.Context, in TokenRequest, ip string) (Token, error) {
	if in.GrantType != "authorization_code" {
		return Token{}, fault.New(fault.UnsupportedGrant).Field("grant_type", "not_allowed")
	}
	if _, err := s.resourceOf(in.Resource); err != nil {
		return Token{}, err
	}
	refused := fault.New(fault.InvalidGrant)
	if !secret.WellFormed(in.Code, secret.CodePrefix) {
		return Token{}, refused
	}
	c, err := db.Read(ctx, s.db.System("app look-up"), func(r *db.Reader) (code, error) { return codeByHash(r, secret.Hash(in.Code)) })
	if err != nil {
		return Token{}, db.IfNoRow(fmt.Errorf("oauth: find code: %w", err), refused)
	}
	// This comes before any change: without the verifier a leaked code is worth nothing,
	// and must not be enough to end a session either.
	if c.clientID != in.ClientID || c.redirect != in.RedirectURI || !verifies(in.CodeVerifier, c.challenge) {
		return Token{}, refused
	}
	resource, err := s.narrowed(c.resource, in.Resource)
	if err != nil {
		return Token{}, err
	}
	ctx = caller.With(ctx, &caller.Caller{
		Kind: caller.Agent, TenantID: c.tenant, Slug: c.workspace.Slug, ID: c.membership, UserID: c.user, Delegated: true, IP: ip,
	})
	out := Token{TokenType: "Bearer", ExpiresIn: int(identity.SessionCeiling / time.Second), Scope: strings.Join(c.scopes, " "), Workspace: c.workspace}
	first := false
	err = s.db.Tenant(c.tenant).InTx(ctx, func(tx *db.Tx) (err error) {
		if first, err = useCode(tx, c.id); err != nil {
			return fmt.Errorf("oauth: use code: %w", err)
		}
		if !first {
			return s.revokeReused(tx, c)
		}
		out.AccessToken, out.Session, err = s.identity.OpenSession(tx, identity.NewSession{
			TenantID: c.tenant, MembershipID: c.membership, UserID: c.user, Kind: identity.SessionApp,
			Device: identity.Device{Name: c.appName, IP: ip}, AppID: &c.app, Scopes: c.scopes, Resource: resource, Unproven: true,
		})
		if err != nil {
			return err
		}
		if c.registered {
			if err := markClientUsed(tx, c.app); err != nil {
				return fmt.Errorf("oauth: mark client: %w", err)
			}
		}
		if err := setCodeSession(tx, c.id, out.Session.ID); err != nil {
			return fmt.Errorf("oauth: bind code: %w", err)
		}
		return audit.Write(tx, "session.opened", out.Session.ID.String(), map[string]any{"method": "app", "app": c.appName})
	})
	if err != nil {
		return Token{}, err
	}
	if !first {
		return Token{}, refused
	}
	return out, nil
}

// RevokeToken ends the session that an app was given. It returns nil if there is no such
// session and fault.InvalidGrant if it belongs to another app.
func (s *Service) RevokeToken(ctx context.Context, clientID, token string) error {
	if !secret.WellFormed(token, secret.SessionPrefix) {
		return nil
	}
	var given identity.AppSession
	var owner string
	err := s.db.System("app look-up").Read(ctx, func(r *db.Reader) (err error) {
		if given, err = identity.FindAppSession(r, secret.Hash(token)); err == nil {
			owner, err = clientOfApp(r, given.AppID)
		}
		return err
	})
	if err != nil {
		return db.IfNoRow(fmt.Errorf("oauth: find session: %w", err), nil)
	}
	if owner != clientID {
		return fault.New(fault.InvalidGrant)
	}
	ctx = caller.With(ctx, &caller.Caller{
		Kind: caller.Agent, TenantID: given.TenantID, ID: given.MembershipID, UserID: given.UserID, SessionID: given.ID, Delegated: true, IP: api.ClientIP(ctx),
	})
	return s.db.Tenant(given.TenantID).InTx(ctx, func(tx *db.Tx) error {
		if err := s.identity.CloseSession(tx, given.ID, "revoked"); err != nil {
			return err
		}
		return audit.Write(tx, "session.closed", given.ID.String(), map[string]any{"reason": "revoked", "client_id": clientID})
	})
}

// revokeReused ends the session that the first use of a code opened. A code that was never
// used is merely too old.
func (s *Service) revokeReused(tx *db.Tx, c code) error {
	session, err := sessionOfCode(&tx.Reader, c.id)
	if err != nil {
		return db.IgnoreNoRow(err)
	}
	if err := s.identity.CloseSession(tx, session, "code_reused"); err != nil {
		return err
	}
	return audit.Write(tx, "app.code_reused", session.String(), map[string]any{"app": c.appName, "client_id": c.clientID})
}

// Grants lists the caller's own consents in the workspace, newest first.
func (s *Service) Grants(ctx context.Context, p db.Page) (list db.List[Grant], err error) {
	who := caller.From(ctx)
	err = s.db.System("app look-up").Read(ctx, func(r *db.Reader) (err error) {
		if list, err = listGrants(r, who.TenantID, who.ID, p); err != nil {
			return err
		}
		opens, err := identity.AppResources(r, who.TenantID, who.ID, s.db.Clock().Now())
		for i := range list.Rows {
			list.Rows[i].Resource = s.addressOf(ctx, opens[list.Rows[i].app])
		}
		return err
	})
	return list, err
}

// RevokeGrant is the gate for revoking a consent: the app's sessions end.
func (s *Service) RevokeGrant(ctx context.Context, id uuid.UUID) error {
	who := caller.From(ctx)
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		app, err := revokeGrant(tx, who.ID, id)
		if err != nil {
			return db.NotFound(err)
		}
		closed, err := s.identity.CloseGrantedSessions(tx, app, who.ID, "grant_revoked")
		if err != nil {
			return err
		}
		return audit.Write(tx, "app.grant_revoked", id.String(), map[string]any{"app_id": app, "sessions_closed": closed})
	})
}
