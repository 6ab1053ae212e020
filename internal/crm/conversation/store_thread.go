package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// LockThread locks and returns the one conversation of a contact on a messaging account.
func LockThread(tx *db.Tx, account, contact uuid.UUID) (Conversation, error) {
	return db.One(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.channel_account_id = $2 AND c.contact_id = $3
			AND c.single_thread AND c.merged_into_id IS NULL AND c.deleted_at IS NULL`+onlyVisible(&tx.Reader)+
		tx.Dialect().ForUpdate("c"), tx.Tenant(), account, contact)
}

// LockChannelThread locks and returns the contact's newest conversation on a messaging
// channel, whatever the account.
func LockChannelThread(tx *db.Tx, channel string, contact uuid.UUID) (Conversation, error) {
	return db.One(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.contact_id = $2 AND c.channel = $3
			AND c.merged_into_id IS NULL AND c.deleted_at IS NULL`+onlyVisible(&tx.Reader)+`
		ORDER BY c.last_activity_at DESC, c.id DESC LIMIT 1`+
		tx.Dialect().ForUpdate("c"), tx.Tenant(), contact, channel)
}

// LockMergedThread locks and returns the merged conversation of a contact on a messaging
// account, which names the one it was merged into.
func LockMergedThread(tx *db.Tx, account, contact uuid.UUID) (Conversation, error) {
	return db.One(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.contact_id = $2 AND c.channel_account_id = $3
			AND c.single_thread AND c.merged_into_id IS NOT NULL AND c.deleted_at IS NULL`+onlyVisible(&tx.Reader)+`
		ORDER BY c.last_activity_at DESC LIMIT 1`+tx.Dialect().ForUpdate("c"), tx.Tenant(), contact, account)
}

// LockThreadWithoutAccount locks and returns the contact's newest conversation on a
// messaging channel that belongs to no account.
func LockThreadWithoutAccount(tx *db.Tx, channel string, contact uuid.UUID) (Conversation, error) {
	return db.One(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.contact_id = $2 AND c.channel = $3 AND c.channel_account_id IS NULL
			AND c.merged_into_id IS NULL AND c.deleted_at IS NULL`+onlyVisible(&tx.Reader)+`
		ORDER BY c.last_activity_at DESC, c.id DESC LIMIT 1`+
		tx.Dialect().ForUpdate("c"), tx.Tenant(), contact, channel)
}

// setAccount writes the account that a conversation belongs to.
func setAccount(tx *db.Tx, c *Conversation) error {
	return tx.Exec(`UPDATE conversation SET channel_account_id = $3, single_thread = $4 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), c.ID, c.ChannelAccountID, c.SingleThread)
}

// SetContact moves a conversation from one customer to another.
func SetContact(tx *db.Tx, id, from, to uuid.UUID, name string) error {
	return tx.Exec(`UPDATE conversation SET contact_id = $4, contact_name = $5 WHERE tenant_id = $1 AND id = $2 AND contact_id = $3`,
		tx.Tenant(), id, from, to, name)
}
