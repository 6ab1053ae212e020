package whatsapp

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/whatsapp/appdata"
	"konak/internal/crm/contact"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/trtext"
)

const phonebookJob = "whatsapp.phonebook"

// phonebookPart is the payload of phonebookJob.
type phonebookPart struct {
	AccountID uuid.UUID         `json:"account_id"`
	Contacts  []appdata.Contact `json:"contacts"`
}

// phonebook splits the address book into jobs, which are all stored before the provider
// gets its answer.
func (s *Service) phonebook(ctx context.Context, a channel.Account, list []appdata.Contact) error {
	parts, more := appdata.PartsOfContacts(list)
	if more {
		s.Log.WarnContext(ctx, "a webhook call contains more contacts than the limit", "account", a.ID)
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		for _, part := range parts {
			if _, err := jobs.Enqueue(tx, phonebookJob, tx.Now(), phonebookPart{a.ID, part}); err != nil {
				return err
			}
		}
		return nil
	})
}

// runPhonebook is the handler of phonebookJob.
func (s *Service) runPhonebook(ctx context.Context, j *jobs.Job, p phonebookPart) error {
	for _, c := range p.Contacts {
		if err := s.enter(ctx, p.AccountID, c); err != nil {
			return err
		}
	}
	return nil
}

// enter adds an entry of the address book as a contact. A contact known only by its number
// gets the name; one that already has a name keeps it.
func (s *Service) enter(ctx context.Context, account uuid.UUID, c appdata.Contact) error {
	number, ok := address.ParsePhone("+" + Digits(c.Customer))
	name := []rune(strings.TrimSpace(trtext.Plain(c.Name)))
	if !ok || len(name) == 0 {
		return nil
	}
	c.Name = string(name[:min(len(name), contact.NameMax)])
	var ref contact.Ref
	err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		ref, err = s.Contacts.Resolve(tx, contact.Sender{Channel: Name, AccountID: account, ExternalID: strings.TrimPrefix(number, "+"), Name: c.Name, Phone: number})
		return err
	})
	if err != nil || ref.Name != number {
		return err
	}
	_, err = s.Contacts.Update(ctx, ref.ID, contact.Input{Name: &c.Name})
	return channel.IgnoreDeleted(err)
}
