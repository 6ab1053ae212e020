package identity

import (
	"fmt"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// RequiresTwoFactor reports whether the workspace requires a second step of its members.
func (s *Service) RequiresTwoFactor(r *db.Reader) (bool, error) { return requiresTwoFactor(r) }

// RequireTwoFactor makes the workspace require a second step of its members, or stops
// requiring it. Sessions of members without one can then only set one up; API keys are not
// affected. It returns two_factor_off if the caller has none: they would lock themselves
// out.
func (s *Service) RequireTwoFactor(tx *db.Tx, required bool) error {
	if required {
		me, err := FindAccountByMember(&tx.Reader, caller.From(tx.Context()).ID)
		if err != nil {
			return db.NotFound(err)
		}
		if !me.User.TwoFactor {
			return fault.New(fault.TwoFactorOff).Because("own_account")
		}
	}
	if err := setRequireTwoFactor(tx, required); err != nil {
		return fmt.Errorf("identity: require two-factor: %w", err)
	}
	tenant := tx.Tenant()
	tx.AfterCommit(func() { s.forgetTenant(tenant) })
	return nil
}
