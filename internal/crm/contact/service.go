package contact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/ledger"
)

// Follower stores data of contacts and is notified of changes, in the transaction of the
// change.
type Follower interface {
	// ContactRenamed receives the new name, "" if the contact was deleted.
	ContactRenamed(tx *db.Tx, id uuid.UUID, name string) error
	// ContactMerged moves what belongs to the loser and returns what Undo needs.
	ContactMerged(tx *db.Tx, loser, winner Ref) (undo []byte, err error)
	// ContactParted undoes a merge.
	ContactParted(tx *db.Tx, loser, winner Ref, undo []byte) error
}

// Agents checks the members of a workspace.
type Agents interface {
	IsAgent(r *db.Reader, id uuid.UUID) (bool, error)
}

// Config holds what the address book needs.
type Config struct {
	DB   *db.DB
	Book *Book
	// Followers are notified of changes, in this order.
	Followers []Follower
	// Ledger records that a contact was erased.
	Ledger *ledger.Ledger
}

// Service is the address book: what people and programs do with contacts.
type Service struct {
	*Book
	db        *db.DB
	followers []Follower
	ledger    *ledger.Ledger
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{Book: c.Book, db: c.DB, followers: c.Followers, ledger: c.Ledger}
}

// List returns contacts, newest first.
func (s *Service) List(ctx context.Context, f Filter, p db.Page) (db.List[Contact], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Contact], error) {
		return list(r, f, p)
	})
}

// Get returns one contact. For a merged contact it returns the one that it was merged into.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (Contact, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Contact, error) {
		c, err := byIDOrMerged(r, id)
		if err != nil {
			return c, db.NotFound(err)
		}
		return c, matchClaims(r, &c)
	})
}

// Create is the gate for a new contact.
func (s *Service) Create(ctx context.Context, in Input) (c Contact, err error) {
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &c, func(tx *db.Tx) (err error) {
		c, err = s.create(tx, in)
		return err
	})
	return c, conflict(err)
}

func (b *Book) create(tx *db.Tx, in Input) (Contact, error) {
	c := Contact{
		ID: tx.NewID(), Test: inTest(&tx.Reader), Kind: Lead, Tags: []string{}, CustomAttributes: map[string]any{}, Emails: []Email{}, Phones: []Phone{},
		Identities: []Identity{}, Claims: []Claim{}, Consents: []Consent{}, CreatedAt: clock.At(tx.Now()), UpdatedAt: clock.At(tx.Now()),
	}
	if err := in.apply(&c); err != nil {
		return c, err
	}
	if err := b.check(tx, &c, in); err != nil {
		return c, err
	}
	if err := put(tx, c); err != nil {
		return c, fmt.Errorf("contact: put: %w", err)
	}
	if err := putParts(tx, nil, &c); err != nil {
		return c, err
	}
	return c, announce(tx, Created, c, nil)
}

// Update is the gate for changes; fields that were not sent stay unchanged. If nothing
// changes, nothing is announced.
func (s *Service) Update(ctx context.Context, id uuid.UUID, in Input) (Contact, error) {
	return s.change(ctx, id, func(tx *db.Tx, c *Contact) error {
		if err := in.apply(c); err != nil {
			return err
		}
		return s.check(tx, c, in)
	})
}

// Block blocks or unblocks a contact.
func (s *Service) Block(ctx context.Context, id uuid.UUID, blocked bool) (Contact, error) {
	return s.change(ctx, id, func(tx *db.Tx, c *Contact) error {
		if c.Blocked == blocked {
			return nil
		}
		c.Blocked = blocked
		action := "contact.unblocked"
		if blocked {
			action = "contact.blocked"
		}
		return audit.Write(tx, action, c.ID.String(), nil)
	})
}

// Retag adds and removes tags.
func (s *Service) Retag(ctx context.Context, id uuid.UUID, add, remove []string) (Contact, error) {
	return s.change(ctx, id, func(_ *db.Tx, c *Contact) error {
		tags, ok := Tags(slices.Concat(WithoutTags(c.Tags, remove), add))
		if !ok {
			return fault.Invalid("tags", "too_long")
		}
		if len(tags) > maxTags {
			return fault.New(fault.LimitReached, maxTags).Field("tags", "too_many")
		}
		c.Tags = tags
		return nil
	})
}

