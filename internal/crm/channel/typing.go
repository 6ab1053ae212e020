package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Contacts reads the customers.
type Contacts interface {
	Whole(r *db.Reader, id uuid.UUID) (contact.Contact, error)
}

// Typist is a kind whose provider can show customers that somebody is typing.
type Typist interface {
	// ShowTyping queues a job that calls the provider.
	ShowTyping(tx *db.Tx, account uuid.UUID, address string) error
}

// ShowTyping shows the customer of a conversation that somebody is typing. It does nothing
// if the channel cannot show this, or if a message could not be sent now.
func (s *Service) ShowTyping(ctx context.Context, c conversation.Conversation) error {
	kind, shows := s.cfg.Kinds[c.Channel].(Typist)
	if !shows || c.ChannelAccountID == nil || c.Test {
		return nil
	}
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		to, err := s.cfg.Contacts.Whole(&tx.Reader, c.ContactID)
		if db.IsNoRow(err) || err == nil && to.Blocked {
			return nil
		}
		if err != nil {
			return err
		}
		route, err := s.Route(&tx.Reader, conversation.Wish{Channel: c.Channel, AccountID: c.ChannelAccountID, Contact: to})
		if _, refused := fault.As(err); refused || err == nil && route == nil {
			return nil
		}
		if err != nil {
			return err
		}
		return kind.ShowTyping(tx, route.AccountID, route.Address)
	})
}
