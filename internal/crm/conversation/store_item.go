package conversation

import (
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// ItemOf returns an item, provided it belongs to this conversation.
func ItemOf(r *db.Reader, conversation, id uuid.UUID) (Item, error) {
	return db.One(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND id = $2 AND conversation_id = $3 AND deleted_at IS NULL`, r.Tenant(), id, conversation)
}

// SetBody writes an item's text and when it was edited.
func SetBody(tx *db.Tx, i *Item) error {
	return tx.Exec(`UPDATE conversation_item SET body = $3, edited_at = $4 WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), i.ID, i.Body, i.EditedAt)
}

// SetDeleted hides an item.
func SetDeleted(tx *db.Tx, i *Item) error {
	return tx.Exec(`UPDATE conversation_item SET deleted_at = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), i.ID, i.DeletedAt)
}

// LastMessage reads the newest message of a conversation.
func LastMessage(r *db.Reader, conversation uuid.UUID) (Item, error) {
	return db.One(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND kind = 'message' AND deleted_at IS NULL
		ORDER BY at DESC, id DESC LIMIT 1`, r.Tenant(), conversation)
}

// newestItem returns the last entry of a timeline, or db.ErrNoRow if it is empty.
func newestItem(r *db.Reader, conversation uuid.UUID) (Item, error) {
	return db.One(r, scanItem, `SELECT `+itemColumns+` FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND deleted_at IS NULL
		ORDER BY at DESC, id DESC LIMIT 1`, r.Tenant(), conversation)
}

// lastFromCustomer returns the channel's id of the customer's newest message.
func lastFromCustomer(r *db.Reader, conversation, account uuid.UUID) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT provider_message_id FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND channel_account_id = $3 AND author_kind = 'contact'
			AND provider_message_id IS NOT NULL AND deleted_at IS NULL
		ORDER BY at DESC, id DESC LIMIT 1`, r.Tenant(), conversation, account)
}

// PutReaction writes a reaction; an empty sign removes it.
func PutReaction(tx *db.Tx, item uuid.UUID, re Reaction) error {
	if re.Emoji == "" {
		return dropReaction(tx, item, re.AuthorKind, re.AuthorID)
	}
	return tx.Exec(`INSERT INTO item_reaction (tenant_id, item_id, author_kind, author_id, emoji, at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, item_id, author_kind, author_id) DO UPDATE SET emoji = excluded.emoji, at = excluded.at`,
		tx.Tenant(), item, re.AuthorKind, re.AuthorID, re.Emoji, re.At)
}

func dropReaction(tx *db.Tx, item uuid.UUID, kind string, author uuid.UUID) error {
	return tx.Exec(`DELETE FROM item_reaction WHERE tenant_id = $1 AND item_id = $2 AND author_kind = $3 AND author_id = $4`,
		tx.Tenant(), item, kind, author)
}

// dropOurReactions removes the reactions of agents and programs to an item.
func dropOurReactions(tx *db.Tx, item uuid.UUID) error {
	return tx.Exec(`DELETE FROM item_reaction WHERE tenant_id = $1 AND item_id = $2 AND author_kind <> 'contact'`, tx.Tenant(), item)
}

// reactionsTo reads the reactions to several items at once, the oldest first.
func reactionsTo(r *db.Reader, items []uuid.UUID) (map[uuid.UUID][]Reaction, error) {
	out := map[uuid.UUID][]Reaction{}
	in, arg := db.In(r.Dialect(), 2, items)
	_, err := db.All(r, func(row db.Row) (re Reaction, err error) {
		var item uuid.UUID
		if err = row.Scan(&item, &re.AuthorKind, &re.AuthorID, &re.Emoji, &re.At); err == nil {
			out[item] = append(out[item], re)
		}
		return re, err
	}, `SELECT item_id, author_kind, author_id, emoji, at FROM item_reaction WHERE tenant_id = $1 AND item_id `+in+`
		ORDER BY at, author_id`, r.Tenant(), arg)
	return out, err
}

func putSources(tx *db.Tx, item uuid.UUID, list []AISource) error {
	for n, a := range list {
		if err := tx.Exec(`INSERT INTO item_source (tenant_id, item_id, position, kind, title, url, excerpt)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, tx.Tenant(), item, n, a.Kind, a.Title, a.URL, a.Excerpt); err != nil {
			return err
		}
	}
	return nil
}

func sourcesOf(r *db.Reader, item uuid.UUID) ([]AISource, error) {
	list, err := db.All(r, func(row db.Row) (a AISource, err error) {
		err = row.Scan(&a.Kind, &a.Title, &a.URL, &a.Excerpt)
		return a, err
	}, `SELECT kind, title, url, excerpt FROM item_source WHERE tenant_id = $1 AND item_id = $2 ORDER BY position`, r.Tenant(), item)
	return db.OrEmpty(list), err
}

// putEmail stores an e-mail and returns the blob of the original that it replaced, nil if
// there was none.
func putEmail(tx *db.Tx, item uuid.UUID, e *Email) (replaced *uuid.UUID, err error) {
	replaced, err = db.One(&tx.Reader, db.Scalar[*uuid.UUID], `SELECT raw_blob_id FROM item_email WHERE tenant_id = $1 AND item_id = $2`, tx.Tenant(), item)
	if err != nil && !db.IsNoRow(err) {
		return nil, err
	}
	err = tx.Exec(`INSERT INTO item_email (tenant_id, item_id, message_id, sender, recipients, copies, reply_to, subject, sent_at,
			headers, body, html, raw_blob_id, raw_size)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (tenant_id, item_id) DO UPDATE SET message_id = excluded.message_id, sender = excluded.sender,
			recipients = excluded.recipients, copies = excluded.copies, reply_to = excluded.reply_to, subject = excluded.subject,
			sent_at = excluded.sent_at, headers = excluded.headers, body = excluded.body, html = excluded.html,
			raw_blob_id = excluded.raw_blob_id, raw_size = excluded.raw_size`,
		tx.Tenant(), item, e.MessageID, e.From, db.AsJSON(db.OrEmpty(e.To)), db.AsJSON(db.OrEmpty(e.Cc)), e.ReplyTo, e.Subject, e.Date,
		db.AsJSON(db.OrEmpty(e.Headers)), e.Text, e.HTML, e.RawBlobID, e.RawSize)
	return replaced, err
}

