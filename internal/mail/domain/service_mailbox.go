package domain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Accounts are the CRM's e-mail accounts.
type Accounts interface {
	// CheckAccount returns not_found if id is not an e-mail account of the reader's
	// workspace.
	CheckAccount(r *db.Reader, id uuid.UUID) error
}

// Passwords hashes and checks the passwords of mailboxes.
type Passwords interface {
	Hash(ctx context.Context, password string) (string, error)
	Verify(ctx context.Context, hash, password string) (bool, error)
	// Dummy returns a hash that no password matches: checking it takes as long as checking
	// any other.
	Dummy() string
}

// Settings are the workspace's settings for mailboxes.
type Settings interface {
	// MailboxDefaults returns the quota of a new inbox and the minimum password length,
	// each nil if the workspace has no default.
	MailboxDefaults(r *db.Reader) (quotaMB, minPassword *int64, err error)
	// AutoSuspend reports whether a mailbox that sends too much is suspended.
	AutoSuspend(r *db.Reader) (bool, error)
	// ForwardingAllowed returns the external domains and addresses that mailboxes may
	// forward to.
	ForwardingAllowed(r *db.Reader) ([]string, error)
}

// MailboxInput is the input for provisioning a mailbox.
type MailboxInput struct {
	Address, Kind string
	AccountID     *uuid.UUID // of an inbox
	Targets       []string   // of a forwarding mailbox
	// An empty Password, or QuotaMB or DailyLimit not sent, keeps the current value; a new
	// mailbox then has no password and the workspace's default quota. Null removes the
	// quota or the limit.
	Password   string
	QuotaMB    api.Optional[int64]
	DailyLimit api.Optional[int64]
}

// ProvisionMailbox adds a mailbox, or changes the destination, password, quota and limit of
// an existing one. It returns mailbox_kind_unavailable for an unsupported kind, and
// limit_reached if the workspace has too many.
func (s *Service) ProvisionMailbox(ctx context.Context, in MailboxInput) (m Mailbox, err error) {
	put, err := s.PrepareMailbox(ctx, in)
	if err != nil {
		return m, err
	}
	return db.Write(ctx, s.DB.TenantOf(ctx), put)
}

