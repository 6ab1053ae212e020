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
	api.Handle(a, route("GET", "/settings", "mail-settings", "Get the mail settings", perm.MailSettingsView),
		func(ctx context.Context, _ *struct{}) (Settings, error) { return s.Settings(ctx) })

	second := route("PUT", "/settings/require-2fa", "set-mail-require-2fa", "Require two-factor authentication of every member", perm.MailSettingsManage)
	second.Refusals = []int{409}
	second.Doc = "Applies to the whole workspace. Members without it keep a session that can only set it up; everything else returns 403 two_factor_required. " +
		"API keys are not affected. 409 two_factor_off if your own account does not have it on."
	api.Handle(a, second, func(ctx context.Context, in *require2FAIn) (Settings, error) {
		return s.SetRequire2FA(ctx, in.Body.Required)
	})

	list := route("PUT", "/settings/admin-ip-allowlist", "set-mail-admin-ip-allowlist", "Set the IP allowlist for mail administration", perm.MailSettingsManage)
	list.Doc = "Replaces the list. Sessions from other addresses then get 403 ip_not_allowed on every route under /api/mail/v1, including reads. " +
		"422 self_lockout if the list does not contain your own address. An empty list turns it off."
	api.Handle(a, list, func(ctx context.Context, in *allowlistIn) (Settings, error) {
		return s.SetAllowlist(ctx, in.Body.CIDRs)
	})

	defaults := route("PUT", "/settings/defaults", "set-mail-defaults", "Set the defaults for new mailboxes", perm.MailSettingsManage)
	defaults.Doc = "Replaces all defaults; a default that is omitted or null is cleared. The quota applies to inboxes added from now on, the length to passwords set from now on."
	api.Handle(a, defaults, func(ctx context.Context, in *defaultsIn) (Settings, error) { return s.SetDefaults(ctx, in.Body) })

	abuse := route("PUT", "/settings/abuse", "set-mail-abuse", "Set what happens to mailboxes that send too much", perm.MailSettingsManage)
	abuse.Doc = "A mailbox that sends to more than 200 recipients in an hour triggers the event mail.abuse.detected. With auto_suspend it is also suspended, and its mail is refused with 550 until someone resumes it. " +
		"Beyond 2000 recipients in 24 hours, mail is always deferred with 452."
	api.Handle(a, abuse, func(ctx context.Context, in *abuseIn) (Settings, error) { return s.SetAbuse(ctx, in.Body) })

	rules := route("PUT", "/settings/dlp", "set-mail-dlp", "Set what data-loss prevention checks", perm.DLPManage)
	rules.Doc = "E-mail is always checked. With messaging, the text of messages and templates on all other channels is also checked when it is written: 422 dlp_blocked or dlp_warning, " +
		"or, if no one is waiting for a response, the message fails with that error. These messages cannot wait for a review, so quarantine blocks them; templates cannot be masked, so redact blocks them. " +
		"Their files are not scanned: while any rule is enabled, a message with files is blocked as unscanned."
	api.Handle(a, rules, func(ctx context.Context, in *dlpIn) (Settings, error) { return s.SetDLP(ctx, in.Body) })

	forwarding := route("PUT", "/settings/forwarding", "set-mail-forwarding", "Set where mailboxes can forward to", perm.MailSettingsManage)
	forwarding.Doc = "Replaces the list. Mailboxes of the kind forward can always forward to the workspace's own domains, and outside only to domains and addresses on the list; saving a mailbox with any other target returns 422. " +
		"A target removed from the list gets no more mail: senders get a 550, or a report if other targets still receive the mail."
	api.Handle(a, forwarding, func(ctx context.Context, in *forwardingIn) (Settings, error) {
		return s.SetForwarding(ctx, in.Body.Allowed)
	})

	journal := route("PUT", "/settings/journaling", "set-mail-journaling", "Turn the journal on or off", perm.MailSettingsManage)
	journal.Doc = "While it is on, every mail that the mail server accepts for the workspace or from its mailboxes is stored with its envelope before acceptance is confirmed to the sender. Mail that cannot be stored is deferred with 451. " +
		"Turning it off deletes nothing. A longer retention also applies to stored mail, a shorter one only to new mail."
	api.Handle(a, journal, func(ctx context.Context, in *journalingIn) (Settings, error) { return s.SetJournaling(ctx, in.Body) })
}
