package conversation

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Copies lists who gets a copy of a conversation's e-mail answers.
type Copies struct {
	Addresses []string `json:"email_cc"`
	// Proposed are addresses from the last mail, which can be forged: an agent may add
	// them.
	Proposed []string `json:"proposed"`
}

// SetCopies replaces who gets a copy of e-mail answers. Of the proposed addresses it keeps
// those in keep, or with nil all that were not added.
func (s *Service) SetCopies(ctx context.Context, id uuid.UUID, list []string, keep *[]string) (out Copies, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := Lock(tx, id); err != nil {
			return err
		}
		var ok bool
		if out.Addresses, ok = address.ParseEmails(list); !ok {
			return fault.Invalid("email_cc", "invalid_address")
		}
		was, err := CopiesOf(&tx.Reader, id)
		if err != nil {
			return err
		}
		out.Proposed = slices.DeleteFunc(was.Proposed, func(a string) bool {
			return address.ContainsEmail(out.Addresses, a) || keep != nil && !address.ContainsEmail(*keep, a)
		})
		return s.UpdateCopies(tx, id, out)
	})
	return out, err
}

// UpdateCopies replaces who gets a copy and who is proposed.
func (s *Service) UpdateCopies(tx *db.Tx, id uuid.UUID, to Copies) error {
	c, err := Lock(tx, id)
	if err != nil {
		return err
	}
	return errors.Join(putCopies(tx, id, to), audit.Write(tx, "conversation.email_cc_set", id.String(), to),
		s.Announce(tx, []string{Updated}, nil, &c, nil))
}

// Copies returns who gets a copy of e-mail answers and who is proposed.
func (s *Service) Copies(ctx context.Context, id uuid.UUID) (Copies, error) {
	return ReadConversation(ctx, s, id, func(r *db.Reader, _ *Conversation) (Copies, error) { return CopiesOf(r, id) })
}