// change changes one contact and announces it with the previous values.
func (s *Service) change(ctx context.Context, id uuid.UUID, fn func(*db.Tx, *Contact) error) (c Contact, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		c, err = s.changeIn(tx, id, fn)
		return err
	})
	return c, conflict(err)
}

func (s *Service) changeIn(tx *db.Tx, id uuid.UUID, fn func(*db.Tx, *Contact) error) (Contact, error) {
	old, err := lockByID(tx, id)
	if err != nil {
		return old, db.NotFound(err)
	}
	c := old
	if err := fn(tx, &c); err != nil {
		return c, err
	}
	before := previous(&old, &c)
	if len(before) == 0 {
		return old, nil
	}
	c.UpdatedAt = clock.At(tx.Now())
	return c, s.commit(tx, &old, &c, before)
}

// commit saves a changed contact.
func (s *Service) commit(tx *db.Tx, old, c *Contact, before map[string]any) error {
	if err := save(tx, *c); err != nil {
		return fmt.Errorf("contact: save: %w", err)
	}
	if err := putParts(tx, old, c); err != nil {
		return err
	}
	if old.Name != c.Name {
		if err := s.renamed(tx, c.ID, c.Name); err != nil {
			return err
		}
	}
	return announce(tx, Updated, *c, before)
}

func (s *Service) renamed(tx *db.Tx, id uuid.UUID, name string) error {
	for _, f := range s.followers {
		if err := f.ContactRenamed(tx, id, name); err != nil {
			return err
		}
	}
	return nil
}

// check verifies what an input refers to: that the owner is an agent, and that the external
// id is free.
func (b *Book) check(tx *db.Tx, c *Contact, in Input) error {
	if in.OwnerID != nil && c.OwnerID != nil {
		if ok, err := b.agents.IsAgent(&tx.Reader, *c.OwnerID); err != nil {
			return err
		} else if !ok {
			return fault.Invalid("owner_id", "unknown_agent")
		}
	}
	if in.ExternalID == nil || c.ExternalID == nil {
		return nil
	}
	holder, err := holderOfExternal(&tx.Reader, *c.ExternalID, c.Test)
	if err == nil && holder != c.ID {
		return fault.New(fault.Conflict).Field("external_id", "taken")
	}
	if db.IsNoRow(err) {
		return nil
	}
	return err
}

func putParts(tx *db.Tx, old, c *Contact) error {
	if old == nil || !slices.Equal(addresses(old), addresses(c)) {
		if taken, err := putEmails(tx, c); err != nil {
			return fmt.Errorf("contact: put e-mails: %w", err)
		} else if taken != "" {
			return fault.New(fault.Conflict).Field("emails", "taken")
		}
	}
	if old == nil || !slices.Equal(numbers(old), numbers(c)) {
		if taken, err := putPhones(tx, c); err != nil {
			return fmt.Errorf("contact: put phones: %w", err)
		} else if taken != "" {
			return fault.New(fault.Conflict).Field("phones", "taken")
		}
	}
	if err := putWords(tx, old, c); err != nil {
		return fmt.Errorf("contact: put words: %w", err)
	}
	return nil
}

func addresses(c *Contact) []string {
	return each.Map(c.Emails, func(e Email) string { return e.Address })
}

func numbers(c *Contact) []string {
	return each.Map(c.Phones, func(p Phone) string { return p.E164 })
}

// Delete is the gate for removing a contact and everything personal about it. The
// privacy ledger gets a line for each of the contact's e-mail addresses.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lockByID(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if err := empty(tx, id); err != nil {
			return fmt.Errorf("contact: empty: %w", err)
		}
		if err := s.renamed(tx, id, ""); err != nil {
			return err
		}
		if err := s.recordErasure(tx, &c); err != nil {
			return err
		}
		if err := audit.Write(tx, Deleted, id.String(), nil); err != nil {
			return err
		}
		return announce(tx, Deleted, c, nil)
	})
}