// PrepareMailbox does the part of ProvisionMailbox outside its transaction and returns the
// part inside.
func (s *Service) PrepareMailbox(ctx context.Context, in MailboxInput) (put func(*db.Tx) (Mailbox, error), err error) {
	email, name, err := parseMailboxAddress("address", in.Address)
	if err != nil {
		return nil, err
	}
	if in.Kind == KindPersonal {
		return nil, fault.New(fault.MailboxKindAbsent)
	}
	m := Mailbox{Address: email, Kind: in.Kind, Targets: []string{}, QuotaMB: in.QuotaMB.V, DailyLimit: in.DailyLimit.V}
	if in.Kind == KindForward {
		if m.Targets, err = parseTargets(in.Targets); err != nil {
			return nil, err
		}
	}
	if in.Password != "" {
		if m.passwordHash, err = s.hashPassword(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	return func(tx *db.Tx) (Mailbox, error) { return s.provisionMailbox(tx, name, m, in) }, nil
}

func (s *Service) provisionMailbox(tx *db.Tx, name string, m Mailbox, in MailboxInput) (Mailbox, error) {
	d, err := lockByName(tx, name)
	if err != nil {
		return m, db.IfNoRow(fmt.Errorf("domain: find: %w", err), fault.Invalid("address", "unknown_domain"))
	}
	m.DomainID = d.ID
	if loops, err := leadsBack(&tx.Reader, m.Address, m.Targets); err != nil || loops {
		return m, cmp.Or(err, error(fault.Invalid("targets", "forwarding_loop")))
	}
	if refused, err := s.ForbiddenTargets(&tx.Reader, m.Targets); err != nil || len(refused) > 0 {
		return m, cmp.Or(err, error(fault.Invalid("targets", "forwarding_not_allowed")))
	}
	if in.Kind == KindInbox {
		if m.AccountID, err = s.checkAccount(&tx.Reader, in.AccountID); err != nil {
			return m, err
		}
	}
	return s.putNewMailbox(tx, m, in)
}

// checkAccount returns the account, and a fault of the field account_id if it is not an
// e-mail account of the workspace.
func (s *Service) checkAccount(r *db.Reader, account *uuid.UUID) (*uuid.UUID, error) {
	if account == nil {
		return nil, fault.Invalid("account_id", "required")
	}
	err := s.Accounts.CheckAccount(r, *account)
	if fault.Is(err, fault.NotFound) {
		err = fault.Invalid("account_id", "unknown")
	}
	return account, err
}

// parseTargets parses the addresses that a mailbox forwards to.
func parseTargets(list []string) ([]string, error) {
	if len(list) == 0 {
		return nil, fault.Invalid("targets", "required")
	}
	targets, ok := address.ParseEmails(list)
	if !ok {
		return nil, fault.Invalid("targets", "invalid_address")
	}
	return targets, nil
}

// ForbiddenTargets returns those of the addresses that no mailbox of the reader's workspace
// may forward to: those that are neither at one of its own domains nor on its list.
func (s *Service) ForbiddenTargets(r *db.Reader, targets []string) (out []string, err error) {
	if len(targets) == 0 {
		return nil, nil
	}
	allowed, err := s.Settings.ForwardingAllowed(r)
	if err != nil {
		return nil, err
	}
	own, err := allRows(r)
	if err != nil {
		return nil, err
	}
	for _, d := range own {
		if d.owned() {
			allowed = append(allowed, d.Domain.Domain)
		}
	}
	for _, addr := range targets {
		key := address.Fold(addr)
		if _, name, _ := strings.Cut(key, "@"); !slices.Contains(allowed, name) && !slices.Contains(allowed, key) {
			out = append(out, addr)
		}
	}
	return out, nil
}

// leadsBack reports whether mail to one of the targets would return to the address own
// through the workspace's own mailboxes.
func leadsBack(r *db.Reader, own string, targets []string) (bool, error) {
	seen, next := map[string]bool{}, slices.Clone(targets)
	for len(next) > 0 {
		bare, _, _ := foldAddress(next[0])
		next = next[1:]
		if bare == own {
			return true, nil
		}
		if seen[bare] {
			continue
		}
		seen[bare] = true
		m, err := findMailbox(r, bare)
		if err != nil && !db.IsNoRow(err) {
			return false, err
		}
		next = append(next, m.Targets...)
	}
	return false, nil
}

// hashPassword returns the hash of a mailbox's new password, or a fault of the field
// password if it is shorter than the workspace's minimum.
func (s *Service) hashPassword(ctx context.Context, password string) (string, error) {
	_, least, err := s.readDefaults(ctx)
	if err != nil {
		return "", err
	}
	if int64(utf8.RuneCountInString(password)) < least {
		return "", fault.Invalid("password", "too_short")
	}
	return s.Passwords.Hash(ctx, password)
}

func (s *Service) readDefaults(ctx context.Context) (quota *int64, least int64, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		var set *int64
		if quota, set, err = s.Settings.MailboxDefaults(r); set != nil {
			least = *set
		} else {
			least = minPassword
		}
		return err
	})
	return quota, least, err
}

// putNewMailbox stores a mailbox and its audit entry.
func (s *Service) putNewMailbox(tx *db.Tx, m Mailbox, in MailboxInput) (Mailbox, error) {
	id := tx.NewID()
	m.ID, m.CreatedAt = id, clock.At(tx.Now())
	_, err := findMailbox(&tx.Reader, m.Address)
	if db.IsNoRow(err) && !in.QuotaMB.Sent && m.Kind == KindInbox {
		m.QuotaMB, _, err = s.Settings.MailboxDefaults(&tx.Reader)
	}
	if err != nil && !db.IsNoRow(err) {
		return m, err
	}
	hash := m.passwordHash
	if m, err = putMailbox(tx, m, in.QuotaMB.Sent, in.DailyLimit.Sent, caller.From(tx.Context()).Actor()); err != nil {
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
	return m, audit.Write(tx, what, m.ID.String(), map[string]any{
		"address": m.Address, "kind": m.Kind, "account_id": m.AccountID, "targets": m.Targets, "quota_mb": m.QuotaMB, "daily_limit": m.DailyLimit, "new_password": hash != "",
	})
}

// SetMailboxState suspends a mailbox or reactivates it.
func (s *Service) SetMailboxState(ctx context.Context, id uuid.UUID, state string) (m Mailbox, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if m, err = lockMailbox(tx, id); err != nil {
			return db.NotFound(err)
		}
		if m.State == state {
			return nil
		}
		if m, err = setMailboxState(tx, id, state); err != nil {
			return err
		}
		if state == MailboxActive {
			return audit.Write(tx, "mail.mailbox.resumed", id.String(), map[string]string{"address": m.Address})
		}
		return announceSuspension(tx, m, ReasonByHand)
	})
	return m, err
}

