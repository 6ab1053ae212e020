package social

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

const (
	// profileJob looks up a customer's name.
	profileJob = "social.profile"
	// copyJob brings in a copy of a message that may be one of ours.
	copyJob = "social.copy"
	// copyPause is the time between two checks of such a copy, copyFor the maximum wait.
	copyPause = 10 * time.Second
	copyFor   = 15 * time.Minute
)

// Jobs returns the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return append(s.transport.Jobs(), jobs.Kind{
		Name: profileJob, Handler: jobs.WithPayload(s.runProfile), PerNode: 64, PerTenant: 4, PerAccount: 2, MaxAttempts: 8,
		Timeout: time.Minute, HoldReason: channel.ProviderUnreachable,
	}, jobs.Kind{
		Name: copyJob, Handler: jobs.WithPayload(s.runCopy), PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20,
		Timeout: time.Minute, HoldReason: channel.ProviderUnreachable,
	})
}

// heldCopy is the payload of copyJob.
type heldCopy struct {
	AccountID uuid.UUID `json:"account_id"`
	Message   Received  `json:"message"`
	At        time.Time `json:"at"`
}

// runCopy is the handler of copyJob. A copy of our own message is recognised once the
// provider has answered; any other was written in the provider's own app.
func (s *Service) runCopy(ctx context.Context, j *jobs.Job, h heldCopy) error {
	a, err := s.Channels.Get(ctx, "", h.AccountID)
	if err != nil {
		return channel.IgnoreDeleted(err)
	}
	now := s.DB.Clock().Now()
	waits, err := s.Inbound.AwaitsDelivery(ctx, a.ID, h.Message.Customer)
	if err != nil {
		return err
	}
	if waits && now.Sub(j.CreatedAt.Time) < copyFor {
		return jobs.Snooze(now.Add(copyPause))
	}
	if ours, err := s.sentPart(ctx, a.ID, h.Message.ID); err != nil || ours {
		return err
	}
	return s.ingest(ctx, a, h.Message, h.At)
}

// sentPart reports whether a message is a later part of one of ours.
func (s *Service) sentPart(ctx context.Context, account uuid.UUID, id string) (bool, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (bool, error) { return isPart(r, account, id) })
}

// KeepPart implements transport.PartKeeper.
func (c carrier) KeepPart(ctx context.Context, account uuid.UUID, id string) error {
	return c.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return putPart(tx, account, id) })
}

// namelessContact is the payload of profileJob: the provider sends messages without their
// author's name.
type namelessContact struct {
	AccountID uuid.UUID `json:"account_id"`
	ContactID uuid.UUID `json:"contact_id"`
	Customer  string    `json:"customer"`
}

// runProfile is the handler of profileJob. A contact that got a name in the meantime keeps
// it.
func (s *Service) runProfile(ctx context.Context, j *jobs.Job, p namelessContact) error {
	at, err := s.open(ctx, p.AccountID)
	if err != nil {
		return s.transport.GiveUp(err)
	}
	who, err := s.Provider.Profile(ctx, at, p.Customer)
	if err != nil {
		return s.transport.GiveUp(err)
	}
	name := cmp.Or(who.Name, who.Username)
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

// SetReadReceipts implements channel.Receipts.
func (s *Service) SetReadReceipts(a *channel.Account, on bool) error {
	return transport.ChangeSettings(a, func(set *Settings) { set.ReadReceipts = on })
}

// MarkSeen implements channel.Receipts. The provider marks all messages of a customer, not a
// single one.
func (s *Service) MarkSeen(tx *db.Tx, a channel.Account, providerMessageID string) error {
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
	return s.transport.EnqueueRead(tx, a.ID, i.ExternalID)
}

// MarkRead implements transport.Reader; what is the customer.
func (c carrier) MarkRead(ctx context.Context, o *opened, what string) error {
	return c.Provider.MarkSeen(ctx, accessTo(o), what)
}

// ShowTyping implements transport.Typist.
func (c carrier) ShowTyping(ctx context.Context, o *opened, to string) error {
	return c.Provider.ShowTyping(ctx, accessTo(o), to)
}

// AfterChange implements channel.Kind: a disconnected page sends us no more events until it is
// connected again.
func (s *Service) AfterChange(tx *db.Tx, a channel.Account, before string) error {
	if before == channel.Disconnected {
		return s.transport.EnqueueRejoin(tx, a.ID)
	}
	if a.Status != channel.Disconnected {
		return nil
	}
	o, err := s.accounts.Find(&tx.Reader, a.ID)
	if err != nil {
		return err
	}
	return s.transport.EnqueueLeave(tx, transport.Leaving{AccountID: a.ID, What: o.Set.PageID, Token: o.Creds.Token})
}

// Leave implements transport.Carrier; What is the page. A page that another account still
// uses, such as its Instagram account, keeps sending events.
func (c carrier) Leave(ctx context.Context, l transport.Leaving) error {
	return c.leave(ctx, l.What, Access{Kind: Messenger, PageID: l.What, Token: secret.Of(l.Token)})
}

// Rejoin implements transport.Carrier.
func (c carrier) Rejoin(ctx context.Context, o *opened) error {
	return c.Provider.Subscribe(ctx, accessTo(o))
}
