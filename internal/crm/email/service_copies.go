package email

import (
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
)

// maxCopies is the number of addresses of a mail that can get a copy of answers or be
// proposed for one.
const maxCopies = 30

// isFirstMail reports whether a mail is the first of its conversation. began is false if
// the mail named an existing conversation.
func isFirstMail(r *db.Reader, c uuid.UUID, began bool) (bool, error) {
	_, err := findLatestMail(r, c)
	if db.IsNoRow(err) {
		return began, nil
	}
	return false, err
}

// updateCopies makes answers go to all recipients of the mail except the workspace's own
// mailboxes and the person who is answered. Anybody can write in the customer's name, so an
// address that is new in the conversation is only proposed: an agent decides.
func (s *Service) updateCopies(tx *db.Tx, c uuid.UUID, m *message.Mail, from message.Address, st state, first bool) error {
	has, err := conversation.CopiesOf(&tx.Reader, c)
	if err != nil {
		return err
	}
	want := conversation.Copies{Addresses: []string{}, Proposed: []string{}}
	seen := map[string]bool{address.Fold(from.Email): true, address.Fold(m.From.Email): true}
	for _, a := range slices.Concat(m.To, m.Cc) {
		key := address.Fold(a.Email)
		e, ok := address.ParseEmail(a.Email)
		// An address that mail servers do not accept cannot get a copy.
		if seen[key] || !ok || !e.ASCII() || s.isForwardingAddress(a.Email, st) || len(seen) > maxCopies {
			continue
		}
		seen[key] = true
		own, err := isMailbox(&tx.Reader, a.Email)
		if err != nil {
			return err
		}
		if own {
			continue
		}
		agreed := first || address.ContainsEmail(has.Addresses, a.Email)
		if !agreed {
			if agreed, err = isKnown(&tx.Reader, c, a.Email); err != nil {
				return err
			}
		}
		if agreed {
			want.Addresses = append(want.Addresses, e.Address)
		} else {
			want.Proposed = append(want.Proposed, e.Address)
		}
	}
	if slices.Equal(has.Addresses, want.Addresses) && slices.Equal(has.Proposed, want.Proposed) {
		return nil
	}
	return s.Inbox.UpdateCopies(tx, c, want)
}
