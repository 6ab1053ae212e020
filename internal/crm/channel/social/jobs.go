package social

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	leaveJob   = "social.leave"   // ends what a page tells us
	profileJob = "social.profile" // asks who a customer is
	readJob    = "social.read"    // tells a customer that their messages were read
)

// Jobs are the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	const silent = channel.ProviderUnreachable
	return []jobs.Kind{
		{
			// One after the other, so that the parts of an answer and the answers
			// themselves arrive in order.
			Name: sendJob, Handler: s.runSend, PerNode: 256, PerTenant: 16, PerAccount: 1, MaxAttempts: 20,
			Timeout: 10 * time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent, OnDead: s.showUnsent,
		},
		{Name: askJob, Handler: s.runAsk, PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20, Timeout: time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent},
		{Name: mediaJob, Handler: s.runMedia, PerNode: 64, PerTenant: 8, PerAccount: 4, MaxAttempts: 20, Timeout: 10 * time.Minute, HoldReason: silent},
		{Name: profileJob, Handler: s.runProfile, PerNode: 64, PerTenant: 4, PerAccount: 2, MaxAttempts: 8, Timeout: time.Minute, HoldReason: silent},
		{Name: readJob, Handler: s.runRead, PerNode: 64, PerTenant: 4, PerAccount: 2, MaxAttempts: 5, Timeout: time.Minute, HoldReason: silent},
		{Name: leaveJob, Handler: s.runLeave, PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20, Timeout: time.Minute, HoldReason: silent},
	}
}

// showUnsent shows a message as failed whose job is dead.
func (s *Service) showUnsent(ctx context.Context, j *jobs.Job, _ string) error {
	var p outgoingMessage
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return err
	}
	var got accepted
	if _, err := j.ReadReceipt(&got); err != nil || got.Parts == len(p.parts()) {
		return err // the provider has all of it
	}
	return channel.IgnoreDeleted(s.Inbound.Reported(ctx, p.ItemID, conversation.Delivery{Status: conversation.Failed, Error: channel.ProviderUnreachable}))
}

// question is the payload of askJob: a customer is asked how a conversation went.
type question struct {
	AccountID      uuid.UUID  `json:"account_id"`
	ConversationID uuid.UUID  `json:"conversation_id"`
	To             string     `json:"to"`
	ExpiresAt      clock.Time `json:"expires_at"`
}

// Ask implements conversation.Asker.
func (s *Service) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	_, err := jobs.EnqueueForAccount(tx, askJob, q.Route.AccountID, tx.Now(), question{q.Route.AccountID, q.ConversationID, q.Route.Address, q.ExpiresAt})
	return true, err
}

// runAsk is the handler of askJob. A question that the provider refuses is not worth
// another try, and neither is one whose time is over.
func (s *Service) runAsk(ctx context.Context, j *jobs.Job) error {
	var q question
	if err := json.Unmarshal(j.Payload, &q); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if j.Test || !s.DB.Clock().Now().Before(q.ExpiresAt.Time) {
		return nil
	}
	m := Message{To: q.To, Text: channel.RatingQuestion}
	for _, b := range channel.RatingButtons(q.ConversationID) {
		m.Choices = append(m.Choices, Choice(b))
	}
	_, at, err := s.working(ctx, q.AccountID)
	if err == nil {
		_, err = s.Provider.Send(ctx, at, m)
	}
	return s.giveUp(err)
}

// giveUp is for calls that are not worth another try once the provider refused them.
func (s *Service) giveUp(err error) error {
	if _, final := finalReason(err); err == nil || final {
		return nil
	}
	return s.later(err)
}

// namelessContact is the payload of profileJob: the provider tells messages without
// their author's name.
type namelessContact struct {
	AccountID uuid.UUID `json:"account_id"`
	ContactID uuid.UUID `json:"contact_id"`
	Customer  string    `json:"customer"`
}

