package whatsapp

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Consent is a customer's consent to be written to, or its withdrawal.
type Consent struct {
	ContactID *uuid.UUID `json:"contact_id,omitempty" format:"uuid" doc:"The contact who consents; send either this or phone"`
	Phone     string     `json:"phone,omitempty" maxLength:"40" example:"+905321234567" doc:"Phone number; creates a contact if none has it"`
	Name      string     `json:"name,omitempty" maxLength:"200" example:"Elif Kaya" doc:"Name of a contact that is created"`
	Purpose   string     `json:"purpose,omitempty" enum:"marketing,utility,authentication" default:"marketing"`
	Status    string     `json:"status,omitempty" enum:"granted,revoked" default:"granted"`
	Source    string     `json:"source,omitempty" maxLength:"200" example:"checkout form"`
	Evidence  string     `json:"evidence,omitempty" maxLength:"2000" example:"https://example.com/consents/4711"`
}

// RecordConsent records a customer's consent or its withdrawal through the contact's gate.
func (s *Service) RecordConsent(ctx context.Context, c Consent) (out contact.Contact, err error) {
	number, err := parseRecipient(c.ContactID, c.Phone)
	if err != nil {
		return out, err
	}
	if c.ContactID != nil && c.Phone != "" {
		return out, fault.Invalid("phone", "not_allowed")
	}
	word := contact.Consent{Channel: Name, Purpose: c.Purpose, Status: c.Status, Source: c.Source, Evidence: c.Evidence}
	err = s.Inbox.InTx(ctx, func(tx *db.Tx) error {
		id, err := s.findOrCreateContact(tx, c.ContactID, number, c.Name)
		if err != nil {
			return err
		}
		out, err = s.Contacts.RecordConsent(tx, id, word)
		return err
	})
	return out, err
}

// parseRecipient returns the phone number of a customer who is named by an id or by a
// number.
func parseRecipient(id *uuid.UUID, phone string) (string, error) {
	number, ok := address.ParsePhone(phone)
	switch {
	case phone != "" && !ok:
		return "", fault.Invalid("phone", "invalid_phone")
	case id == nil && phone == "":
		return "", fault.Invalid("contact_id", "required")
	}
	return number, nil
}

// findOrCreateContact returns the contact with this id, or the one with this number, which
// it creates if necessary.
func (s *Service) findOrCreateContact(tx *db.Tx, id *uuid.UUID, number, name string) (uuid.UUID, error) {
	if id == nil {
		ref, err := s.Contacts.Resolve(tx, contact.Sender{Channel: Name, Phone: number, Name: name})
		return ref.ID, err
	}
	_, err := s.Contacts.Find(&tx.Reader, *id)
	return *id, db.IfNoRow(err, fault.Invalid("contact_id", "unknown_contact"))
}

// Recipient is the customer that a template is sent to.
type Recipient struct {
	ContactID *uuid.UUID `json:"contact_id,omitempty" format:"uuid" doc:"The contact to send to; required without phone"`
	Phone     string     `json:"phone,omitempty" maxLength:"40" example:"+905321234567" doc:"Phone number; creates a contact if none has it"`
	Name      string     `json:"name,omitempty" maxLength:"200" example:"Elif Kaya" doc:"Name of a contact that is created"`
}

// SendTemplate sends a template to one customer.
func (s *Service) SendTemplate(ctx context.Context, to Recipient, u template.Use) (out reply.SentTemplate, err error) {
	if err := reply.MaySendTemplates(ctx); err != nil {
		return out, err
	}
	number, err := parseRecipient(to.ContactID, to.Phone)
	if err != nil {
		return out, err
	}
	// No contact is created for an unknown template.
	if _, err := s.Templates.Get(ctx, u.TemplateID); fault.Is(err, fault.NotFound) {
		return out, fault.Invalid("template_id", "unknown_template")
	} else if err != nil {
		return out, err
	}
	var id uuid.UUID
	err = s.Inbox.InTx(ctx, func(tx *db.Tx) error {
		id, err = s.findOrCreateContact(tx, to.ContactID, number, to.Name)
		return err
	})
	if err != nil {
		return out, err
	}
	return s.Replies.SendTemplateTo(ctx, id, u)
}
