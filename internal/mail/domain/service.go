package domain

import (
	"cmp"
	"context"
	"crypto/rsa"
	"fmt"
	"regexp"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dns"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// Config is the configuration of the module.
type Config struct {
	DB  *db.DB
	Box *secret.Box
	// Key is the key from which ownership records are computed.
	Key []byte
	DNS *dns.Client
	// Host is the name of the server that receives the domains' mail, SPF the SPF term for
	// the servers that send it.
	Host, SPF string
	// TLSListen is the address where mail programs submit mail over implicit TLS, "" for
	// none.
	TLSListen string
	// Accounts are the e-mail accounts that inboxes deliver to.
	Accounts  Accounts
	Passwords Passwords
	Settings  Settings
	// NewRSAKey generates the RSA keys of DKIM. Tests set it because generation takes long;
	// the default generates keys of 2,048 bits.
	NewRSAKey func() (*rsa.PrivateKey, error)
}

// Service manages the mail domains of workspaces.
type Service struct{ Config }

// New creates the service.
func New(c Config) *Service {
	if c.NewRSAKey == nil {
		c.NewRSAKey = generateRSAKey
	}
	return &Service{c}
}

// Input is the input for provisioning a domain.
type Input struct {
	Domain   string
	Selector string // "" keeps the current one; a new domain gets one of this month
	Routing  string
}

// selectors matches valid selectors. It leaves space for one more character in a label.
var selectors = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,59}[a-z0-9])?$`)

// Provision adds a domain, or changes the selector of an existing one. A new selector comes
// with new keys. If the records of the current keys have been seen, the new keys wait for
// theirs; provisioning the current selector again discards them. It returns domain_taken if
// another workspace has proved that it owns the domain, and limit_reached if the workspace
// has too many.
func (s *Service) Provision(ctx context.Context, in Input) (out Details, err error) {
	put, err := s.Prepare(ctx, in)
	if err != nil {
		return out, err
	}
	return db.Write(ctx, s.DB.TenantOf(ctx), put)
}

// Prepare does the part of Provision outside its transaction and returns the part inside.
func (s *Service) Prepare(ctx context.Context, in Input) (put func(*db.Tx) (Details, error), err error) {
	name, ok := address.ParseDomain(in.Domain)
	if !ok {
		return nil, fault.Invalid("domain", "invalid_domain")
	}
	if in.Selector != "" && !selectors.MatchString(in.Selector) {
		return nil, fault.Invalid("selector", "invalid_selector")
	}
	if err := s.checkOwner(ctx, name); err != nil {
		return nil, err
	}
	keys, err := s.makeKeys() // it takes a while
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx) (Details, error) {
		d, err := s.put(tx, name, in, keys)
		return s.details(tx.Tenant(), &d), err
	}, nil
}

func (s *Service) put(tx *db.Tx, name string, in Input, keys keyPair) (d row, err error) {
	now := clock.At(tx.Now())
	d = row{
		Domain: Domain{
			ID: tx.NewID(), Domain: name, Display: address.ShowDomain(name), Selector: cmp.Or(in.Selector, tx.Now().Format("s200601")),
			Routing: in.Routing, State: Pending, CreatedAt: now,
		},
		keys: keys.public, results: map[string]Result{}, stateAt: now,
	}
	rsa, ed25519 := keys.seal(s.Box, tx.Tenant(), d.ID, d.Selector)
	fresh, err := insertRow(tx, &d, rsa, ed25519, caller.From(tx.Context()).Actor())
	if err != nil {
		return d, fmt.Errorf("domain: insert: %w", err)
	}
	if !fresh {
		if d, err = lockByName(tx, name); err != nil {
			return d, fmt.Errorf("domain: find: %w", err)
		}
		return d, s.change(tx, &d, in, keys)
	}
	n, err := countRows(&tx.Reader)
	if err != nil {
		return d, err
	}
	if n > maxDomains {
		return d, fault.New(fault.LimitReached, maxDomains).Because("domains")
	}
	if err := audit.Write(tx, "mail.domain.added", d.ID.String(), map[string]string{"domain": name}); err != nil {
		return d, err
	}
	return d, jobs.Restart(tx, checkJob, d.ID, d.nextRound(tx.Now()))
}

// change gives an existing domain keys at another selector. If receivers can verify the
// current keys, these keep signing until the records of the new ones have been seen.
func (s *Service) change(tx *db.Tx, d *row, in Input, keys keyPair) error {
	if in.Selector == "" || in.Selector == cmp.Or(d.NextSelector, d.Selector) {
		return nil
	}
	if in.Selector == d.OldSelector && d.OldUntil.After(tx.Now()) {
		return fault.Invalid("selector", "taken") // mail signed with its old key is still in transit
	}
	was := cmp.Or(d.NextSelector, d.Selector)
	delete(d.results, purposeNextRSA)
	delete(d.results, purposeNextEd25519)
	d.rounds, d.stateAt = 0, clock.At(tx.Now())
	var err error
	switch rsa, ed25519 := keys.seal(s.Box, tx.Tenant(), d.ID, in.Selector); {
	case in.Selector == d.Selector:
		d.NextSelector, d.next = "", publicKeys{}
		err = saveNextKeys(tx, d, nil, nil)
	case d.results[purposeRSA].Status == StatusOK:
		d.NextSelector, d.next = in.Selector, keys.public
		err = saveNextKeys(tx, d, rsa, ed25519)
	default:
		d.Selector, d.keys, d.NextSelector, d.next = in.Selector, keys.public, "", publicKeys{}
		delete(d.results, purposeRSA)
		delete(d.results, purposeEd25519)
		err = saveKeys(tx, d, rsa, ed25519)
	}
	if err != nil {
		return fmt.Errorf("domain: save keys: %w", err)
	}
	if err := audit.Write(tx, "mail.domain.changed", d.ID.String(), map[string]string{"domain": d.Domain.Domain, "from": was, "to": in.Selector}); err != nil {
		return err
	}
	return jobs.Restart(tx, checkJob, d.ID, tx.Now())
}

// checkOwner returns domain_taken if another workspace has proved that it owns the domain.
func (s *Service) checkOwner(ctx context.Context, name string) error {
	owner, err := s.FindOwner(ctx, name)
	switch {
	case err != nil:
		return fmt.Errorf("domain: find owner: %w", err)
	case owner != uuid.Nil && owner != caller.From(ctx).TenantID:
		return fault.New(fault.DomainTaken)
	}
	return nil
}

// Delete removes a domain with its keys. It returns conflict if the domain has mailboxes.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := lockRow(tx, id); err != nil {
			return db.NotFound(err)
		}
		n, err := countMailboxesAt(&tx.Reader, id)
		if err != nil {
			return err
		}
		if n > 0 {
			return fault.New(fault.Conflict).Because("has_mailboxes")
		}
		d, err := deleteRow(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if err := release(tx, &d); err != nil {
			return fmt.Errorf("domain: release: %w", err)
		}
		return audit.Write(tx, "mail.domain.deleted", id.String(), map[string]string{"domain": d.Domain.Domain})
	})
}

// List lists the domains, newest first.
func (s *Service) List(ctx context.Context, p db.Page) (db.List[Domain], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Domain], error) { return listRows(r, p) })
}

func (s *Service) find(ctx context.Context, id uuid.UUID) (row, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (row, error) { return findRow(r, id) })
}

func (s *Service) details(tenant uuid.UUID, d *row) Details {
	records := s.recordsOf(tenant, d)
	return Details{Domain: d.Domain, Records: records, ZoneFile: zoneFile(d.Domain.Domain, records)}
}
