package mail

import (
	"context"
	"reflect"
	"strings"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// apiBase is where all routes of mail administration are.
const apiBase = "/api/mail/v1"

// Settings reads the settings.
func (s *Service) Settings(ctx context.Context) (Settings, error) {
	return db.Read(ctx, s.tenant(ctx), s.readSettings)
}

func (s *Service) readSettings(r *db.Reader) (set Settings, err error) {
	if set, err = findSettings(r); err == nil {
		set.Require2FA.Required, err = s.second.RequiresTwoFactor(r)
	}
	return set, err
}

// SetRequire2FA is the gate for asking every member for a second step. It
// returns two_factor_off for a caller who has none.
func (s *Service) SetRequire2FA(ctx context.Context, required bool) (set Settings, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
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

// SetAllowlist is the gate for the list of addresses from which mail may be
// administered. It returns self_lockout for a list without the caller's own
// address.
func (s *Service) SetAllowlist(ctx context.Context, cidrs []string) (set Settings, err error) {
	list, err := parseCIDRs(cidrs)
	if err != nil {
		return set, err
	}
	next := Allowlist{CIDRs: []string{}}
	for _, p := range list {
		next.CIDRs = append(next.CIDRs, p.String())
	}
	if who := caller.From(ctx); !next.allows(who.IP) {
		return set, fault.New(fault.SelfLockout, who.IP)
	}
	return s.changeSettings(ctx, "admin_ip_allowlist", func(_ *db.Tx, set *Settings) (from, to any, err error) {
		was := set.AdminIPAllowlist
		set.AdminIPAllowlist = next
		return was.CIDRs, next.CIDRs, nil
	})
}

// SetDefaults is the gate for what new mailboxes have. It replaces all of them.
func (s *Service) SetDefaults(ctx context.Context, d Defaults) (set Settings, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		set, err = s.ChangeDefaults(tx, d)
		return err
	})
	return set, err
}

// ChangeDefaults does what SetDefaults does in a transaction that does more.
func (s *Service) ChangeDefaults(tx *db.Tx, d Defaults) (Settings, error) {
	return s.changeSettingsIn(tx, "defaults", func(_ *db.Tx, set *Settings) (from, to any, err error) {
		from = set.Defaults
		set.Defaults = d
		return from, d, nil
	})
}

// SetAbuse is the gate for what happens to mailboxes that send too much.
func (s *Service) SetAbuse(ctx context.Context, a Abuse) (Settings, error) {
	return s.changeSettings(ctx, "abuse", func(_ *db.Tx, set *Settings) (from, to any, err error) {
		from = set.Abuse
		set.Abuse = a
		return from, a, nil
	})
}

// SetDLP is the gate for what the rules judge beside e-mail.
func (s *Service) SetDLP(ctx context.Context, d DLP) (Settings, error) {
	return s.changeSettings(ctx, "dlp", func(_ *db.Tx, set *Settings) (from, to any, err error) {
		from = set.DLP
		set.DLP = d
		return from, d, nil
	})
}

// SetForwarding is the gate for where mailboxes may forward to. It replaces the list.
func (s *Service) SetForwarding(ctx context.Context, allowed []string) (set Settings, err error) {
	next, err := parseForwarding(allowed)
	if err != nil {
		return set, err
	}
	return s.changeSettings(ctx, "forwarding", func(_ *db.Tx, set *Settings) (from, to any, err error) {
		was := set.Forwarding
		set.Forwarding = next
		return was.Allowed, next.Allowed, nil
	})
}

// ForwardingAllowed returns the domains and addresses outside that mailboxes may
// forward to.
func (s *Service) ForwardingAllowed(r *db.Reader) ([]string, error) {
	set, err := findSettings(r)
	return set.Forwarding.Allowed, err
}

// SetJournaling is the gate for the journal. Turning it off deletes nothing. A longer
// retention also holds for what is there.
func (s *Service) SetJournaling(ctx context.Context, j Journaling) (Settings, error) {
	return s.changeSettings(ctx, "journaling", func(tx *db.Tx, set *Settings) (from, to any, err error) {
		was := set.Journaling
		if set.Journaling = j; j.RetentionDays > was.RetentionDays {
			err = lengthenRetention(tx, j.RetentionDays)
		}
		return was, j, err
	})
}

// changeSettings changes the settings and writes the line of the audit log. change
// returns what was there and what is there now; where those are equal nothing is
// written.
func (s *Service) changeSettings(ctx context.Context, name string, change func(*db.Tx, *Settings) (from, to any, err error)) (set Settings, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		set, err = s.changeSettingsIn(tx, name, change)
		return err
	})
	return set, err
}

func (s *Service) changeSettingsIn(tx *db.Tx, name string, change func(*db.Tx, *Settings) (from, to any, err error)) (set Settings, err error) {
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

// MailboxDefaults returns how much mail a new inbox takes and how long a mailbox's
// password must be, nil where nothing is set.
func (s *Service) MailboxDefaults(r *db.Reader) (quotaMB, minPassword *int64, err error) {
	set, err := findSettings(r)
	return set.Defaults.DefaultQuotaMB, set.Defaults.MinPasswordLength, err
}

// AutoSuspend says whether mailboxes that send too much are suspended.
func (s *Service) AutoSuspend(r *db.Reader) (bool, error) {
	set, err := findSettings(r)
	return set.Abuse.AutoSuspend, err
}

// CheckAddress is the API's guard for sessions: it returns ip_not_allowed for a
// route of mail administration that is called from outside of the workspace's
// list.
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
