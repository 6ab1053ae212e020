package edit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Kinds of change that a provider reports before the message itself has arrived.
const (
	EarlyText     = "text"     // the value is the new text
	EarlyDeleted  = "deleted"  // its author deleted it
	EarlyReaction = "reaction" // the customer's; an empty value removes it
)

const (
	earlyJob = "conversation.early"
	// earlyFor is how long a change waits for its message.
	earlyFor = 24 * time.Hour
	// earlySoon is when a change is tried again, in case its message was written at the
	// same moment.
	earlySoon = time.Minute
	// earlyMax is the number of changes that can wait for the messages of one account:
	// providers also report changes to messages from before the account was connected.
	earlyMax = 5000
)

// Early is a change that came before its message.
type Early struct{ Kind, Value string }

// earlyOf is the payload of earlyJob.
type earlyOf struct {
	AccountID uuid.UUID `json:"account_id"`
	Message   string    `json:"message"`
}

// Jobs returns the kinds of this package's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{Name: earlyJob, Handler: jobs.WithPayload(s.runEarly), PerNode: 16, PerTenant: 4, MaxAttempts: 20, Timeout: time.Minute}}
}

// Keep stores a change of a message that we do not have. It is applied as soon as the
// message arrives, and dropped after a day.
func (s *Service) Keep(ctx context.Context, account uuid.UUID, message string, e Early) error {
	return s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if n, err := countEarly(&tx.Reader, account); err != nil || n >= earlyMax {
			return err
		}
		if err := putEarly(tx, account, message, e); err != nil {
			return fmt.Errorf("edit: store an early edit: %w", err)
		}
		// The message may be in the course of being written, by a transaction that does not
		// see this one.
		_, err := jobs.Enqueue(tx, earlyJob, tx.Now().Add(earlySoon), earlyOf{account, message})
		return err
	})
}

// ApplyEarly applies the changes that arrived before a message, in the transaction that
// writes the message or learns its provider id. It reports whether there were any.
func (s *Service) ApplyEarly(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) (bool, error) {
	if i.ChannelAccountID == nil || i.ProviderMessageID == nil || i.Test {
		return false, nil
	}
	list, err := takeEarly(tx, *i.ChannelAccountID, *i.ProviderMessageID)
	if err != nil || len(list) == 0 {
		return false, err
	}
	for _, e := range list {
		if err := s.applyEarly(tx, c, i, e.Early); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *Service) applyEarly(tx *db.Tx, c *conversation.Conversation, i *conversation.Item, e Early) error {
	switch {
	case i.DeletedAt != nil:
		return nil
	case e.Kind == EarlyReaction:
		return conversation.PutReaction(tx, i.ID, conversation.Reaction{
			Emoji: e.Value, AuthorKind: conversation.ByContact, AuthorID: c.ContactID, At: clock.At(tx.Now()),
		})
	case e.Kind == EarlyDeleted:
		return s.takeBack(tx, c, i)
	}
	if body := strings.TrimSpace(e.Value); body != i.Body {
		return s.setBody(tx, c, i, body, conversation.Author{Kind: i.AuthorKind, ID: i.AuthorID})
	}
	return nil
}

// takeBack hides a message that its author deleted in the channel's own app.
func (s *Service) takeBack(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
	if err := s.hide(tx, c, i); err != nil {
		return err
	}
	return audit.Write(tx, "conversation.item_deleted", i.ID.String(), map[string]string{"conversation": c.ID.String(), "by": i.AuthorKind})
}

// runEarly is the handler of earlyJob: it applies the changes whose message was written at
// the same moment, and drops those whose message did not arrive within a day.
func (s *Service) runEarly(ctx context.Context, j *jobs.Job, of earlyOf) error {
	end := j.CreatedAt.Add(earlyFor)
	var waits bool
	err := s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		waits = false
		i, err := conversation.ItemByProvider(&tx.Reader, of.AccountID, of.Message)
		switch {
		case err == nil:
			return s.applyLate(tx, i)
		case !db.IsNoRow(err):
			return err
		case tx.Now().Before(end):
			waits = true
			return nil
		}
		return dropEarly(tx, of.AccountID, of.Message, clock.At(tx.Now().Add(-earlyFor)))
	})
	if err == nil && waits {
		return jobs.Snooze(end)
	}
	return err
}

// applyLate applies the waiting changes to a message that was written before them.
func (s *Service) applyLate(tx *db.Tx, i conversation.Item) error {
	c, err := conversation.LockAny(tx, i.ConversationID)
	if err != nil {
		return err
	}
	if i, err = conversation.ItemByProvider(&tx.Reader, *i.ChannelAccountID, *i.ProviderMessageID); err != nil {
		return err
	}
	changed, err := s.ApplyEarly(tx, &c, &i)
	if err != nil || !changed {
		return err
	}
	return s.Conversations.AnnounceItem(tx, &c, &i)
}
