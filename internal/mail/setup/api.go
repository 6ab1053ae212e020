package setup

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
	"konak/internal/mail"
)

type applyIn struct {
	Body struct {
		Domain    string         `json:"domain" minLength:"1" maxLength:"253" example:"kaya.example"`
		Mailboxes []NewMailbox   `json:"mailboxes,omitempty" maxItems:"50" nullable:"false"`
		Defaults  *mail.Defaults `json:"defaults,omitempty" doc:"Defaults for new mailboxes, including those of this call; replaces the settings. If omitted, the settings stay unchanged"`
	}
}

type stepIn struct {
	Body struct {
		Step   string `json:"step" enum:"domain,ownership,mx,auth_records,mailboxes,migration,policies,test_mail" example:"migration"`
		Status string `json:"status" enum:"pending,done,skipped" example:"skipped"`
	}
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/mail/v1/setup" + path, ID: id, Tag: "Mail",
		Summary: summary, Access: api.Session, Permission: p, Licence: "mail",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, route("GET", "", "mail-setup", "Get the progress of the mail setup", perm.MailSettingsView),
		func(ctx context.Context, _ *struct{}) (Setup, error) { return s.Get(ctx) })

	apply := route("POST", "/apply", "apply-mail-setup", "Provision a domain and its mailboxes", perm.MailSettingsManage)
	apply.Refusals = []int{403, 409}
	apply.Doc = "Provisions the domain and the mailboxes like their own routes, and needs their permissions too. Either everything is created, or nothing, with an error that names the field (mailboxes[1].account_id). Existing records stay, so the call can be repeated."
	api.Handle(a, apply, func(ctx context.Context, in *applyIn) (Setup, error) {
		return s.Apply(ctx, Plan(in.Body))
	})

	complete := route("POST", "/complete", "complete-mail-setup", "Complete the mail setup", perm.MailSettingsManage)
	complete.Refusals = []int{409}
	complete.Doc = "409 while a mandatory step is open, with the step as the reason."
	api.Handle(a, complete, func(ctx context.Context, _ *struct{}) (Setup, error) { return s.Complete(ctx) })

	dismiss := route("POST", "/dismiss", "dismiss-mail-setup", "Hide the mail setup", perm.MailSettingsManage)
	dismiss.Doc = "Only hides it in the panel; nothing else changes."
	api.Handle(a, dismiss, func(ctx context.Context, _ *struct{}) (Setup, error) { return s.Dismiss(ctx) })

	mark := route("POST", "/step", "mark-mail-setup-step", "Mark a step of the mail setup", perm.MailSettingsManage)
	mark.Doc = "Only the steps migration, policies and test_mail can be marked. Konak detects the others: 422 not_allowed, with the reason step_is_seen."
	api.Handle(a, mark, func(ctx context.Context, in *stepIn) (Setup, error) { return s.Mark(ctx, in.Body.Step, in.Body.Status) })
}
