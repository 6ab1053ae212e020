package team

import (
	"context"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type listTeamIn struct {
	api.Paged
}

type addToTeamIn struct {
	Body struct {
		UserID    api.ID `json:"user_id" doc:"The agent's id, as GET /agents names it, or that of their account, as signing in gives it in user.id"`
		Extension string `json:"extension,omitempty" maxLength:"6" example:"101" doc:"Two to six digits that are no emergency number; left out, the next that is free"`
	}
}

type changeTeamIn struct {
	AgentID api.ID `path:"agent_id" record:"membership"`
	Body    struct {
		Rings     *bool   `json:"rings,omitempty" doc:"Whether calls to the team ring there"`
		Extension *string `json:"extension,omitempty" maxLength:"6" example:"101" doc:"Another extension signs the phone out; make new credentials with POST /phone"`

		ID         api.GivenBack `json:"agent_id,omitzero"`
		Name       api.GivenBack `json:"name,omitzero"`
		Device     api.GivenBack `json:"device,omitzero"`
		OutsideNum api.GivenBack `json:"outside_e164,omitzero"`
		HasPhone   api.GivenBack `json:"has_phone,omitzero"`
		Registered api.GivenBack `json:"registered,omitzero"`
		InCall     api.GivenBack `json:"in_call,omitzero"`
		CreatedAt  api.GivenBack `json:"created_at,omitzero"`
	}
}

type setDeviceIn struct {
	Body struct {
		Kind string `json:"kind" enum:"browser,desk,outside" example:"desk" doc:"browser: the panel, which is no phone yet and is refused with not_supported; desk: a phone that is signed in; outside: another number, which costs minutes"`
		E164 string `json:"e164,omitempty" maxLength:"30" example:"+905321234567" doc:"For outside"`
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandleList(a, telephony.Route("GET", "/team", "list-phone-team", "List who has a phone", perm.CallsView),
		func(ctx context.Context, in *listTeamIn) (db.List[Member], error) { return s.Team(ctx, in.Page()) })

	add := telephony.Route("POST", "/team", "add-to-phone-team", "Give a teammate a phone", perm.TelephonyManage)
	add.Doc = "409 where they have one, or the extension is somebody's. 422 on user_id: unknown for nobody of the workspace, may_not_call for somebody without crm.calls.make."
	add.Status, add.Refusals = 201, []int{409}
	api.Handle(a, add, func(ctx context.Context, in *addToTeamIn) (Member, error) {
		return s.Add(ctx, in.Body.UserID.UUID, in.Body.Extension)
	})

	change := telephony.Route("PUT", "/team/{agent_id}", "change-phone-team", "Join or leave the team's ringing", perm.CallsMake)
	change.Doc = "One's own row; another's needs crm.telephony.manage. Another extension takes the phone back: it is signed out and needs new credentials; " +
		"409 call_state while they are in a call. rings for somebody who may not make calls is refused with 422."
	change.Own, change.Others, change.Refusals = "agent_id", perm.TelephonyManage, []int{409}
	api.Handle(a, change, func(ctx context.Context, in *changeTeamIn) (Member, error) {
		return s.Change(ctx, in.AgentID.UUID, in.Body.Rings, in.Body.Extension)
	})

	device := telephony.Route("PUT", "/device", "set-phone-device", "Choose where one's own calls ring", perm.CallsMake)
	device.Doc, device.Refusals = "409 no_device for somebody who has no phone.", []int{409}
	api.Handle(a, device, func(ctx context.Context, in *setDeviceIn) (Member, error) {
		return s.SetDevice(ctx, in.Body.Kind, in.Body.E164)
	})

	phone := telephony.Route("POST", "/phone", "make-phone", "Make or renew the credentials of one's own phone", perm.CallsMake)
	phone.Doc = "They are shown once. A phone that is signed in with the ones before is signed out. " +
		"409 no_device for somebody who has no phone, not_configured where the installation has no exchange."
	phone.Status, phone.ShowsSecret, phone.Refusals = 201, true, []int{409}
	api.Handle(a, phone, func(ctx context.Context, _ *struct{}) (Credentials, error) { return s.MakePhone(ctx) })
}