func emailOf(r *db.Reader, item uuid.UUID) (Email, error) {
	return db.One(r, func(row db.Row) (e Email, err error) {
		err = row.Scan(&e.MessageID, &e.From, db.FromJSON(&e.To), db.FromJSON(&e.Cc), &e.ReplyTo, &e.Subject, &e.Date, db.FromJSON(&e.Headers), &e.Text, &e.HTML, &e.RawBlobID, &e.RawSize)
		return e, err
	}, `SELECT message_id, sender, recipients, copies, reply_to, subject, sent_at, headers, body, html, raw_blob_id, raw_size
		FROM item_email WHERE tenant_id = $1 AND item_id = $2`, r.Tenant(), item)
}

// CopiesOf returns who gets a copy of e-mail answers, and who is proposed.
func CopiesOf(r *db.Reader, conversation uuid.UUID) (Copies, error) {
	c, err := db.OneOr(r, db.AsJSON(Copies{[]string{}, []string{}}), db.Scalar[db.JSON[Copies]], `SELECT copies FROM conversation_cc WHERE tenant_id = $1 AND conversation_id = $2`, r.Tenant(), conversation)
	return c.V, err
}

func putCopies(tx *db.Tx, conversation uuid.UUID, c Copies) error {
	return tx.Exec(`INSERT INTO conversation_cc (tenant_id, conversation_id, copies) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET copies = excluded.copies`, tx.Tenant(), conversation, db.AsJSON(c))
}

// SetDetail writes an item's detail.
func SetDetail(tx *db.Tx, i *Item) error {
	return tx.Exec(`UPDATE conversation_item SET detail = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), i.ID, db.AsJSON(i.Detail))
}

// countsAsAnswer is the condition for an answer of ours that was sent or is on its way; if
// $3 is true, answers that the customer's software reads by itself also count.
const countsAsAnswer = `kind = 'message' AND author_kind <> 'contact' AND (delivery IN ('sent', 'queued') OR delivery = 'none' AND $3)`

// FirstAnswerAt returns when we wrote the first answer that was sent or is on its way;
// db.ErrNoRow if there is none.
func FirstAnswerAt(r *db.Reader, c *Conversation) (clock.Time, error) {
	return db.One(r, db.Scalar[clock.Time], `SELECT at FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND `+countsAsAnswer+`
		ORDER BY at, id LIMIT 1`, r.Tenant(), c.ID, answersUnrouted(c))
}

// UnansweredSince returns when the customer wrote the first message after which no answer
// of ours was sent or is on its way and nobody closed the conversation; nil if there is
// none. Automatic replies of the customer do not count.
func UnansweredSince(r *db.Reader, c *Conversation) (*clock.Time, error) {
	last, err := db.One(r, db.Scalar[clock.Time], `SELECT at FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND (`+countsAsAnswer+` OR event = 'closed')
		ORDER BY at DESC, id DESC LIMIT 1`, r.Tenant(), c.ID, answersUnrouted(c))
	if err != nil && !db.IsNoRow(err) {
		return nil, fmt.Errorf("conversation: last answer: %w", err)
	}
	since, err := db.One(r, db.Scalar[clock.Time], `SELECT at FROM conversation_item
		WHERE tenant_id = $1 AND conversation_id = $2 AND at > $3 AND kind = 'message' AND author_kind = 'contact'
			AND NOT automatic AND deleted_at IS NULL
		ORDER BY at, id LIMIT 1`, r.Tenant(), c.ID, last)
	if db.IsNoRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("conversation: waiting since: %w", err)
	}
	return &since, nil
}

// answersUnrouted reports whether answers need no route to the customer, whose software
// reads them by itself.
func answersUnrouted(c *Conversation) bool {
	source, _ := SourceOf(c.Channel)
	return !source.NeedsRoute
}

// SetRetrying marks a failed message as on its way again.
func SetRetrying(tx *db.Tx, i *Item) error {
	return tx.Exec(`UPDATE conversation_item SET delivery = $3, delivery_error = NULL, channel = $4, channel_account_id = $5
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), i.ID, i.Delivery, i.Channel, i.ChannelAccountID)
}

// unreadMax is the number of messages that one report can mark as read.
const unreadMax = 200

// UnreadOn lists our messages with a delivery state, the newest first, that were written to
// a contact on an account in a period and that the contact has not read.
func UnreadOn(r *db.Reader, contact, account uuid.UUID, from, until clock.Time, delivery string) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT i.id FROM conversation c
		JOIN conversation_item i ON i.tenant_id = c.tenant_id AND i.conversation_id = c.id
		WHERE c.tenant_id = $1 AND c.contact_id = $2 AND i.channel_account_id = $3 AND i.delivery = $6 AND i.read_at IS NULL
			AND i.at >= $7 AND i.at <= $4 AND i.deleted_at IS NULL ORDER BY i.at DESC LIMIT $5`, r.Tenant(), contact, account, until, unreadMax, delivery, from)
}
