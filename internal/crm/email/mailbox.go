package email

import (
	"cmp"
	"net"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Kind is this channel's key in the source catalog.
const Kind = "email"

// How a connection is protected.
const (
	TLS      = "tls"
	StartTLS = "starttls"
	Plain    = "none"
)

// Server is the address and login of a mail server, without the password.
type Server struct {
	Host     string `json:"host" maxLength:"253" example:"imap.firma.example"`
	Port     int    `json:"port" minimum:"1" maximum:"65535" example:"993"`
	Security string `json:"security" enum:"tls,starttls,none" example:"tls" doc:"none is possible only in address ranges that the installation allows"`
	User     string `json:"user" maxLength:"200" example:"destek@firma.example"`
	Folder   string `json:"folder,omitempty" maxLength:"200" example:"INBOX" doc:"IMAP only; INBOX if empty"`
}

func (s *Server) address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

func (s *Server) check(field string) error {
	s.Host = strings.TrimSpace(s.Host)
	switch {
	case s.Host == "" || strings.ContainsAny(s.Host, " /:@\r\n"):
		return fault.Invalid(field+".host", "invalid_host")
	case s.Port == 0:
		return fault.Invalid(field+".port", "required")
	}
	return nil
}

// sameLogin reports whether a password that was given for one server may be sent to the
// other: only if host, port, user and security are the same.
func (s *Server) sameLogin(o *Server) bool {
	return s != nil && o != nil && strings.EqualFold(s.Host, o.Host) && s.Port == o.Port && s.User == o.User && s.Security == o.Security
}

// passwordFor returns the password for a server: the given one, or the stored one if it was
// stored for the same login. If the stored password would have to be sent elsewhere, it
// returns a field error: the password must be entered again.
func passwordFor(field string, to *Server, given string, known *Server, stored string) (string, error) {
	switch {
	case to == nil:
		return "", nil
	case given != "" || stored == "" || to.User == "":
		return given, nil
	case !to.sameLogin(known):
		return "", fault.Invalid(field+".password", "password_needed")
	}
	return stored, nil
}

// Settings are a mailbox's settings, stored with its account; none of them is secret.
type Settings struct {
	Address    string `json:"address"`
	SenderName string `json:"sender_name"`
	// IMAP is the external mailbox that is polled, nil for none. SMTP is the server that
	// answers are sent through, nil for the operator's.
	IMAP *Server `json:"imap"`
	SMTP *Server `json:"smtp"`
	// ContinueOpen adds a new mail from a known sender to their open conversation.
	ContinueOpen bool   `json:"continue_open"`
	SubjectToken bool   `json:"subject_token"`
	AutoReply    string `json:"auto_reply"`
}

// credentials are stored encrypted with the account.
type credentials struct {
	IMAP string `json:"imap"`
	SMTP string `json:"smtp"`
}

// Mailbox is an e-mail account as the API shows it.
type Mailbox struct {
	ID                uuid.UUID            `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Name              string               `json:"name" example:"Destek"`
	Status            string               `json:"status" enum:"connecting,active,paused,attention,disconnected" example:"active"`
	Reason            *string              `json:"reason" nullable:"true" example:"mailbox_unreachable"`
	Address           string               `json:"address" example:"destek@firma.example"`
	SenderName        string               `json:"sender_name" example:"Firma Destek"`
	ForwardingAddress *string              `json:"forwarding_address" nullable:"true" example:"mk3v9q2x7a1bc@in.konak.example" doc:"Mail sent or forwarded here arrives in this mailbox; null if the installation does not receive mail"`
	IMAP              api.Nullable[Server] `json:"imap" doc:"External mailbox that is polled"`
	SMTP              api.Nullable[Server] `json:"smtp" doc:"Server that replies are sent through; null for the installation's own"`
	Sending           Sending              `json:"sending" doc:"Address that replies are sent from, and whether it is verified"`
	GroupID           *uuid.UUID           `json:"group_id" nullable:"true" format:"uuid"`
	ContinueOpen      bool                 `json:"continue_open" doc:"Whether a customer's new mail is added to their open conversation"`
	SubjectToken      bool                 `json:"subject_token" doc:"Whether subjects contain a conversation token"`
	AutoReply         string               `json:"auto_reply" example:"Mesajınızı aldık." doc:"Automatic answer to a new conversation; empty for none"`
	LastPollAt        *clock.Time          `json:"last_poll_at" nullable:"true"`
	NextPollAt        *clock.Time          `json:"next_poll_at" nullable:"true"`
	LastError         *string              `json:"last_error" nullable:"true" doc:"Why the last poll failed"`
	CreatedAt         clock.Time           `json:"created_at"`
	UpdatedAt         clock.Time           `json:"updated_at"`
}

// Input is the data for creating or changing a mailbox; an empty password leaves the stored
// one unchanged.
type Input struct {
	// ID is the mailbox's id if it must be known before the mailbox is created; else nil.
	ID           uuid.UUID
	Name         string
	Settings     Settings
	IMAPPassword string
	SMTPPassword string
	GroupID      *uuid.UUID
}

func (in *Input) check() error {
	s := &in.Settings
	e, ok := address.ParseEmail(s.Address)
	if !ok {
		return fault.Invalid("address", "invalid_address")
	}
	s.Address = e.Address
	s.SenderName = strings.TrimSpace(s.SenderName)
	if s.IMAP != nil {
		if err := s.IMAP.check("imap"); err != nil {
			return err
		}
		s.IMAP.Folder = cmp.Or(s.IMAP.Folder, "INBOX")
	}
	if s.SMTP != nil {
		return s.SMTP.check("smtp")
	}
	return nil
}

// States of an accepted mail.
const (
	Received = "received" // waits to be read
	Done     = "done"     // became a message
	FailedIn = "failed"   // could not be read
	Bounced  = "bounce"   // a report about one of our mails
	Ignored  = "ignored"  // should not become a message, the reason says why
	Junk     = "junk"     // not read until somebody says that it is no junk
)

// Reasons in addition to those of the parser.
const (
	ReasonOwnMail     = "own_mail"
	ReasonOwnAddress  = "own_address"
	ReasonDuplicate   = "duplicate"
	ReasonDelayed     = "delayed"
	ReasonUnmatched   = "unknown_message"
	ReasonUnreadable  = "unreadable"
	ReasonNoSender    = "no_sender"
	ReasonTooDeep     = "too_deep"
	ReasonTooMany     = "too_many_parts"
	ReasonLongHeader  = "header_too_long"
	ReasonEmpty       = "empty"
	ReasonTooLarge    = "too_large"
	ReasonProcessing  = "processing_failed"
	ReasonUnavailable = "channel_unavailable"
)

// Incoming is a mail that was accepted.
type Incoming struct {
	ID             uuid.UUID   `json:"id" format:"uuid"`
	AccountID      uuid.UUID   `json:"account_id" format:"uuid"`
	Route          string      `json:"route" enum:"smtp,imap" example:"smtp"`
	EnvelopeFrom   string      `json:"envelope_from" example:"elif@kayamobilya.example"`
	EnvelopeTo     string      `json:"envelope_to" example:"mk3v9q2x7a1bc@in.konak.example"`
	Size           int64       `json:"size" example:"48213"`
	State          string      `json:"state" enum:"received,done,failed,bounce,ignored,junk" example:"failed"`
	Reason         *string     `json:"reason" nullable:"true" example:"no_sender"`
	Auth           string      `json:"auth" example:"spf=pass dkim=pass dmarc=pass" doc:"SPF, DKIM and DMARC results for the sender; empty for a mail that another server received"`
	Sender         string      `json:"sender" example:"elif@kayamobilya.example"`
	Subject        string      `json:"subject" example:"Teslimat"`
	Rule           *string     `json:"rule" nullable:"true" enum:"reply_address,reference,subject,continuation,new" doc:"How the mail was matched to its conversation"`
	ConversationID *uuid.UUID  `json:"conversation_id" nullable:"true" format:"uuid"`
	ItemID         *uuid.UUID  `json:"item_id" nullable:"true" format:"uuid"`
	CreatedAt      clock.Time  `json:"created_at"`
	SettledAt      *clock.Time `json:"settled_at" nullable:"true"`

	blobID uuid.UUID
	key    string
}

// state is the mailbox data that is stored next to its account.
type state struct {
	local       string
	polls       bool
	nextPollAt  *clock.Time // nil if it is not polled
	uidValidity *int64
	lastUID     *int64
	failures    int
	lastError   *string
	lastPollAt  *clock.Time
	// verifiedKey is the address that was verified by a mailed code; verifiedBy is the way
	// in which that code was mailed.
	verifiedKey *string
	verifiedBy  *string
	verifiedAt  *clock.Time
	code        mailedCode
}

func mailboxView(a channel.Account, set Settings, st state, domain string) Mailbox {
	m := Mailbox{
		ID: a.ID, Name: a.Name, Status: a.Status, Reason: a.Reason, Address: set.Address, SenderName: set.SenderName,
		GroupID: a.GroupID, ContinueOpen: set.ContinueOpen, SubjectToken: set.SubjectToken, AutoReply: set.AutoReply,
		LastPollAt: st.lastPollAt, LastError: st.lastError, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
	m.IMAP.V, m.SMTP.V = set.IMAP, set.SMTP
	m.NextPollAt = st.nextPollAt
	if domain != "" {
		at := st.local + "@" + domain
		m.ForwardingAddress = &at
	}
	return m
}
