package conversation

import (
	"errors"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const columns = `c.id, c.state, c.ai_state, c.handover_reason, c.channel, c.channel_account_id, c.single_thread, c.reply_route, c.talep,
	c.contact_id, c.contact_name, c.subject, c.preview, c.preview_author_kind, c.preview_author_id, c.priority, c.owner_id, c.group_id, c.tags, c.waiting_since,
	c.first_reply_at, c.snoozed_until, c.snoozed_until_reply, c.closed_at, c.merged_into_id, c.previous_conversation_id,
	c.deleted_at, c.test, c.last_activity_at, c.last_item_at, c.created_at, c.updated_at`

func scan(row db.Row) (c Conversation, err error) {
	var priority int
	err = row.Scan(&c.ID, &c.State, &c.AIState, &c.HandoverReason, &c.Channel, &c.ChannelAccountID, &c.SingleThread, &c.ReplyRoute, &c.IsRequest,
		&c.ContactID, &c.ContactName, &c.Subject, &c.Preview, &c.PreviewAuthorKind, &c.PreviewAuthorID, &priority, &c.OwnerID, &c.GroupID, db.FromJSON(&c.Tags), &c.WaitingSince,
		&c.FirstReplyAt, &c.SnoozedUntil, &c.SnoozedUntilReply, &c.ClosedAt, &c.MergedIntoID, &c.PreviousConversationID,
		&c.DeletedAt, &c.Test, &c.LastActivityAt, &c.LastItemAt, &c.CreatedAt, &c.UpdatedAt)
	if priority >= 0 && priority < len(Priorities) {
		c.Priority = Priorities[priority]
	}
	return c, err
}

// ByID returns a conversation that is not deleted, or db.ErrNoRow if it does not exist.
func ByID(r *db.Reader, id uuid.UUID) (Conversation, error) {
	return db.One(r, scan, `SELECT `+columns+` FROM conversation c WHERE c.tenant_id = $1 AND c.id = $2 AND c.deleted_at IS NULL`+onlyVisible(r), r.Tenant(), id)
}

// onlyVisible returns a condition that hides live conversations from keys of the test
// environment.
func onlyVisible(r *db.Reader) string { return caller.OnlyVisible(r.Context(), "c.test") }

// LockAny returns a conversation, even a deleted one, and keeps others from changing it
// until the transaction ends.
func LockAny(tx *db.Tx, id uuid.UUID) (Conversation, error) {
	return db.One(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c WHERE c.tenant_id = $1 AND c.id = $2`+
		onlyVisible(&tx.Reader)+tx.Dialect().ForUpdate("c"), tx.Tenant(), id)
}

// checkVisible returns not_found for a conversation that is not in the caller's
// environment, however it was read. Every write checks it.
func checkVisible(tx *db.Tx, c *Conversation) error {
	if caller.From(tx.Context()).MaySee(c.Test) {
		return nil
	}
	return fault.New(fault.NotFound)
}

// scanLocked returns a scan function for a statement that locks the rows it reads.
func scanLocked(tx *db.Tx) func(db.Row) (Conversation, error) {
	return func(row db.Row) (Conversation, error) {
		c, err := scan(row)
		c.lockedBy = tx
		return c, err
	}
}

// insert reports whether the row was inserted: of two first messages of one contact on one
// messaging account only one begins a conversation.
func insert(tx *db.Tx, c *Conversation) (bool, error) {
	n, err := tx.ExecCount(`INSERT INTO conversation (tenant_id, id, state, ai_state, handover_reason, channel, channel_account_id,
			single_thread, talep, contact_id, contact_name, subject, preview, priority, owner_id, group_id, tags, waiting_since,
			first_reply_at, snoozed_until, snoozed_until_reply, closed_at, previous_conversation_id, test,
			last_activity_at, last_item_at, created_at, updated_at, reply_route, preview_author_kind, preview_author_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
			$25, $26, $27, $28, $29, $30, $31)
		ON CONFLICT DO NOTHING`,
		tx.Tenant(), c.ID, string(c.State), c.AIState, c.HandoverReason, c.Channel, c.ChannelAccountID,
		c.SingleThread, c.IsRequest, c.ContactID, c.ContactName, c.Subject, c.Preview, priorityOf(c.Priority), c.OwnerID, c.GroupID,
		db.AsJSON(c.Tags), c.WaitingSince, c.FirstReplyAt, c.SnoozedUntil, c.SnoozedUntilReply, c.ClosedAt,
		c.PreviousConversationID, c.Test, c.LastActivityAt, c.LastItemAt, c.CreatedAt, c.UpdatedAt, c.ReplyRoute,
		c.PreviewAuthorKind, c.PreviewAuthorID)
	c.lockedBy = tx
	return n == 1, err
}

// errStale means that the row differs from what had been read, which its lock should
// prevent.
var errStale = errors.New("conversation: the row changed under its lock")

var (
	// errMoved means that code tried to change a state without a transition.
	errMoved = errors.New("conversation: only a transition changes the state")
	// errNotLocked means that code tried to write a conversation that the transaction has
	// not locked.
	errNotLocked = errors.New("conversation: only the transaction that locked it may write it")
)

// Save writes a change that is not a transition, provided the state is still the expected
// one.
func Save(tx *db.Tx, c *Conversation, was State) error {
	if c.State != was {
		return errMoved
	}
	return saveMoved(tx, c, was)
}

// saveMoved writes everything that can change, including the state; only Save and Move call
// it.
func saveMoved(tx *db.Tx, c *Conversation, was State) error {
	if c.lockedBy != tx {
		return errNotLocked
	}
	if err := checkVisible(tx, c); err != nil {
		return err
	}
	n, err := tx.ExecCount(`UPDATE conversation SET state = $3, ai_state = $4, handover_reason = $5, contact_id = $6, contact_name = $7,
			subject = $8, preview = $9, priority = $10, owner_id = $11, group_id = $12, tags = $13, waiting_since = $14,
			first_reply_at = $15, snoozed_until = $16, snoozed_until_reply = $17, closed_at = $18, merged_into_id = $19,
			deleted_at = $20, last_activity_at = $21, last_item_at = $22, updated_at = $23,
			preview_author_kind = $25, preview_author_id = $26
		WHERE tenant_id = $1 AND id = $2 AND state = $24`,
		tx.Tenant(), c.ID, string(c.State), c.AIState, c.HandoverReason, c.ContactID, c.ContactName,
		c.Subject, c.Preview, priorityOf(c.Priority), c.OwnerID, c.GroupID, db.AsJSON(c.Tags), c.WaitingSince,
		c.FirstReplyAt, c.SnoozedUntil, c.SnoozedUntilReply, c.ClosedAt, c.MergedIntoID,
		c.DeletedAt, c.LastActivityAt, c.LastItemAt, c.UpdatedAt, string(was), c.PreviewAuthorKind, c.PreviewAuthorID)
	if err == nil && n == 0 {
		return errStale
	}
	return err
}

const itemColumns = `id, conversation_id, kind, author_kind, author_id, body, event, detail, channel, channel_account_id,
	delivery, delivery_error, sent_at, delivered_at, read_at, edited_at, at, provider_message_id, automatic, test, template, EXISTS (SELECT 1 FROM item_email e
		WHERE e.tenant_id = conversation_item.tenant_id AND e.item_id = conversation_item.id)`

func scanItem(row db.Row) (i Item, err error) {
	err = row.Scan(&i.ID, &i.ConversationID, &i.Kind, &i.AuthorKind, &i.AuthorID, &i.Body, &i.Event, db.FromJSON(&i.Detail), &i.Channel,
		&i.ChannelAccountID, &i.Delivery, &i.DeliveryError, &i.SentAt, &i.DeliveredAt, &i.ReadAt, &i.EditedAt, &i.CreatedAt, &i.ProviderMessageID, &i.Automatic, &i.Test,
		db.FromJSON(&i.Template.V), &i.HasEmail)
	i.Attachments, i.Reactions, i.Mentions = []file.Attachment{}, []Reaction{}, []Mention{}
	return i, err
}

func putItem(tx *db.Tx, i *Item) error {
	return tx.ExecDeferred(`INSERT INTO conversation_item (tenant_id, id, conversation_id, at, kind, author_kind, author_id, body,
			event, detail, channel, channel_account_id, provider_message_id, delivery, delivery_error, automatic, test,
			template, sent_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		tx.Tenant(), i.ID, i.ConversationID, i.CreatedAt, i.Kind, i.AuthorKind, i.AuthorID, i.Body,
		i.Event, db.AsJSON(i.Detail), i.Channel, i.ChannelAccountID, i.ProviderMessageID, i.Delivery, i.DeliveryError, i.Automatic,
		i.Test, db.AsJSON(i.Template.V), i.SentAt)
}

// items reads a page of a timeline.
func items(r *db.Reader, conversation uuid.UUID, ascending bool, p db.Page) (db.List[Item], error) {
	less, direction := "<", "DESC"
	if ascending {
		less, direction = ">", "ASC"
	}
	rows, err := db.All(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND deleted_at IS NULL AND (at, id) `+less+` ($3, $4)
		ORDER BY at `+direction+`, id `+direction+` LIMIT $5`, r.Tenant(), conversation, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(i Item) db.Key { return db.Key{Sort: i.CreatedAt.UnixMicro(), ID: i.ID} }), err
}

// pageKeyAt returns the key right before an item, so that a page begins with it.
func pageKeyAt(i Item, ascending bool) db.Key {
	if ascending {
		return db.Key{Sort: i.CreatedAt.UnixMicro() - 1, ID: uuid.Max}
	}
	return db.Key{Sort: i.CreatedAt.UnixMicro() + 1}
}

// ItemByID returns an item that is not deleted, or db.ErrNoRow if it does not exist.
func ItemByID(r *db.Reader, id uuid.UUID) (Item, error) {
	return db.One(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`+caller.OnlyVisible(r.Context(), "conversation_item.test"), r.Tenant(), id)
}

// ItemByProvider returns the item with this provider message id on an account, in the
// caller's environment, or db.ErrNoRow if it does not exist.
func ItemByProvider(r *db.Reader, account uuid.UUID, message string) (Item, error) {
	return db.One(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND channel_account_id = $2 AND provider_message_id = $3 AND test = $4`,
		r.Tenant(), account, message, caller.From(r.Context()).Test)
}

// SetDelivery stores the delivery state of an outgoing message. A provider's id that is
// already known is kept.
func SetDelivery(tx *db.Tx, id uuid.UUID, status string, reason, provider *string) error {
	return tx.Exec(`UPDATE conversation_item SET delivery = $3, delivery_error = $4,
			provider_message_id = COALESCE(provider_message_id, $5)
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, status, reason, provider)
}

// SetReceipts stores when an item was delivered and read; times that are already set are
// kept.
func SetReceipts(tx *db.Tx, i *Item) error {
	return tx.Exec(`UPDATE conversation_item SET delivered_at = COALESCE(delivered_at, $3), read_at = COALESCE(read_at, $4)
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), i.ID, i.DeliveredAt, i.ReadAt)
}

func putTerms(tx *db.Tx, id uuid.UUID, terms []string) error {
	for _, t := range terms {
		if err := tx.ExecDeferred(`INSERT INTO conversation_term (tenant_id, term, conversation_id) VALUES ($1, $2, $3)`, tx.Tenant(), t, id); err != nil {
			return err
		}
	}
	return nil
}

func dropTerms(tx *db.Tx, id uuid.UUID) error {
	return tx.ExecDeferred(`DELETE FROM conversation_term WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), id)
}

// putTags replaces the tags of a conversation.
func putTags(tx *db.Tx, c *Conversation) error {
	if err := tx.ExecDeferred(`DELETE FROM conversation_tag WHERE tenant_id = $1 AND conversation_id = $2`, tx.Tenant(), c.ID); err != nil {
		return err
	}
	for _, t := range c.Tags {
		if err := tx.ExecDeferred(`INSERT INTO conversation_tag (tenant_id, conversation_id, tag, last_activity_at)
			VALUES ($1, $2, $3, $4)`, tx.Tenant(), c.ID, contact.TagKey(t), c.LastActivityAt); err != nil {
			return err
		}
	}
	return nil
}

func touchTags(tx *db.Tx, c *Conversation) error {
	return tx.ExecDeferred(`UPDATE conversation_tag SET last_activity_at = $3 WHERE tenant_id = $1 AND conversation_id = $2`,
		tx.Tenant(), c.ID, c.LastActivityAt)
}

// dueSnoozes finds snoozed conversations of any tenant whose time has come.
func dueSnoozes(r *db.Reader, now clock.Time, after dueRow, limit int) ([]dueRow, error) {
	return db.All(r, func(row db.Row) (d dueRow, err error) {
		return d, row.Scan(&d.tenant, &d.id, &d.until)
	}, `SELECT tenant_id, id, snoozed_until FROM conversation
		WHERE state = 'snoozed' AND snoozed_until IS NOT NULL AND snoozed_until <= $1 AND (snoozed_until, id) > ($2, $3)
		ORDER BY snoozed_until, id LIMIT $4`, now, after.until, after.id, limit)
}

type dueRow struct {
	tenant, id uuid.UUID
	until      int64
}

// claimDue locks those of ids that are still due and skips those that another node has
// locked.
func claimDue(tx *db.Tx, ids []uuid.UUID) ([]Conversation, error) {
	in, arg := db.In(tx.Dialect(), 3, ids)
	return db.All(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c
		WHERE c.tenant_id = $1 AND c.state = 'snoozed' AND c.snoozed_until <= $2 AND c.id `+in+tx.Dialect().SkipLocked(),
		tx.Tenant(), clock.At(tx.Now()), arg)
}

// ReadSettings returns the inbox settings, or the defaults if none were set.
func ReadSettings(r *db.Reader) (Settings, error) {
	s, err := db.One(r, func(row db.Row) (s Settings, err error) {
		return s, row.Scan(&s.Reopen, &s.ReopenDays, &s.CSAT)
	}, `SELECT reopen, reopen_days, csat FROM conversation_settings WHERE tenant_id = $1`, r.Tenant())
	if db.IsNoRow(err) {
		return Settings{Reopen: true}, nil
	}
	return s, err
}

func putSettings(tx *db.Tx, s Settings) error {
	return tx.Exec(`INSERT INTO conversation_settings (tenant_id, reopen, reopen_days, csat) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id) DO UPDATE SET reopen = excluded.reopen, reopen_days = excluded.reopen_days, csat = excluded.csat`,
		tx.Tenant(), s.Reopen, s.ReopenDays, s.CSAT)
}

// RenameContact updates a contact's name in their conversations.
func RenameContact(tx *db.Tx, customer uuid.UUID, name string) error {
	return tx.Exec(`UPDATE conversation SET contact_name = $3 WHERE tenant_id = $1 AND contact_id = $2`, tx.Tenant(), customer, name)
}

// LockOfContact locks and returns a contact's conversations, including merged and deleted
// ones, the oldest first.
func LockOfContact(tx *db.Tx, customer uuid.UUID) ([]Conversation, error) {
	return db.All(&tx.Reader, scanLocked(tx), `SELECT `+columns+` FROM conversation c WHERE c.tenant_id = $1 AND c.contact_id = $2`+onlyVisible(&tx.Reader)+`
		ORDER BY c.id`+tx.Dialect().ForUpdate("c"), tx.Tenant(), customer)
}
