package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// A customer has one conversation on a messaging account. One that an agent began while no
// account led to the customer belongs to none yet; the first account that reaches the
// customer takes it over.

// LockThreadOn locks and returns the one conversation of a contact on a messaging account,
// or assigns the account one that belongs to none yet; db.ErrNoRow if there is neither.
func LockThreadOn(tx *db.Tx, channel string, account, contact uuid.UUID) (Conversation, error) {
	c, err := LockThread(tx, account, contact)
	if !db.IsNoRow(err) {
		return c, err
	}
	if c, err = LockThreadWithoutAccount(tx, channel, contact); err != nil {
		return c, err
	}
	return c, AssignAccount(tx, &c, account)
}

// AssignAccount assigns a conversation that belongs to no account to one.
func AssignAccount(tx *db.Tx, c *Conversation, account uuid.UUID) error {
	if err := checkVisible(tx, c); err != nil {
		return err
	}
	c.ChannelAccountID, c.SingleThread = &account, true
	return setAccount(tx, c)
}
