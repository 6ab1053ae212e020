package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// A customer has one conversation on a messaging account. One that an agent
// began while no account led to the customer belongs to none yet; the first
// account that does takes it over.

// lockThreadOn finds the one conversation of a contact on a messaging account,
// or gives the account one that belongs to none yet; db.ErrNoRow where there is
// neither.
func lockThreadOn(tx *db.Tx, channel string, account, contact uuid.UUID) (Conversation, error) {
	c, err := lockThread(tx, account, contact)
	if !db.IsNoRow(err) {
		return c, err
	}
	if c, err = lockUnplacedThread(tx, channel, contact); err != nil {
		return c, err
	}
	return c, placeOn(tx, &c, account)
}

// placeOn gives a conversation that belongs to no account to one.
func placeOn(tx *db.Tx, c *Conversation, account uuid.UUID) error {
	if err := mayChange(tx, c); err != nil {
		return err
	}
	c.ChannelAccountID, c.singleThread = &account, true
	return setAccount(tx, c)
}

// belongsTo refuses a template of another account than the conversation's. A
// conversation that belongs to no account yet is given to the template's,
// unless the customer has another one there.
func (s *Service) belongsTo(tx *db.Tx, c *Conversation, route *Route) error {
	if c.ChannelAccountID != nil && *c.ChannelAccountID == route.AccountID {
		return nil
	}
	if source, _ := sourceOf(c.Channel); c.ChannelAccountID == nil && c.Channel == route.Channel && source.Messaging {
		_, err := lockThread(tx, route.AccountID, c.ContactID)
		if db.IsNoRow(err) {
			return placeOn(tx, c, route.AccountID)
		}
		if err != nil {
			return err
		}
	}
	return fault.Invalid("template_id", "other_account")
}
