// Package policy is the interface between what sends messages and what decides
// whether they may leave the company.
//
// The mail module implements Policy with its data-loss-prevention rules. Every
// sender calls it: the CRM for the text of an answer, in the transaction that
// writes it, and for the whole mail, right before it is handed to a mail
// server. A sender that cannot ask its Policy does not send.
package policy

import (
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Text is a message before it is written down.
type Text struct {
	// Sender is the address that it goes out as, "" where it is not known yet.
	Sender     string
	Recipients []string
	Subject    string
	Body       string
	// Override is the reason that a person gave after a warning, "" for none.
	Override string
	// Final says that no whole mail will be checked after this one: what would
	// have to wait for a review is refused instead.
	Final bool
	// Unscanned says that the message has files that nobody will scan.
	Unscanned bool
	// Messaging says that it goes over another channel than e-mail: it is judged only
	// where the workspace asks for that, as a message to the outside.
	Messaging bool
	// Fixed says that the text cannot be changed: what would have to be covered is
	// refused instead.
	Fixed bool
}

// TextVerdict is what becomes of a text that may go.
type TextVerdict struct {
	// Body and Subject are the text to send; what had to be covered is covered.
	Body, Subject string
	// Incident is to be recorded with the message, nil where nothing was found.
	Incident Incident
}

// Incident is what a policy found. Only the policy that made it reads it.
type Incident any

// Mail is a mail that is about to be handed over.
type Mail struct {
	// Ref names the mail, the same in every attempt.
	Ref string
	// Job is the job that sends it, the zero id where its sender finds it by its ref.
	Job uuid.UUID
	// Source is what wants to send it.
	Source     string
	MessageID  string
	Sender     string
	Recipients []string
	Subject    string
	Size       int64
	Open       func() io.Reader
}

// What sends mails.
const (
	SourceCRM  = "crm"
	SourceSMTP = "smtp" // a mail program
)

// MailVerdict is what becomes of a mail.
type MailVerdict struct {
	// Hold says that the mail waits until somebody reviews it. ExemptRecipients are
	// those whose copies need not wait.
	Hold             bool
	ExemptRecipients []string
	// Refused says that the mail goes to nobody, and why.
	Refused string
	// RefusedRecipients are those who do not get it while others do.
	RefusedRecipients []string
	// Warned says that a rule warns about the mail, which goes all the same. Who sends
	// by a mail program could not be asked and is told.
	Warned bool
}

// Policy decides whether messages may leave.
type Policy interface {
	// CheckText judges a text in the transaction that writes it. It returns the
	// fault dlp_blocked for one that may not go, and dlp_warning for one that
	// goes only with a reason. The transaction is then to be given up, and the
	// error to be passed to RecordRefusal.
	CheckText(tx *db.Tx, t Text) (TextVerdict, error)
	// RecordText records what CheckText found in a message that was written; ref
	// is that of the mail which follows.
	RecordText(tx *db.Tx, i Incident, ref string) error
	// RecordRefusal records the incident of an error that CheckText returned. It
	// does nothing for other errors.
	RecordRefusal(ctx context.Context, err error) error
	// CheckMail judges a whole mail and records what it finds.
	CheckMail(ctx context.Context, m Mail) (MailVerdict, error)
}

// Why a mail was refused.
const (
	Blocked  = "dlp_blocked"
	Rejected = "dlp_rejected" // by the person who reviewed it
	Waiting  = "dlp_quarantined"
)
