package domain

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// Limits of the number of recipients that a mailbox may send to.
const (
	// suspiciousHour is the number of recipients in an hour above which sending is treated
	// as abuse.
	suspiciousHour = 200
	// maxDay is the limit of recipients in 24 hours if the mailbox has no limit of its own.
	maxDay = 2000
)

// Reasons why a mailbox may not send.
var (
	ErrSuspended  = errors.New("domain: the mailbox is suspended")
	ErrSentEnough = errors.New("domain: the mailbox has reached its daily limit")
)

// Reasons why a mailbox was suspended.
const (
	ReasonByHand = "by_hand"
	ReasonAbuse  = "too_many_recipients"
)

// Abuse is a mailbox that sends more than a person would.
type Abuse struct {
	Mailbox
	Recipients int64 `json:"recipients" example:"212" doc:"Recipients in this hour"`
	Suspended  bool  `json:"suspended" doc:"Whether the mailbox was suspended because of it"`
}

// Suspension is a mailbox that was suspended.
type Suspension struct {
	Mailbox
	Reason string `json:"reason" enum:"by_hand,too_many_recipients" example:"too_many_recipients"`
}

// dayLimit returns the number of recipients that the mailbox may send to in 24 hours.
func (m *Mailbox) dayLimit() int64 {
	if m.DailyLimit != nil {
		return *m.DailyLimit
	}
	return maxDay
}

// CheckSending returns the error that CountSending would return for a mail, without
// counting. Automatic suspension is not part of the check.
func (s *Service) CheckSending(ctx context.Context, tenant, mailbox uuid.UUID, recipients int) error {
	return s.DB.Tenant(tenant).Read(ctx, func(r *db.Reader) error {
		m, err := mailboxByID(r, mailbox)
		if db.IsNoRow(err) || err == nil && m.State == MailboxSuspended {
			return ErrSuspended
		}
		if err != nil {
			return err
		}
		day, err := sentInDay(r, mailbox, s.DB.Clock().Now())
		if err == nil && day+int64(recipients) > m.dayLimit() {
			return ErrSentEnough
		}
		return err
	})
}

// CountSending counts the recipients of a mail that a mailbox is about to send. A mailbox
// that sends to too many recipients in an hour is reported once in that hour, and suspended
// if the workspace wants that. It returns ErrSuspended if the mailbox may not send, and
// ErrSentEnough if its daily limit is used up; the mail must not be sent then. A mail over
// the daily limit is not counted, so that repeated attempts do not keep the mailbox over
// its limit.
func (s *Service) CountSending(ctx context.Context, tenant, mailbox uuid.UUID, recipients int) error {
	var refused error
	err := s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		refused = nil
		m, err := lockMailbox(tx, mailbox)
		if db.IsNoRow(err) || err == nil && m.State == MailboxSuspended {
			refused = ErrSuspended
			return nil
		}
		if err != nil {
			return err
		}
		hour, day, err := addSent(tx, mailbox, recipients)
		if err != nil {
			return err
		}
		if day > m.dayLimit() {
			refused = ErrSentEnough
			_, _, err = addSent(tx, mailbox, -recipients)
			return err
		}
		if hour <= suspiciousHour || hour-int64(recipients) > suspiciousHour {
			return nil
		}
		suspend, err := s.Settings.AutoSuspend(&tx.Reader)
		if err != nil {
			return err
		}
		if suspend {
			if m, err = setMailboxState(tx, mailbox, MailboxSuspended); err != nil {
				return err
			}
			refused = ErrSuspended
			if err := announceSuspension(tx, m, ReasonAbuse); err != nil {
				return err
			}
		}
		if err := audit.Write(tx, AbuseDetected, m.ID.String(), map[string]any{"address": m.Address, "recipients": hour, "suspended": suspend}); err != nil {
			return err
		}
		_, err = event.Emit(tx, event.Change{Type: AbuseDetected, Object: Abuse{m, hour, suspend}})
		return err
	})
	if err == nil {
		err = refused
	}
	return err
}

// announceSuspension writes the audit entry and the event of a suspended mailbox.
func announceSuspension(tx *db.Tx, m Mailbox, reason string) error {
	if err := audit.Write(tx, MailboxSuspendedEvent, m.ID.String(), map[string]string{"address": m.Address, "reason": reason}); err != nil {
		return err
	}
	_, err := event.Emit(tx, event.Change{Type: MailboxSuspendedEvent, Object: Suspension{m, reason}})
	return err
}
