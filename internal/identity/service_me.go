package identity

import (
	"context"
	"fmt"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Me returns the caller's own details, as read with their credential.
func (s *Service) Me(ctx context.Context) (Me, error) {
	me, ok := caller.From(ctx).Kept.(*Me)
	if !ok {
		return Me{}, fault.New(fault.Unauthenticated)
	}
	return *me, nil
}

// ChangeProfile changes the caller's own name and the language of mail to them, in every
// workspace they belong to.
func (s *Service) ChangeProfile(ctx context.Context, c ProfileChange) (User, error) {
	var name string
	if c.Name != nil {
		var err error
		if name, err = CleanName("name", *c.Name); err != nil {
			return User{}, err
		}
	}
	var u User
	err := s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := FindAccountByMember(&tx.Reader, caller.From(ctx).ID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		u = a.User
		if c.Name != nil {
			u.Name = name
		}
		if c.Language != nil {
			u.Language = *c.Language
		}
		if u == a.User {
			return nil
		}
		if err := updateProfile(tx, u); err != nil {
			return fmt.Errorf("identity: change profile: %w", err)
		}
		tx.AfterCommit(func() { s.ForgetUser(u.ID) })
		return audit.Write(tx, "profile.changed", u.ID.String(), map[string]any{
			"name": u.Name, "name_before": a.User.Name, "language": u.Language, "language_before": a.User.Language,
		})
	})
	return u, err
}
