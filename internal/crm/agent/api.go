package agent

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type agentsIn struct {
	api.Paged
	State string `query:"state" enum:"invited,active,suspended" doc:"Only agents in this state"`
}

type addAgentIn struct {
	Body struct {
		Email    string `json:"email" minLength:"1" maxLength:"254" example:"ayse@example.com"`
		Name     string `json:"name,omitempty" maxLength:"100" example:"Ayşe Demir"`
		Role     string `json:"role,omitempty" maxLength:"40" default:"agent" example:"agent"`
		Title    string `json:"title,omitempty" maxLength:"80" example:"Destek uzmanı"`
		Language string `json:"language,omitempty" enum:"tr,en" doc:"Language of the invitation mail; the caller's by default"`
	}
}

type agentIn struct {
	ID api.ID `path:"agentId" record:"membership"`
}

type changeAgentIn struct {
	ID   api.ID `path:"agentId" record:"membership"`
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Ayşe Demir"`
		Role     *string `json:"role,omitempty" minLength:"1" maxLength:"40" example:"admin"`
		Title    *string `json:"title,omitempty" maxLength:"80" example:"Ekip lideri"`
		Presence *string `json:"presence,omitempty" enum:"online,away,away_reassign,offline" example:"online"`
		// Signature is short: it stands below every mail.
		Signature *string `json:"signature,omitempty" maxLength:"2000" example:"**Ayşe Demir**\nDestek uzmanı" doc:"Markdown; empty for none"`
	}
}

type revokeQRIn struct {
	ID api.ID `path:"agentId" record:"membership"`
	QR string `query:"qr_id" format:"uuid" doc:"Revokes only this QR, without an audit log entry; for when its window closes"`
}

type qrIn struct {
	ID api.ID `path:"agentId" record:"membership"`
	QR api.ID `path:"qrId" record:"mobile_qr"`
}

type mailQRIn struct {
	ID   api.ID `path:"agentId" record:"membership"`
	Body struct {
		QR  api.ID `json:"qr_id"`
		Key string `json:"key" minLength:"1" maxLength:"100" example:"qrk_…" doc:"The key from the response that created the QR"`
	}
}

