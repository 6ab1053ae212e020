package team

import (
	"context"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type addToTeamIn struct {
	Body struct {
		UserID    api.ID `json:"user_id" doc:"The agent's id from GET /agents, or their account's id (user.id in the sign-in response)"`
		Extension string `json:"extension,omitempty" maxLength:"6" example:"101" doc:"Two to six digits, not an emergency number; defaults to the next free extension"`
	}
}

type changeTeamIn struct {
	AgentID api.ID `path:"agent_id" record:"membership"`
	Body    struct {
		Rings     *bool   `json:"rings,omitempty" doc:"Whether calls to the team ring the agent"`
		Extension *string `json:"extension,omitempty" maxLength:"6" example:"101" doc:"A new extension signs the phone out; create new credentials with POST /phone"`

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
		Kind string `json:"kind" enum:"browser,desk,outside" example:"desk" doc:"browser: the panel, which is not a phone yet and is refused with not_supported; desk: a phone that is signed in; outside: another number, which costs minutes"`
		E164 string `json:"e164,omitempty" maxLength:"30" example:"+905321234567" doc:"Number to call, for outside"`
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandlePage(a, telephony.Route("GET", "/team", "list-phone-team", "List agents with a phone", perm.CallsView), s.Team)

	add := telephony.Route("POST", "/team", "add-to-phone-team", "Give an agent a phone", perm.TelephonyManage)
	add.Doc = "409 if the agent already has one or the extension is taken. 422 on user_id: unknown if the id belongs to nobody in the workspace, may_not_call if the agent lacks crm.calls.make."
	add.Status, add.Refusals = 201, []int{409}
	api.Handle(a, add, func(ctx context.Context, in *addToTeamIn) (Member, error) {
		return s.Add(ctx, in.Body.UserID.UUID, in.Body.Extension)
	})

	change := telephony.Route("PUT", "/team/{agent_id}", "change-phone-team", "Change an agent's ringing or extension", perm.CallsMake)
	change.Doc = "You can change your own entry; others' need crm.telephony.manage. A new extension signs the phone out, and it needs new credentials; " +
		"409 call_state while the agent is in a call. 422 when turning rings on for an agent who is not allowed to make calls."
	change.Own, change.Others, change.Refusals = "agent_id", perm.TelephonyManage, []int{409}
	api.Handle(a, change, func(ctx context.Context, in *changeTeamIn) (Member, error) {
		return s.Change(ctx, in.AgentID.UUID, in.Body.Rings, in.Body.Extension)
	})

	device := telephony.Route("PUT", "/device", "set-phone-device", "Choose where your calls ring", perm.CallsMake)
	device.Doc, device.Refusals = "409 no_device if you have no phone.", []int{409}
	api.Handle(a, device, func(ctx context.Context, in *setDeviceIn) (Member, error) {
		return s.SetDevice(ctx, in.Body.Kind, in.Body.E164)
	})

	phone := telephony.Route("POST", "/phone", "make-phone", "Create or renew the credentials of your phone", perm.CallsMake)
	phone.Doc = "They are shown only once. A phone signed in with the previous credentials is signed out. " +
		"409 no_device if you have no phone, not_configured if the installation has no exchange."
	phone.Status, phone.ShowsSecret, phone.Refusals = 201, true, []int{409}
	api.Handle(a, phone, func(ctx context.Context, _ *struct{}) (Credentials, error) { return s.MakePhone(ctx) })
}
