package domain

import (
	"context"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// maxGrants is the maximum number of send-as grants of a workspace.
const maxGrants = 10_000

// Grant lets a mailbox send as another address.
type Grant struct {
	ID        uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	MailboxID uuid.UUID  `json:"mailbox_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Address   string     `json:"address" example:"satis@kaya.example"`
	GrantedBy *uuid.UUID `json:"granted_by" nullable:"true" format:"uuid" doc:"Member who granted it"`
	CreatedAt clock.Time `json:"created_at"`
}

// Grants lists the grants, newest first.
func (s *Service) Grants(ctx context.Context, p db.Page) (db.List[Grant], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Grant], error) { return listGrants(r, p) })
}

// AddGrant lets a mailbox send as an address at one of the workspace's domains. It returns
// conflict if the mailbox may do so already, which includes its own address.
func (s *Service) AddGrant(ctx context.Context, mailbox uuid.UUID, addr string) (g Grant, err error) {
	email, name, err := parseMailboxAddress("address", addr)
	if err != nil {
		return g, err
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &g, func(tx *db.Tx) error {
		m, err := lockMailbox(tx, mailbox)
		if err != nil {
			return db.IfNoRow(err, fault.Invalid("mailbox_id", "unknown"))
		}
		if _, err := lockByName(tx, name); err != nil {
			return db.IfNoRow(err, fault.Invalid("address", "unknown_domain"))
		}
		g = Grant{ID: tx.NewID(), MailboxID: mailbox, Address: email, GrantedBy: caller.From(ctx).Actor(), CreatedAt: clock.At(tx.Now())}
		fresh := m.Address != email
		if fresh {
			if fresh, err = insertGrant(tx, g); err != nil {
				return err
			}
		}
		if !fresh {
			return fault.New(fault.Conflict).Because("grant_taken").Field("address", "taken")
		}
		n, err := countGrants(&tx.Reader)
		if err != nil {
			return err
		}
		if n > maxGrants {
			return fault.New(fault.LimitReached, maxGrants).Because("send_as")
		}
		return audit.Write(tx, "mail.send_as.granted", g.ID.String(), map[string]string{"mailbox": m.Address, "address": email})
	})
	return g, err
}

// RevokeGrant revokes a grant. Open sessions are affected from their next mail on.
func (s *Service) RevokeGrant(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		g, err := deleteGrant(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "mail.send_as.revoked", id.String(), map[string]string{"mailbox_id": g.MailboxID.String(), "address": g.Address})
	})
}

// MaySendAs reports whether a mailbox may send as an address: its own, or one that it has a
// grant for, at a domain that the workspace currently owns. Anything from a plus on in the
// local part is ignored.
func (s *Service) MaySendAs(ctx context.Context, tenant uuid.UUID, m Mailbox, addr string) (bool, error) {
	bare, name, ok := foldAddress(addr)
	if !ok {
		return false, nil
	}
	owner, err := s.FindOwner(ctx, name)
	if err != nil || owner != tenant {
		return false, err
	}
	if bare == m.Address {
		return true, nil
	}
	return db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (bool, error) { return hasGrant(r, m.ID, bare) })
}

// parseMailboxAddress parses an address that a mailbox can have and returns it with its
// domain. It returns a fault of the field for any other address.
func parseMailboxAddress(field, addr string) (email, name string, err error) {
	if address.IsWildcard(addr) {
		return "", "", fault.Invalid(field, "wildcard")
	}
	e, ok := address.ParseEmail(addr)
	local, name, _ := strings.Cut(e.Key, "@")
	if !ok || !e.ASCII() || strings.Contains(local, "+") {
		return "", "", fault.Invalid(field, "invalid_address")
	}
	return e.Key, name, nil
}

// foldAddress returns an address without the plus and what follows it in the local part,
// and its domain. It returns false if addr is not an address.
func foldAddress(addr string) (bare, name string, ok bool) {
	local, name, _ := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	local, _, _ = strings.Cut(local, "+")
	name, ok = address.ParseDomain(name)
	return local + "@" + name, name, ok && local != "" && !strings.ContainsFunc(local, unicode.IsControl)
}

// FindOwner returns the workspace that owns a domain, or the zero id if nobody owns it.
func (s *Service) FindOwner(ctx context.Context, name string) (uuid.UUID, error) {
	return db.Read(ctx, s.DB.System("mail domain look-up"), func(r *db.Reader) (uuid.UUID, error) { return findOwner(r, name) })
}
