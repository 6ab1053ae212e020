package mail

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type allowlistIn struct{ Body Allowlist }

type require2FAIn struct{ Body Require2FA }

type defaultsIn struct{ Body Defaults }

type abuseIn struct{ Body Abuse }

type dlpIn struct{ Body DLP }

type forwardingIn struct{ Body Forwarding }

type journalingIn struct{ Body Journaling }

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

	defaults := route("PUT", "/settings/defaults", "set-mail-defaults", "Set what new mailboxes have", perm.MailSettingsManage)
	defaults.Doc = "Replaces all defaults: one that is left out or null is cleared. The quota counts for inboxes that are added from now on, the length for passwords that are set from now on."
	api.Handle(a, defaults, func(ctx context.Context, in *defaultsIn) (Settings, error) { return s.SetDefaults(ctx, in.Body) })

	abuse := route("PUT", "/settings/abuse", "set-mail-abuse", "Set what happens to mailboxes that send too much", perm.MailSettingsManage)
	abuse.Doc = "A mailbox that sends to more than 200 recipients in an hour is announced as mail.abuse.detected. With auto_suspend it is also suspended and its mail refused with 550 until somebody lets it send again. " +
		"More than 2000 recipients in 24 hours are put off with 452 in any case."
	api.Handle(a, abuse, func(ctx context.Context, in *abuseIn) (Settings, error) { return s.SetAbuse(ctx, in.Body) })

	rules := route("PUT", "/settings/dlp", "set-mail-dlp", "Set what data-loss prevention judges", perm.DLPManage)
	rules.Doc = "E-mail is judged in any case. With messaging the text of messages over all other channels is judged too, also of templates, when it is written: 422 dlp_blocked or dlp_warning, " +
		"or failed with that as its error where nobody waits for an answer. Nothing there can wait for a review, so quarantine blocks; a template cannot be covered, so redact blocks it. " +
		"Files of such messages are not scanned: while a rule is enabled, a message with files is blocked as unscanned."
	api.Handle(a, rules, func(ctx context.Context, in *dlpIn) (Settings, error) { return s.SetDLP(ctx, in.Body) })

	forwarding := route("PUT", "/settings/forwarding", "set-mail-forwarding", "Set where mailboxes may forward to", perm.MailSettingsManage)
	forwarding.Doc = "Replaces the list. Mailboxes of the kind forward send mail on to the workspace's own domains in any case, and outside only to domains and addresses of the list: any other target is 422 when the mailbox is saved. " +
		"A target that was taken off the list gets no more mail: who writes to the mailbox is told with 550, or with a report where other targets get theirs."
	api.Handle(a, forwarding, func(ctx context.Context, in *forwardingIn) (Settings, error) {
		return s.SetForwarding(ctx, in.Body.Allowed)
	})

	journal := route("PUT", "/settings/journaling", "set-mail-journaling", "Turn the journal on or off", perm.MailSettingsManage)
	journal.Doc = "While it is on, every mail that the mail server takes for the workspace or from its mailboxes is kept with its envelope before the sender is told that it was taken; what cannot be kept is put off with 451. " +
		"Turning it off deletes nothing. A longer retention also holds for mails that are there, a shorter one only for new ones."
	api.Handle(a, journal, func(ctx context.Context, in *journalingIn) (Settings, error) { return s.SetJournaling(ctx, in.Body) })
}
