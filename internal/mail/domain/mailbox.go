package domain

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// KindInbox is a mailbox whose mail goes to an e-mail account of the CRM. The
// other kinds are not served yet.
const KindInbox = "inbox"

// maxMailboxes is how many a workspace may have.
const maxMailboxes = 1000

// Mailbox is an address at one of the workspace's domains.
type Mailbox struct {
	ID        uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	DomainID  uuid.UUID  `json:"domain_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Address   string     `json:"address" example:"destek@kaya.example"`
	Kind      string     `json:"kind" enum:"inbox" example:"inbox"`
	AccountID uuid.UUID  `json:"account_id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"The e-mail account of the CRM that its mail goes to"`
	CreatedAt clock.Time `json:"created_at"`
}
