package domain

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Accounts are the CRM's e-mail accounts.
type Accounts interface {
	// CheckAccount returns not_found for an id that is no e-mail account of the
	// reader's workspace.
	CheckAccount(r *db.Reader, id uuid.UUID) error
}

// ProvisionMailbox adds a mailbox, or changes where the mail of one goes. It
// returns mailbox_kind_unavailable for a kind that is not served, and
// limit_reached where the workspace has too many.
func (s *Service) ProvisionMailbox(ctx context.Context, addr, kind string, account uuid.UUID) (m Mailbox, err error) {
	email, ok := address.ParseEmail(addr)
	local, name, _ := strings.Cut(email.Key, "@")
	if !ok || !email.ASCII() || strings.Contains(local, "+") {
		return m, fault.Invalid("address", "invalid_address")
	}
	if kind != KindInbox {
		return m, fault.New(fault.MailboxKindAbsent)
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		d, err := lockByName(tx, name)
		if db.IsNoRow(err) {
			return fault.Invalid("address", "unknown_domain")
		}
		if err != nil {
			return fmt.Errorf("domain: find: %w", err)
		}
		if err := s.Accounts.CheckAccount(&tx.Reader, account); err != nil {
			if fault.Is(err, fault.NotFound) {
				return fault.Invalid("account_id", "unknown")
			}
			return err
		}
		m, err = putNewMailbox(tx, Mailbox{DomainID: d.ID, Address: email.Key, Kind: kind, AccountID: account})
		return err
	})
	return m, err
}

// putNewMailbox writes a mailbox and its line of the audit log.
func putNewMailbox(tx *db.Tx, m Mailbox) (Mailbox, error) {
	id := tx.NewID()
	m.ID, m.CreatedAt = id, clock.At(tx.Now())
	m, err := putMailbox(tx, m, memberOf(tx.Context()))
	if err != nil {
		return m, fmt.Errorf("domain: put mailbox: %w", err)
	}
	n, err := countMailboxes(&tx.Reader)
	if err != nil {
		return m, err
	}
	if n > maxMailboxes {
		return m, fault.New(fault.LimitReached, maxMailboxes).Because("mailboxes")
	}
	what := "mail.mailbox.changed"
	if m.ID == id {
		what = "mail.mailbox.added"
	}
	return m, audit.Write(tx, what, m.ID.String(), map[string]string{"address": m.Address, "account_id": m.AccountID.String()})
}

// DeleteMailbox removes a mailbox: mail to it is refused from now on.
func (s *Service) DeleteMailbox(ctx context.Context, id uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		m, err := deleteMailbox(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "mail.mailbox.deleted", id.String(), map[string]string{"address": m.Address})
	})
}

// Mailboxes lists the newest first.
func (s *Service) Mailboxes(ctx context.Context, p db.Page) (db.List[Mailbox], error) {
	return db.Read(ctx, s.tenant(ctx), func(r *db.Reader) (db.List[Mailbox], error) { return listMailboxes(r, p) })
}

// FindInbox returns the workspace and the e-mail account that mail to an address
// goes to, and not_found where there is none: no such mailbox, or a domain that is
// nobody's own. What follows a plus in the address does not count.
func (s *Service) FindInbox(ctx context.Context, addr string) (tenant, account uuid.UUID, err error) {
	local, name, _ := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	local, _, _ = strings.Cut(local, "+")
	name, ok := address.ParseDomain(name)
	if !ok {
		return tenant, account, fault.New(fault.NotFound)
	}
	tenant, err = db.Read(ctx, s.DB.System("mail domain look-up"), func(r *db.Reader) (uuid.UUID, error) { return findOwner(r, name) })
	if err != nil {
		return tenant, account, db.NotFound(err)
	}
	m, err := db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (Mailbox, error) { return findMailbox(r, local+"@"+name) })
	return tenant, m.AccountID, db.NotFound(err)
}