type claimIn struct {
	Body struct {
		Key        string `json:"key" minLength:"1" maxLength:"100" example:"qrk_…"`
		DeviceName string `json:"device_name" minLength:"1" maxLength:"100" example:"Ayşe's phone"`
		Platform   string `json:"platform" minLength:"1" maxLength:"40" example:"Android"`
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerAgents(a)
	s.registerQRs(a)
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/agents" + path, ID: id, Tag: "CRM agents",
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

func (s *Service) registerAgents(a *api.API) {
	api.HandleList(a, route("GET", "", "list-agents", "List agents", perm.AgentsView),
		func(ctx context.Context, in *agentsIn) (db.List[Agent], error) {
			return s.Agents(ctx, in.State, in.Page())
		})

	add := route("POST", "", "add-agent", "Invite an agent by mail", perm.AgentsManage)
	add.TakesKey = true
	add.Status = 201
	add.Doc = "An invited person who has not joined yet is invited again; the older link stops working. 409 if they are a member already."
	api.Handle(a, add, func(ctx context.Context, in *addAgentIn) (Agent, error) {
		b := in.Body
		return s.Add(ctx, NewMember{Email: b.Email, Name: b.Name, Role: b.Role, Language: b.Language}, b.Title)
	})

	api.Handle(a, route("GET", "/{agentId}", "get-agent", "Get an agent", perm.AgentsView),
		func(ctx context.Context, in *agentIn) (Agent, error) { return s.Agent(ctx, in.ID.UUID) })

	change := route("PUT", "/{agentId}", "change-agent", "Change an agent", api.Anyone)
	change.Delegable = true // an app needs crm.agents.view, see Change
	change.Doc = "You can change your own name, title, presence and signature; an app needs crm.agents.view for this. Changing a role, or anything of another agent, needs crm.agents.manage."
	change.Refusals = []int{409}
	api.Handle(a, change, func(ctx context.Context, in *changeAgentIn) (Agent, error) {
		b := in.Body
		return s.Change(ctx, in.ID.UUID, Update{b.Name, b.Role, b.Title, b.Presence, b.Signature})
	})

	remove := route("DELETE", "/{agentId}", "remove-agent", "Remove an agent from the workspace", perm.AgentsManage)
	remove.Doc = "Ends everything that a suspension ends. The last owner cannot be removed: 409."
	remove.Refusals = []int{409}
	api.Handle(a, remove, func(ctx context.Context, in *agentIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Remove(ctx, in.ID.UUID)
	})

	suspend := route("POST", "/{agentId}/suspension", "suspend-agent", "Suspend an agent", perm.AgentsManage)
	suspend.Doc = "Ends the agent's sessions, API keys they created, consents to apps, unscanned QRs, phone and ring group memberships at once. The last owner cannot be suspended: 409."
	api.Handle(a, suspend, func(ctx context.Context, in *agentIn) (Agent, error) { return s.Suspend(ctx, in.ID.UUID) })

	unsuspend := route("DELETE", "/{agentId}/suspension", "unsuspend-agent", "Lift an agent's suspension", perm.AgentsManage)
	unsuspend.Doc = "The agent can sign in again; nothing else is restored."
	api.Handle(a, unsuspend, func(ctx context.Context, in *agentIn) (Agent, error) { return s.Unsuspend(ctx, in.ID.UUID) })
}

func (s *Service) registerQRs(a *api.API) {
	route := func(method, path, id, summary string) api.Route {
		rt := route(method, path, id, summary, api.Anyone)
		rt.Own, rt.Others = "agentId", perm.AgentsManage
		return rt
	}
	const own = " Your own QR needs no permission; another agent's needs crm.agents.manage."
	const proven = " Needs a password confirmed within the last 15 minutes."
	api.Handle(a, route("GET", "/{agentId}/mobile-qr", "unscanned-mobile-qr", "Check for an unscanned QR").Polled(),
		func(ctx context.Context, in *agentIn) (Unscanned, error) { return s.Unscanned(ctx, in.ID.UUID) })

	create := route("POST", "/{agentId}/mobile-qr", "create-mobile-qr", "Create a QR that signs a phone in")
	create.TakesKey = true
	create.Status, create.ShowsSecret = 201, true
	create.Doc = "The key is shown only in this response and is valid for two minutes." + proven + own + " The phone's session ends no later than the session that created the QR."
	api.Handle(a, create, func(ctx context.Context, in *agentIn) (NewQR, error) { return s.CreateQR(ctx, in.ID.UUID) })

	revoke := route("DELETE", "/{agentId}/mobile-qr", "revoke-mobile-qr", "Revoke an unscanned QR")
	revoke.Doc = "With qr_id, revokes only that QR, unless it was mailed, and writes no audit log entry. Without it, revokes all unscanned QRs of the agent, mailed ones too; for another agent this needs a password confirmed within the last 15 minutes." + own
	api.Handle(a, revoke, func(ctx context.Context, in *revokeQRIn) (RevokedCount, error) {
		if in.QR == "" {
			n, err := s.RevokeQRs(ctx, in.ID.UUID)
			return RevokedCount{n}, err
		}
		var qr api.ID
		if err := qr.UnmarshalText([]byte(in.QR)); err != nil {
			return RevokedCount{}, err
		}
		n, err := s.CloseQR(ctx, in.ID.UUID, qr.UUID)
		return RevokedCount{n}, err
	})

	poll := route("GET", "/{agentId}/mobile-qr/{qrId}", "poll-mobile-qr", "Get the status of a QR").Polled()
	poll.Doc = "Poll every two seconds while the QR is on the screen. The response says which device signed in." + own
	api.Handle(a, poll, func(ctx context.Context, in *qrIn) (QR, error) { return s.QR(ctx, in.ID.UUID, in.QR.UUID) })

	mail := route("POST", "/{agentId}/mobile-qr/email", "mail-mobile-qr", "Mail the QR on the screen to its agent")
	mail.Doc = "A QR can be mailed once; a second time is a 409. From then on it is valid for 24 hours, even after its window closes." + proven + own
	api.Handle(a, mail, func(ctx context.Context, in *mailQRIn) (QR, error) {
		return s.MailQR(ctx, in.ID.UUID, in.Body.QR.UUID, in.Body.Key)
	})

	claim := api.Route{
		Method: "POST", Path: "/api/v1/auth/mobile-qr/claim", ID: "claim-mobile-qr", Tag: "Identity",
		Summary: "Sign a phone in with a scanned QR", Access: api.Public, ShowsSecret: true,
		Doc:   "422 if the QR was scanned already, was revoked or has expired.",
		Limit: api.Credentials,
	}
	api.Handle(a, claim, func(ctx context.Context, in *claimIn) (Opened, error) {
		out, err := s.Claim(ctx, in.Body.Key, Device{in.Body.DeviceName, in.Body.Platform}, api.ClientIP(ctx))
		if err == nil {
			// A browser on the phone uses the cookie; an app uses the token.
			a.SetSessionCookie(ctx, out.Token, out.Session.ExpiresAt.Time)
		}
		return out, err
	})
}
