package mail

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type allowlistIn struct{ Body Allowlist }

type require2FAIn struct{ Body Require2FA }

// registerSettings adds the routes of the settings.
func (s *Service) registerSettings(a *api.API) {
	api.Handle(a, route("GET", "/settings", "mail-settings", "Read the mail settings", perm.MailSettingsView),
		func(ctx context.Context, _ *struct{}) (Settings, error) { return s.Settings(ctx) })

	second := route("PUT", "/settings/require-2fa", "set-mail-require-2fa", "Ask every member for two-factor authentication", perm.MailSettingsManage)
	second.Refusals = []int{409}
	second.Doc = "For the whole workspace. Members without it keep a session that can only set it up: everything else is 403 two_factor_required. " +
		"API keys are not affected. A caller without it: 409 two_factor_off."
	api.Handle(a, second, func(ctx context.Context, in *require2FAIn) (Settings, error) {
		return s.SetRequire2FA(ctx, in.Body.Required)
	})

	list := route("PUT", "/settings/admin-ip-allowlist", "set-mail-admin-ip-allowlist", "Set from where mail may be administered", perm.MailSettingsManage)
	list.Doc = "Replaces the list. Every route under /api/mail/v1 then answers sessions from other addresses with 403 ip_not_allowed, reads included. " +
		"A list without the caller's own address: 422 self_lockout. An empty list turns it off."
	api.Handle(a, list, func(ctx context.Context, in *allowlistIn) (Settings, error) {
		return s.SetAllowlist(ctx, in.Body.CIDRs)
	})
}
