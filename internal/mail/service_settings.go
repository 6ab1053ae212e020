package mail

import (
	"context"
	"slices"
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
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if set, err = s.readSettings(&tx.Reader); err != nil {
			return err
		}
		was := set.AdminIPAllowlist
		if set.AdminIPAllowlist = next; slices.Equal(was.CIDRs, next.CIDRs) {
			return nil
		}
		if err := putSettings(tx, set); err != nil {
			return err
		}
		return audit.Write(tx, "mail.settings.admin_ip_allowlist", tx.Tenant().String(), map[string]any{"from": was.CIDRs, "to": next.CIDRs})
	})
	return set, err
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
