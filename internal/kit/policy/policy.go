// Package policy is the interface between the senders of messages and the rules that decide
// whether messages may leave the company.
//
// The mail module implements Policy with its data-loss-prevention rules. Every sender calls
// it: the CRM for the text of an answer, in the transaction that writes it, and for the
// whole mail, right before it is handed to a mail server. A sender that cannot ask its
// Policy does not send.
package policy

import (
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Text is a message before it is stored.
type Text struct {
	// Sender is the address from which it is sent, "" if that is not known yet.
	Sender     string
	Recipients []string
	Subject    string
	Body       string
	// Override is the reason that a person gave after a warning, "" for none.
	Override string
	// Final means that no whole mail will be checked after this text: if it would have to
	// wait for a review, it is refused instead.
	Final bool
	// Unscanned means that the message has files that will not be scanned.
	Unscanned bool
	// Messaging means that the message is sent over a channel other than e-mail: it is
	// checked only if the workspace asks for that, as a message to the outside.
	Messaging bool
	// Fixed means that the text cannot be changed: if a part would have to be masked, it is
	// refused instead.
	Fixed bool
}

// TextVerdict is the verdict on a text that may be sent.
type TextVerdict struct {
	// Body and Subject are the text to send, masked where necessary.
	Body, Subject string
	// Incident is to be recorded with the message, nil if nothing was found.
	Incident Incident
}

// Incident is what a policy found. Only the policy that created it reads it.
type Incident any

// Mail is a mail that is about to be handed to a mail server.
type Mail struct {
	// Ref identifies the mail; it is the same in every attempt.
	Ref string
	// Job is the job that sends it, the zero id if its sender finds it by its ref.
	Job uuid.UUID
	// Source is the sender: one of the constants below.
	Source     string
	MessageID  string
	Sender     string
	Recipients []string
	Subject    string
	Size       int64
	Open       func() io.Reader
}

// The sources of mails.
const (
	SourceCRM  = "crm"
	SourceSMTP = "smtp" // a mail program
)

// MailVerdict is the verdict on a mail.
type MailVerdict struct {
	// Hold means that the mail waits for a review. ExemptRecipients are the recipients
	// whose copies need not wait.
	Hold             bool
	ExemptRecipients []string
	// Refused is set if the mail is sent to nobody; it is the reason.
	Refused string
	// RefusedRecipients are the recipients who do not get it while others do.
	RefusedRecipients []string
	// Warned means that a rule warns about the mail, which is sent anyway. A person who
	// uses a mail program could not be asked and is notified.
	Warned bool
}

// Policy decides whether messages may leave.
type Policy interface {
	// CheckText checks a text in the transaction that writes it. It returns the fault
	// dlp_blocked if the text may not be sent, and dlp_warning if it may be sent only with
	// a reason. The caller must then roll back the transaction and pass the error to
	// RecordRefusal.
	CheckText(tx *db.Tx, t Text) (TextVerdict, error)
	// RecordText records what CheckText found in a message that was written; ref is that of
	// the mail that follows.
	RecordText(tx *db.Tx, i Incident, ref string) error
	// RecordRefusal records the incident of an error that CheckText returned. It
	// does nothing for other errors.
	RecordRefusal(ctx context.Context, err error) error
	// CheckMail checks a whole mail and records what it finds.
	CheckMail(ctx context.Context, m Mail) (MailVerdict, error)
}

// The reasons why a mail is refused.
const (
	Blocked  = "dlp_blocked"
	Rejected = "dlp_rejected" // by its reviewer
	Waiting  = "dlp_quarantined"
)
