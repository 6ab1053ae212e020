package mail

import (
	"context"
	"net/netip"
	"reflect"
	"strings"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
)

// apiBase is the path prefix of all mail administration routes.
const apiBase = "/api/mail/v1"

// Settings returns the workspace's settings.
func (s *Service) Settings(ctx context.Context) (Settings, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), s.readSettings)
}

func (s *Service) readSettings(r *db.Reader) (set Settings, err error) {
	if set, err = findSettings(r); err == nil {
		set.Require2FA.Required, err = s.second.RequiresTwoFactor(r)
	}
	return set, err
}

// SetRequire2FA is the gate for requiring a second step from every member. It returns
// two_factor_off if the caller has none.
func (s *Service) SetRequire2FA(ctx context.Context, required bool) (set Settings, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if set, err = s.readSettings(&tx.Reader); err != nil || set.Require2FA.Required == required {
			return err
		}
		set.Require2FA.Required = required
		if err := s.second.RequireTwoFactor(tx, required); err != nil {
			return err
		}
		return audit.Write(tx, "mail.settings.two_factor", tx.Tenant().String(), map[string]bool{"required": required})
	})
	return set, err
}

// SetAllowlist is the gate for the list of addresses from which mail may be administered.
// It returns self_lockout if the list lacks the caller's own address.
func (s *Service) SetAllowlist(ctx context.Context, cidrs []string) (set Settings, err error) {
	list, err := parseCIDRs(cidrs)
	if err != nil {
		return set, err
	}
	next := Allowlist{CIDRs: each.Map(list, netip.Prefix.String)}
	if who := caller.From(ctx); !next.allows(who.IP) {
		return set, fault.New(fault.SelfLockout, who.IP)
	}
	return s.changeSettings(ctx, "admin_ip_allowlist", replace(func(set *Settings) *[]string { return &set.AdminIPAllowlist.CIDRs }, next.CIDRs))
}

// SetDefaults is the gate for the defaults of new mailboxes. It replaces all of them.
func (s *Service) SetDefaults(ctx context.Context, d Defaults) (Settings, error) {
	return db.Write(ctx, s.db.TenantOf(ctx), func(tx *db.Tx) (Settings, error) { return s.ChangeDefaults(tx, d) })
}

// ChangeDefaults does the same as SetDefaults, inside the caller's transaction.
func (s *Service) ChangeDefaults(tx *db.Tx, d Defaults) (Settings, error) {
	return s.changeSettingsIn(tx, "defaults", replace(func(set *Settings) *Defaults { return &set.Defaults }, d))
}

// SetAbuse is the gate for the handling of mailboxes that send too much.
func (s *Service) SetAbuse(ctx context.Context, a Abuse) (Settings, error) {
	return s.changeSettings(ctx, "abuse", replace(func(set *Settings) *Abuse { return &set.Abuse }, a))
}

// SetDLP is the gate for what the rules check in addition to e-mail.
func (s *Service) SetDLP(ctx context.Context, d DLP) (Settings, error) {
	return s.changeSettings(ctx, "dlp", replace(func(set *Settings) *DLP { return &set.DLP }, d))
}

// SetForwarding is the gate for the list of destinations that mailboxes may forward to. It
// replaces the list.
func (s *Service) SetForwarding(ctx context.Context, allowed []string) (set Settings, err error) {
	next, err := parseForwarding(allowed)
	if err != nil {
		return set, err
	}
	return s.changeSettings(ctx, "forwarding", replace(func(set *Settings) *[]string { return &set.Forwarding.Allowed }, next.Allowed))
}

// ForwardingAllowed returns the external domains and addresses that mailboxes may forward
// to.
func (s *Service) ForwardingAllowed(r *db.Reader) ([]string, error) {
	set, err := findSettings(r)
	return set.Forwarding.Allowed, err
}

// SetJournaling is the gate for the journal settings. Turning the journal off deletes
// nothing. A longer retention also applies to mails already in the journal.
func (s *Service) SetJournaling(ctx context.Context, j Journaling) (Settings, error) {
	return s.changeSettings(ctx, "journaling", func(tx *db.Tx, set *Settings) (from, to any, err error) {
		was := set.Journaling
		if set.Journaling = j; j.RetentionDays > was.RetentionDays {
			err = lengthenRetention(tx, j.RetentionDays)
		}
		return was, j, err
	})
}

// settingsChange changes the settings and returns the old and the new value.
type settingsChange func(*db.Tx, *Settings) (from, to any, err error)

// replace returns the change that replaces one of the settings.
func replace[T any](setting func(*Settings) *T, to T) settingsChange {
	return func(_ *db.Tx, set *Settings) (any, any, error) {
		from := *setting(set)
		*setting(set) = to
		return from, to, nil
	}
}

// changeSettings changes the settings and writes the audit entry. If the change returns
// equal values, nothing is written.
func (s *Service) changeSettings(ctx context.Context, name string, change settingsChange) (Settings, error) {
	return db.Write(ctx, s.db.TenantOf(ctx), func(tx *db.Tx) (Settings, error) { return s.changeSettingsIn(tx, name, change) })
}

func (s *Service) changeSettingsIn(tx *db.Tx, name string, change settingsChange) (set Settings, err error) {
	if set, err = s.readSettings(&tx.Reader); err != nil {
		return set, err
	}
	from, to, err := change(tx, &set)
	if err != nil || reflect.DeepEqual(from, to) {
		return set, err
	}
	if err := putSettings(tx, set); err != nil {
		return set, err
	}
	return set, audit.Write(tx, "mail.settings."+name, tx.Tenant().String(), map[string]any{"from": from, "to": to})
}

// MailboxDefaults returns the quota of a new inbox and the minimum password length of a
// mailbox, each nil if not set.
func (s *Service) MailboxDefaults(r *db.Reader) (quotaMB, minPassword *int64, err error) {
	set, err := findSettings(r)
	return set.Defaults.DefaultQuotaMB, set.Defaults.MinPasswordLength, err
}

// AutoSuspend reports whether mailboxes that send too much are suspended.
func (s *Service) AutoSuspend(r *db.Reader) (bool, error) {
	set, err := findSettings(r)
	return set.Abuse.AutoSuspend, err
}

// CheckAddress is the API's guard for sessions: it returns ip_not_allowed if a mail
// administration route is called from an address outside the workspace's list.
func (s *Service) CheckAddress(ctx context.Context, path string, who *caller.Caller) error {
	if !strings.HasPrefix(path, apiBase+"/") {
		return nil
	}
	set, err := db.Read(ctx, s.db.Tenant(who.TenantID), findSettings)
	if err != nil {
		return err
	}
	if !set.AdminIPAllowlist.allows(who.IP) {
		return fault.New(fault.IPNotAllowed, who.IP)
	}
	return nil
}