// recordErasure records in the privacy ledger that a contact was erased: one line per
// e-mail address, so that anyone who knows the address can find it, or one line with the
// contact's id if it has none.
func (s *Service) recordErasure(tx *db.Tx, c *Contact) error {
	subjects := []string{c.ID.String()}
	if len(c.Emails) > 0 {
		subjects = addresses(c)
	}
	for _, subject := range subjects {
		entry := ledger.Entry{Action: "contact.erased", Subject: address.Fold(subject), Details: map[string]any{"contact_id": c.ID.String()}}
		if _, err := s.ledger.Write(tx, entry); err != nil {
			return err
		}
	}
	return nil
}

// Notes lists the notes about a contact, newest first.
func (s *Service) Notes(ctx context.Context, contact uuid.UUID, p db.Page) (db.List[Note], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (out db.List[Note], err error) {
		if _, err := refByID(r, contact); err != nil {
			return out, db.NotFound(err)
		}
		return notes(r, contact, p)
	})
}

// AddNote writes a note about a contact.
func (s *Service) AddNote(ctx context.Context, contact uuid.UUID, body string) (n Note, err error) {
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &n, func(tx *db.Tx) error {
		if _, err := lockByID(tx, contact); err != nil {
			return db.NotFound(err)
		}
		n = Note{ID: tx.NewID(), Body: strings.TrimSpace(body), AuthorID: callerID(ctx), CreatedAt: clock.At(tx.Now())}
		if n.Body == "" {
			return fault.Invalid("body", "required")
		}
		return putNote(tx, contact, n)
	})
	return n, err
}

// DeleteNote removes a note.
func (s *Service) DeleteNote(ctx context.Context, contact, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := lockByID(tx, contact); err != nil {
			return db.NotFound(err)
		}
		if ok, err := dropNote(tx, contact, id); err != nil {
			return err
		} else if !ok {
			return fault.New(fault.NotFound)
		}
		return audit.Write(tx, "contact.note_deleted", contact.String(), nil)
	})
}

// SetConsent records that a contact gave or withdrew consent.
func (s *Service) SetConsent(ctx context.Context, id uuid.UUID, in Consent) (Contact, error) {
	return db.Write(ctx, s.db.TenantOf(ctx), func(tx *db.Tx) (Contact, error) {
		return s.RecordConsent(tx, id, in)
	})
}

// RecordConsent is the gate for a contact's consent. Repeating the same consent changes
// nothing.
func (s *Service) RecordConsent(tx *db.Tx, id uuid.UUID, in Consent) (c Contact, err error) {
	if _, err := lockByID(tx, id); err != nil {
		return c, db.NotFound(err)
	}
	if c, err = byID(&tx.Reader, id); err != nil {
		return c, err
	}
	for _, said := range c.Consents {
		if in.At = said.At; said == in {
			return c, nil // same as before
		}
	}
	in.At = clock.At(tx.Now())
	if err := putConsent(tx, id, in); err != nil {
		return c, fmt.Errorf("contact: put consent: %w", err)
	}
	if c, err = byID(&tx.Reader, id); err != nil {
		return c, err
	}
	details := map[string]string{"channel": in.Channel, "purpose": in.Purpose, "status": in.Status}
	if err := audit.Write(tx, ConsentChanged, id.String(), details); err != nil {
		return c, err
	}
	_, err = event.Emit(tx, event.Change{Type: ConsentChanged, Object: c, Item: in, Test: c.Test})
	return c, err
}

func announce(tx *db.Tx, name string, c Contact, before map[string]any) error {
	change := event.Change{Type: name, Object: c, Test: c.Test}
	if before != nil {
		change.Previous = before
	}
	_, err := event.Emit(tx, change)
	return err
}

// conflict turns the error of a race that a database constraint decided into a conflict.
func conflict(err error) error {
	if _, ok := fault.As(err); !ok && db.IsUnique(err) {
		return fault.New(fault.Conflict).Wrap(err)
	}
	return err
}

func callerID(ctx context.Context) *uuid.UUID {
	if who := caller.From(ctx); who.Kind == caller.Agent && who.ID != uuid.Nil {
		return &who.ID
	}
	return nil
}
