package domain

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// The kinds of mailboxes.
const (
	// KindInbox is a mailbox that delivers to an e-mail account of the CRM.
	KindInbox = "inbox"
	// KindForward is a mailbox that forwards its mail to other addresses.
	KindForward = "forward"
	// KindPersonal is a mailbox that people read by IMAP. It is not supported yet.
	KindPersonal = "personal"
)

// The states of a mailbox.
const (
	MailboxActive = "active"
	// MailboxSuspended: the mailbox sends and forwards nothing. Mail to an inbox is still
	// accepted.
	MailboxSuspended = "suspended"
)

const (
	// maxMailboxes is the maximum number of mailboxes of a workspace.
	maxMailboxes = 1000
	// minPassword is the minimum length of a mailbox's password if the workspace has no
	// default.
	minPassword = 12
)

// Mailbox is an address at one of the workspace's domains.
type Mailbox struct {
	ID          uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	DomainID    uuid.UUID  `json:"domain_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Address     string     `json:"address" example:"destek@kaya.example"`
	Kind        string     `json:"kind" enum:"inbox,forward" example:"inbox"`
	AccountID   *uuid.UUID `json:"account_id" nullable:"true" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"E-mail account of the CRM that receives an inbox's mail"`
	Targets     []string   `json:"targets" nullable:"false" example:"[]" doc:"Targets of a forwarding mailbox"`
	QuotaMB     *int64     `json:"quota_mb" nullable:"true" example:"2048" doc:"Total mail an inbox accepts; null means limited only by the workspace's storage"`
	UsedBytes   int64      `json:"used_bytes" example:"1048576" doc:"Mail the inbox has accepted so far"`
	DailyLimit  *int64     `json:"daily_limit" nullable:"true" example:"500" doc:"Maximum recipients in 24 hours; null means 2000"`
	HasPassword bool       `json:"has_password" example:"true" doc:"Whether mail programs can send as this mailbox"`
	State       string     `json:"state" enum:"active,suspended" example:"active" doc:"suspended: it sends nothing. Mail to an inbox is still accepted; mail to a forwarding mailbox is deferred with 450"`
	CreatedAt   clock.Time `json:"created_at"`

	passwordHash string
}

// isFull reports whether an inbox accepts no more mail.
func (m *Mailbox) isFull() bool { return m.QuotaMB != nil && m.UsedBytes >= *m.QuotaMB<<20 }
