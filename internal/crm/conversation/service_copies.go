package conversation

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// ParseAddresses reads a list of e-mail addresses, each once; a malformed one, or one
// that mail servers do not take, is a refusal on the field, never dropped.
func ParseAddresses(field string, list []string) ([]string, error) {
	out, seen := []string{}, map[string]bool{}
	for _, text := range list {
		a, ok := address.ParseEmail(text)
		if !ok || !a.ASCII() {
			return nil, fault.Invalid(field, "invalid_address")
		}
		if !seen[a.Key] {
			seen[a.Key], out = true, append(out, a.Address)
		}
	}
	return out, nil
}

// Copies is who gets a copy of a conversation's e-mail answers.
type Copies struct {
	Addresses []string
	// Proposed stood in the customer's last mail and get nothing until an agent
	// adds them: a mail's sender and recipients can be forged.
	Proposed []string
}

// SetCopies replaces who gets a copy of e-mail answers. Of those who were
// proposed it keeps the ones in keep, and with nil all who are not added.
func (s *Service) SetCopies(ctx context.Context, id uuid.UUID, list []string, keep *[]string) (out Copies, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := Lock(tx, id); err != nil {
			return err
		}
		if out.Addresses, err = ParseAddresses("email_cc", list); err != nil {
			return err
		}
		was, err := CopiesOf(&tx.Reader, id)
		if err != nil {
			return err
		}
		out.Proposed = slices.DeleteFunc(was.Proposed, func(a string) bool {
			return hasAddress(out.Addresses, a) || keep != nil && !hasAddress(*keep, a)
		})
		return writeCopies(tx, id, out)
	})
	return out, err
}

func hasAddress(list []string, a string) bool {
	return slices.ContainsFunc(list, func(b string) bool { return address.Fold(b) == address.Fold(a) })
}

// UpdateCopies replaces who gets a copy and who is proposed for one.
func (s *Service) UpdateCopies(tx *db.Tx, id uuid.UUID, to Copies) error {
	if _, err := Lock(tx, id); err != nil {
		return err
	}
	return writeCopies(tx, id, to)
}

func writeCopies(tx *db.Tx, id uuid.UUID, to Copies) error {
	if err := putCopies(tx, id, to); err != nil {
		return fmt.Errorf("conversation: copies: %w", err)
	}
	return audit.Write(tx, "conversation.email_cc_set", id.String(), map[string]any{"email_cc": to.Addresses, "proposed": to.Proposed})
}

// Copies returns who gets a copy of e-mail answers and who is proposed for one.
func (s *Service) Copies(ctx context.Context, id uuid.UUID) (out Copies, err error) {
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, err = ByID(r, id); err != nil {
			return db.NotFound(err)
		}
		out, err = CopiesOf(r, id)
		return err
	})
	return out, err
}
