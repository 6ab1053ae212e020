package identity

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type addWorkspaceIn struct {
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100" example:"Demir Ticaret"`
		Slug string `json:"slug" minLength:"2" maxLength:"40" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" example:"demir-ticaret" doc:"Name of the workspace in its host names. Names that the service uses, such as www and mail, are refused with reserved"`
	}
}

type inviteIn struct {
	Body struct {
		Email    string `json:"email" minLength:"1" maxLength:"254" example:"ayse@example.com"`
		Name     string `json:"name,omitempty" maxLength:"100" example:"Ayşe Demir"`
		Role     string `json:"role" minLength:"1" maxLength:"40" example:"agent"`
		Language string `json:"language,omitempty" enum:"tr,en" doc:"Language of the invitation; yours by default"`
	}
}

type acceptIn struct {
	Body struct {
		Token      string `json:"token" minLength:"1" maxLength:"100" example:"inv_…"`
		Name       string `json:"name,omitempty" maxLength:"100" example:"Ayşe Demir" doc:"Required if the e-mail address has no account"`
		Password   string `json:"password,omitempty" maxLength:"1024" doc:"Required if the e-mail address has no account"`
		DeviceName string `json:"device_name,omitempty" maxLength:"100" example:"Firefox on Linux"`
	}
}

func (s *Service) registerWorkspaces(a *api.API) {
	list := Route("GET", "/workspaces", "list-workspaces", "List the workspaces you can enter")
	list.Ascending = true
	api.HandlePage(a, list, s.Workspaces)

	add := Route("POST", "/workspaces", "add-workspace", "Create a workspace that you own")
	add.Status = 201
	add.Doc = "Enter it with POST /app/switch-workspace."
	api.Handle(a, add, func(ctx context.Context, in *addWorkspaceIn) (OwnWorkspace, error) {
		return s.AddWorkspace(ctx, in.Body.Name, in.Body.Slug)
	})

	invite := Route("POST", "/invitations", "invite", "Invite someone by mail")
	invite.TakesKey = true
	invite.Permission, invite.Status = perm.MembersManage, 201
	invite.Doc = "A pending invitation to the same address is replaced, and its link stops working. 409 if the person is already a member."
	api.Handle(a, invite, func(ctx context.Context, in *inviteIn) (Invitation, error) {
		return s.Invite(ctx, NewMember{Email: in.Body.Email, Name: in.Body.Name, Role: in.Body.Role, Language: in.Body.Language})
	})

	accept := Route("POST", "/invitations/accept", "accept-invitation", "Accept an invitation")
	accept.Access, accept.ShowsSecret = api.Keyless, true
	accept.Doc = "People who have an account sign in first: 409 account_exists. For anyone else this opens an account and a session."
	api.Handle(a, accept, func(ctx context.Context, in *acceptIn) (Joined, error) {
		out, err := s.Accept(ctx, Acceptance{
			Token: in.Body.Token, Name: in.Body.Name, Password: in.Body.Password, Language: api.Language(ctx),
			Device: DeviceOf(ctx, in.Body.DeviceName),
		})
		if err == nil && out.Token != nil {
			a.SetSessionCookie(ctx, *out.Token, out.Session.V.ExpiresAt.Time)
		}
		return out, err
	})
}
