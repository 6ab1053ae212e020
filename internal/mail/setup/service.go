package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/mail"
	"konak/internal/mail/domain"
)

// Service manages the setup of mail.
type Service struct {
	db      *db.DB
	domains *domain.Service
	mail    *mail.Service
}

// New creates the service.
func New(d *db.DB, domains *domain.Service, settings *mail.Service) *Service {
	return &Service{d, domains, settings}
}

// Get returns the workspace's setup progress.
func (s *Service) Get(ctx context.Context) (Setup, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), s.read)
}

func (s *Service) read(r *db.Reader) (Setup, error) {
	st, err := find(r)
	if err != nil {
		return Setup{}, err
	}
	seen, err := s.domains.ReadProgress(r)
	return st.build(seen), err
}

// NewMailbox is a mailbox to provision.
type NewMailbox struct {
	Address   string    `json:"address" minLength:"1" maxLength:"254" example:"destek@kaya.example"`
	AccountID uuid.UUID `json:"account_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"E-mail account of the CRM that receives its mail"`
}

// Plan is what the setup should create.
type Plan struct {
	Domain    string
	Mailboxes []NewMailbox
	// Defaults replace the ones in the settings; nil leaves them unchanged.
	Defaults *mail.Defaults
}

// Apply provisions a domain and mailboxes in one transaction, each with the same rules and
// permission as its own route. An existing domain and existing mailboxes stay unchanged.
func (s *Service) Apply(ctx context.Context, p Plan) (out Setup, err error) {
	if err := checkPermission(ctx, perm.DomainsManage); err != nil {
		return out, err
	}
	if len(p.Mailboxes) > 0 {
		if err := checkPermission(ctx, perm.MailboxesManage); err != nil {
			return out, err
		}
	}
	putDomain, err := s.domains.Prepare(ctx, domain.Input{Domain: p.Domain, Routing: domain.RoutingEmbedded})
	if err != nil {
		return out, err
	}
	putBoxes := make([]func(*db.Tx) (domain.Mailbox, error), len(p.Mailboxes))
	for i, b := range p.Mailboxes {
		putBoxes[i], err = s.domains.PrepareMailbox(ctx, domain.MailboxInput{Address: b.Address, Kind: domain.KindInbox, AccountID: &b.AccountID})
		if err != nil {
			return out, ofMailbox(i, err)
		}
	}
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if p.Defaults != nil {
			if _, err := s.mail.ChangeDefaults(tx, *p.Defaults); err != nil {
				return err
			}
		}
		if _, err := putDomain(tx); err != nil {
			return err
		}
		for i, put := range putBoxes {
			known, err := s.domains.HasMailbox(&tx.Reader, address.Fold(strings.TrimSpace(p.Mailboxes[i].Address)))
			if err == nil && !known {
				_, err = put(tx)
			}
			if err != nil {
				return ofMailbox(i, err)
			}
		}
		out, err = s.read(&tx.Reader)
		return err
	})
	return out, err
}

// ofMailbox returns err with its fields renamed to those of the mailbox at index i.
func ofMailbox(i int, err error) error {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	named := fault.New(f.Code)
	for field, codes := range f.Fields {
		for _, code := range codes {
			named.Field(fmt.Sprintf("mailboxes[%d].%s", i, field), code)
		}
	}
	return named
}

// checkPermission returns forbidden if the caller lacks a permission.
func checkPermission(ctx context.Context, p perm.Permission) error {
	if caller.From(ctx).Can(p) {
		return nil
	}
	return fault.Lacking(p)
}

// Mark sets the status of an optional step. It returns a fault of the field step for other
// steps, which are detected.
func (s *Service) Mark(ctx context.Context, step, status string) (Setup, error) {
	if !slices.Contains(optional, step) {
		return Setup{}, fault.Invalid("step", "not_allowed").Because("step_is_seen")
	}
	return s.change(ctx, "mail.setup.step", map[string]string{"step": step, "status": status}, func(_ *db.Tx, st *stored, _ Setup) error {
		st.marks[step] = status
		return nil
	})
}

// Dismiss hides the setup.
func (s *Service) Dismiss(ctx context.Context) (Setup, error) {
	return s.change(ctx, "mail.setup.dismissed", nil, func(_ *db.Tx, st *stored, _ Setup) error {
		st.dismissed = true
		return nil
	})
}

// Complete completes the setup. While a mandatory step is open it returns conflict with
// that step as the reason.
func (s *Service) Complete(ctx context.Context) (Setup, error) {
	return s.change(ctx, "mail.setup.completed", nil, func(tx *db.Tx, st *stored, now Setup) error {
		if step := now.open(); step != "" {
			return fault.New(fault.Conflict).Because(step)
		}
		if st.completedAt == nil {
			st.completedAt = clock.Ptr(tx.Now())
		}
		return nil
	})
}

func (s *Service) change(ctx context.Context, action string, details any, do func(tx *db.Tx, st *stored, now Setup) error) (out Setup, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		st, err := find(&tx.Reader)
		if err != nil {
			return err
		}
		seen, err := s.domains.ReadProgress(&tx.Reader)
		if err != nil {
			return err
		}
		if err := do(tx, &st, st.build(seen)); err != nil {
			return err
		}
		out = st.build(seen)
		if err := put(tx, st); err != nil {
			return err
		}
		return audit.Write(tx, action, tx.Tenant().String(), details)
	})
	return out, err
}