// runProfile is the handler of profileJob. A contact that got a name meanwhile keeps
// it.
func (s *Service) runProfile(ctx context.Context, j *jobs.Job) error {
	var p namelessContact
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	_, at, err := s.working(ctx, p.AccountID)
	if err != nil {
		return s.giveUp(err)
	}
	who, err := s.Provider.Profile(ctx, at, p.Customer)
	if err != nil {
		return s.giveUp(err)
	}
	name := who.Name
	if name == "" {
		name = who.Username
	}
	if name == "" {
		return nil
	}
	now, err := s.Contacts.Get(ctx, p.ContactID)
	if err != nil || now.Name != p.Customer {
		return channel.IgnoreDeleted(err)
	}
	_, err = s.Contacts.Update(ctx, p.ContactID, contact.Input{Name: &name})
	return channel.IgnoreDeleted(err)
}

// readMessages is the payload of readJob.
type readMessages struct {
	AccountID uuid.UUID `json:"account_id"`
	To        string    `json:"to"`
}

// SetReadReceipts implements channel.Receipts.
func (s *Service) SetReadReceipts(a *channel.Account, on bool) error {
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	set.ReadReceipts = on
	return a.Write(set)
}

// Seen implements channel.Receipts. The provider is told for a person, and marks all
// that they wrote.
func (s *Service) Seen(tx *db.Tx, a channel.Account, providerMessageID string) error {
	var set Settings
	if err := a.Read(&set); err != nil || !set.ReadReceipts {
		return err
	}
	item, err := conversation.ItemByProvider(&tx.Reader, a.ID, providerMessageID)
	if err != nil || item.AuthorID == nil {
		return err
	}
	who, err := s.Contacts.Whole(&tx.Reader, *item.AuthorID)
	if err != nil {
		return err
	}
	i, known := channel.IdentityOn(who, a.ID)
	if !known {
		return nil
	}
	_, err = jobs.EnqueueForAccount(tx, readJob, a.ID, tx.Now(), readMessages{a.ID, i.ExternalID})
	return err
}

// runRead is the handler of readJob.
func (s *Service) runRead(ctx context.Context, j *jobs.Job) error {
	var p readMessages
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	_, at, err := s.working(ctx, p.AccountID)
	if err == nil {
		err = s.Provider.MarkSeen(ctx, at, p.To)
	}
	return s.giveUp(err)
}

// farewell is the payload of leaveJob: what is needed to end a subscription after the
// account forgot its credentials; sealed, because jobs are not.
type farewell struct {
	AccountID uuid.UUID `json:"account_id"`
	PageID    string    `json:"page_id"`
	Sealed    string    `json:"sealed"`
}

func sealedFor(id uuid.UUID) string { return leaveJob + "/" + id.String() }

// Changed implements channel.Kind: a page that is disconnected tells us nothing more.
func (s *Service) Changed(tx *db.Tx, a channel.Account, _ string) error {
	if a.Status != channel.Disconnected {
		return nil
	}
	_, set, c, err := s.account(&tx.Reader, a.ID)
	if err != nil || c.Token == "" {
		return err
	}
	_, err = jobs.EnqueueForAccount(tx, leaveJob, a.ID, tx.Now(), farewell{
		AccountID: a.ID, PageID: set.PageID,
		Sealed: base64.StdEncoding.EncodeToString(s.Box.Seal(tx.Tenant(), sealedFor(a.ID), []byte(c.Token))),
	})
	return err
}

// runLeave is the handler of leaveJob. A page that another account still uses, such as
// its Instagram account, goes on telling.
func (s *Service) runLeave(ctx context.Context, j *jobs.Job) error {
	var f farewell
	if err := json.Unmarshal(j.Payload, &f); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	sealed, err := base64.StdEncoding.DecodeString(f.Sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	token, err := s.Box.Open(caller.From(ctx).TenantID, sealedFor(f.AccountID), sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	return s.giveUp(s.leave(ctx, f.PageID, (&Settings{PageID: f.PageID}).access(Messenger, credentials{Token: string(token)})))
}