// DeleteMailbox removes a mailbox; mail to it is refused from then on.
func (s *Service) DeleteMailbox(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m, err := deleteMailbox(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "mail.mailbox.deleted", id.String(), map[string]string{"address": m.Address})
	})
}

// Mailboxes lists the mailboxes, newest first.
func (s *Service) Mailboxes(ctx context.Context, p db.Page) (db.List[Mailbox], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Mailbox], error) { return listMailboxes(r, p) })
}

// HasMailbox reports whether the reader's workspace has a mailbox with this address.
func (s *Service) HasMailbox(r *db.Reader, addr string) (bool, error) {
	_, err := findMailbox(r, addr)
	return db.Found(err)
}

// FindMailbox returns the mailbox of an address and its workspace. It returns not_found if
// the mailbox does not exist or nobody owns the domain. Anything from a plus on in the
// local part is ignored.
func (s *Service) FindMailbox(ctx context.Context, addr string) (tenant uuid.UUID, m Mailbox, err error) {
	bare, name, ok := foldAddress(addr)
	if !ok {
		return tenant, m, fault.New(fault.NotFound)
	}
	if tenant, err = s.FindOwner(ctx, name); err != nil || tenant == uuid.Nil {
		return tenant, m, cmp.Or(err, error(fault.New(fault.NotFound)))
	}
	m, err = db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (Mailbox, error) { return findMailbox(r, bare) })
	return tenant, m, db.NotFound(err)
}

// FindInbox returns the workspace and the e-mail account that receive mail to an address.
// It returns not_found if the address has no inbox, and storage_full if the inbox accepts
// no more mail.
func (s *Service) FindInbox(ctx context.Context, addr string) (tenant, account uuid.UUID, err error) {
	tenant, m, err := s.FindMailbox(ctx, addr)
	switch {
	case err != nil:
		return tenant, account, err
	case m.Kind != KindInbox || m.AccountID == nil:
		return tenant, account, fault.New(fault.NotFound)
	case m.isFull():
		return tenant, account, fault.New(fault.StorageFull).Because("mailbox")
	}
	return tenant, *m.AccountID, nil
}

// CountMail adds a mail to the storage used by an address's inbox, in the transaction that
// accepts it. It returns storage_full if the mail does not fit. Addresses without a mailbox
// are not counted.
func (s *Service) CountMail(tx *db.Tx, addr string, size int64) error {
	bare, _, ok := foldAddress(addr)
	if !ok {
		return nil
	}
	m, err := addUsedBytes(tx, bare, size)
	switch {
	case err != nil:
		return db.IgnoreNoRow(err)
	case m.QuotaMB != nil && m.UsedBytes > *m.QuotaMB<<20:
		return fault.New(fault.StorageFull).Because("mailbox")
	}
	return nil
}

// ReturnMail subtracts a mail from the storage used by an address's inbox, in the
// transaction that deletes it.
func (s *Service) ReturnMail(tx *db.Tx, addr string, size int64) error {
	bare, _, ok := foldAddress(addr)
	if !ok {
		return nil
	}
	return subtractUsedBytes(tx, bare, size)
}

// SignIn returns the mailbox of an address, and its workspace, if the password is correct.
// Otherwise it returns wrong_credentials, and takes just as long if the address has no
// mailbox.
func (s *Service) SignIn(ctx context.Context, addr, password string) (tenant uuid.UUID, m Mailbox, err error) {
	tenant, m, err = s.FindMailbox(ctx, addr)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return tenant, m, err
	}
	known := err == nil && m.passwordHash != "" && m.Address == address.Fold(strings.TrimSpace(addr))
	hash := m.passwordHash
	if !known {
		hash = s.Passwords.Dummy()
	}
	ok, err := s.Passwords.Verify(ctx, hash, password)
	if err != nil {
		return tenant, m, err
	}
	if !ok || !known {
		return tenant, m, fault.New(fault.WrongCredentials)
	}
	return tenant, m, nil
}
