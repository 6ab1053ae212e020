package contact

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// Book finds contacts, and creates those of channels, in the caller's transaction. It is
// built before everything that depends on contacts.
type Book struct{ agents Agents }

// NewBook returns a Book.
func NewBook(agents Agents) *Book { return &Book{agents: agents} }

// Ref is what other packages need to know about a contact.
type Ref struct {
	ID      uuid.UUID
	Name    string
	Blocked bool
	Test    bool
}

// Sender is the author of a message, as a channel knows them.
type Sender struct {
	Channel string
	// AccountID is the channel account, nil for sources without one.
	AccountID  uuid.UUID
	ExternalID string
	// OtherID is a second id of the same person on the account, if the channel
	// gives one.
	OtherID  string
	Username string
	Name     string
	Email    string
	Phone    string
	Language string
	// Unproven senders are identified only by their id on the account. The address and the
	// number are what they typed, and become claims of their contact.
	Unproven bool
}

// ErrRace means that another transaction created the same contact at the same moment. The
// transaction must be rolled back and run again; it will then find the contact.
var ErrRace = fmt.Errorf("contact: created concurrently: %w", db.ErrRunAgain)

// Resolve finds the contact behind a sender, by identity, else e-mail, else phone, or
// creates it. Channels add contacts only through it. Senders of the test environment and
// live ones do not match each other's contacts. An unproven sender is found by identity
// only.
func (b *Book) Resolve(tx *db.Tx, from Sender) (Ref, error) {
	if !from.Unproven {
		return b.resolve(tx, from)
	}
	claims := from.claims()
	from.Email, from.Phone = "", ""
	ref, err := b.resolve(tx, from)
	if err != nil {
		return ref, err
	}
	return ref, b.keepClaims(tx, ref.ID, claims)
}

func (b *Book) resolve(tx *db.Tx, from Sender) (Ref, error) {
	missing := []string{}
	var ref Ref
	err := db.ErrNoRow
	for _, id := range from.ids() {
		found, look := refByIdentity(&tx.Reader, from.AccountID, id)
		switch {
		case db.IsNoRow(look):
			missing = append(missing, id)
		case look != nil:
			return Ref{}, look
		case db.IsNoRow(err):
			ref, err = found, nil
		}
	}
	if db.IsNoRow(err) {
		ref, err = b.byAddress(tx, from)
	}
	if db.IsNoRow(err) {
		ref, err = b.makeContact(tx, from)
	}
	if err != nil {
		return ref, err
	}
	for _, id := range missing {
		if free, err := putIdentity(tx, ref, from, id); err != nil {
			return ref, fmt.Errorf("contact: put identity: %w", err)
		} else if !free {
			return ref, ErrRace
		}
	}
	return ref, nil
}

// ids returns the sender's ids on the account.
func (from *Sender) ids() (out []string) {
	for _, id := range []string{from.ExternalID, from.OtherID} {
		if id != "" {
			out = append(out, id)
		}
	}
	return out
}

func (b *Book) byAddress(tx *db.Tx, from Sender) (Ref, error) {
	if e, ok := address.ParseEmail(from.Email); ok {
		if ref, err := refByEmail(&tx.Reader, e.Key); err == nil || !db.IsNoRow(err) {
			return ref, err
		}
	}
	if n, ok := address.ParsePhone(from.Phone); ok {
		return refByPhone(&tx.Reader, n)
	}
	return Ref{}, db.ErrNoRow
}

// NameMax is the maximum length of a contact's name, as in the API.
const NameMax = 200

func (b *Book) makeContact(tx *db.Tx, from Sender) (Ref, error) {
	// A name without visible characters counts as empty, so that the message is not lost
	// because of it.
	name := strings.TrimSpace(trtext.Plain(from.Name))
	in := Input{Name: &name, Language: &from.Language}
	if e, ok := address.ParseEmail(from.Email); ok {
		in.Emails = &[]string{e.Address}
	}
	if n, ok := address.ParsePhone(from.Phone); ok {
		in.Phones = &[]string{n}
	}
	if name == "" {
		for _, s := range []string{from.Username, from.Email, from.Phone, from.ExternalID} {
			if name = strings.TrimSpace(trtext.Plain(s)); name != "" {
				break
			}
		}
	}
	// A stranger's long name must not fill every list.
	if letters := []rune(name); len(letters) > NameMax {
		name = string(letters[:NameMax])
	}
	c, err := b.create(tx, in)
	if fault.Is(err, fault.Conflict) {
		return Ref{}, ErrRace
	}
	return Ref{ID: c.ID, Name: c.Name, Test: c.Test}, err
}

// Find returns a contact that was neither merged away nor deleted.
func (b *Book) Find(r *db.Reader, id uuid.UUID) (Ref, error) { return refByID(r, id) }

// OnAccount finds the contact of a sender on a channel account; db.ErrNoRow if there is
// none.
func (b *Book) OnAccount(r *db.Reader, account uuid.UUID, external string) (Ref, error) {
	return refByIdentity(r, account, external)
}

// FindByPhone returns the contact with a number; db.ErrNoRow if nobody has it.
func (b *Book) FindByPhone(r *db.Reader, e164 string) (Ref, error) { return refByPhone(r, e164) }

// Whole returns a contact with its parts.
func (b *Book) Whole(r *db.Reader, id uuid.UUID) (Contact, error) { return byID(r, id) }

// Matching returns the ids of at most limit contacts that match a search.
func (b *Book) Matching(r *db.Reader, q string, limit int) ([]uuid.UUID, error) {
	return matching(r, q, limit)
}

// MarkReplied records that a contact wrote just now.
func (b *Book) MarkReplied(tx *db.Tx, id uuid.UUID) error { return recordContact(tx, id, true) }

// MarkContacted records that a contact was written to just now.
func (b *Book) MarkContacted(tx *db.Tx, id uuid.UUID) error { return recordContact(tx, id, false) }

// OpenWindow records until when a channel accepts free text for a sender.
func (b *Book) OpenWindow(tx *db.Tx, from Sender, until clock.Time) error {
	for _, id := range from.ids() {
		if err := setWindow(tx, from.AccountID, id, until); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses an invalid address or number.
func (from *Sender) Check() error {
	f := fault.New(fault.ValidationFailed)
	if _, ok := address.ParseEmail(from.Email); from.Email != "" && !ok {
		f.Field("contact.email", "invalid_address")
	}
	if _, ok := address.ParsePhone(from.Phone); from.Phone != "" && !ok {
		f.Field("contact.phone", "invalid_phone")
	}
	return f.OrNil()
}
