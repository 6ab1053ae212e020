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

// LockCustomerThread locks and returns a customer's conversation on a messaging account,
// following merges; db.ErrNoRow if there is none, or it was deleted.
func LockCustomerThread(tx *db.Tx, channel string, account, contact uuid.UUID) (Conversation, error) {
	c, err := LockThread(tx, account, contact)
	if db.IsNoRow(err) {
		c, err = LockMergedThread(tx, account, contact)
	}
	if db.IsNoRow(err) {
		c, err = LockThreadOn(tx, channel, account, contact)
	}
	if err != nil {
		return c, err
	}
	return FollowMerges(tx, c)
}

// FollowMerges returns a locked conversation, or the one that it was merged into, which it
// locks; db.ErrNoRow if that was deleted.
func FollowMerges(tx *db.Tx, c Conversation) (_ Conversation, err error) {
	for hops := 0; err == nil && c.MergedIntoID != nil && hops < 10; hops++ {
		c, err = LockAny(tx, *c.MergedIntoID)
	}
	if err == nil && c.DeletedAt != nil {
		err = db.ErrNoRow
	}
	return c, err
}

// AssignAccount assigns a conversation that belongs to no account to one.
func AssignAccount(tx *db.Tx, c *Conversation, account uuid.UUID) error {
	if err := checkVisible(tx, c); err != nil {
		return err
	}
	c.ChannelAccountID, c.SingleThread = &account, true
	return setAccount(tx, c)
}
