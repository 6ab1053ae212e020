package signin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"konak/internal/identity"
	"konak/internal/identity/notice"
	"konak/internal/identity/password"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// firstOwnerFor is how long the link for the first owner is valid; the next start creates
// another.
const firstOwnerFor = time.Hour

// FirstOwnerRequest is the input of the installation's first owner.
type FirstOwnerRequest struct{ Token, Email, Password, Name, WorkspaceName, Language string }

// firstOwnerLink is a link as it is stored.
type firstOwnerLink struct {
	hash    []byte
	expires clock.Time
}

// FirstOwnerLink creates a link that opens the first account and its workspace, on the
// panel at baseURL. It returns nothing if a workspace exists already.
func (s *Service) FirstOwnerLink(ctx context.Context, baseURL string) (secret.Text, error) {
	token := secret.NewToken(secret.OwnerPrefix)
	made := false
	err := s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error {
		if some, err := identity.HasWorkspaces(&tx.Reader); err != nil || some {
			return err
		}
		made = true
		return putFirstOwnerLink(tx, secret.Hash(token), tx.Now().Add(firstOwnerFor))
	})
	if err != nil {
		return secret.Text{}, fmt.Errorf("signin: make the first owner's link: %w", err)
	}
	if !made {
		return secret.Text{}, nil
	}
	return secret.Of(notice.Link(baseURL, notice.PageFirstOwner, token)), nil
}

// OpenFirstAccount creates the first owner and their workspace. The address is taken as
// proven: the holder of the link runs the service. It returns the fault link_expired for a
// link that was used, is too old, or came after a workspace was created.
func (s *Service) OpenFirstAccount(ctx context.Context, in FirstOwnerRequest) (Verified, error) {
	expired := fault.New(fault.LinkExpired)
	if !secret.WellFormed(in.Token, secret.OwnerPrefix) {
		return Verified{}, expired
	}
	mail, ok := address.ParseEmail(in.Email)
	if !ok {
		return Verified{}, fault.Invalid("email", "invalid_address")
	}
	owner := identity.User{Email: mail.Address, Language: in.Language}
	var err error
	if owner.Name, err = identity.CleanName("name", in.Name); err != nil {
		return Verified{}, err
	}
	workspace, err := identity.CleanName("workspace_name", in.WorkspaceName)
	if err != nil {
		return Verified{}, err
	}
	if err := password.Check("password", in.Password, false, mail.Address, owner.Name, workspace); err != nil {
		return Verified{}, err
	}
	hash, err := s.cfg.Passwords.Hash(ctx, in.Password)
	if err != nil {
		return Verified{}, err
	}
	out := Verified{Email: owner.Email}
	err = s.db.Tenant(s.db.Clock().NewID()).InTx(ctx, func(tx *db.Tx) error {
		if good, err := takeFirstOwnerLink(tx, secret.Hash(in.Token)); err != nil {
			return fmt.Errorf("signin: take the first owner's link: %w", err)
		} else if !good {
			return expired
		}
		if some, err := identity.HasWorkspaces(&tx.Reader); err != nil {
			return err
		} else if some {
			return expired
		}
		var err error
		if out.Workspace, err = s.identity.OpenAccount(tx, owner, mail.Key, hash, workspace); err != nil {
			return err
		}
		return deleteSignUps(tx, mail.Key)
	})
	return out, err
}

// takeFirstOwnerLink removes all links and reports whether one of them has the hash and is
// still valid. If two people use a link each at once, the second waits here for the first.
func takeFirstOwnerLink(tx *db.Tx, hash []byte) (bool, error) {
	links, err := deleteFirstOwnerLinks(tx)
	good := slices.ContainsFunc(links, func(l firstOwnerLink) bool {
		return slices.Equal(l.hash, hash) && l.expires.After(tx.Now())
	})
	return good, err
}
