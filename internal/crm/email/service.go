package email

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/blob"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/outbound"
	"konak/internal/kit/policy"
)

// Resolver reads TXT records of the DNS.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Mailboxes resolves the addresses at workspaces' own domains.
type Mailboxes interface {
	// FindInbox returns the workspace and the e-mail account of an address. It returns
	// not_found, or storage_full if the mailbox accepts no more mail.
	FindInbox(ctx context.Context, addr string) (tenant, account uuid.UUID, err error)
	// CountMail adds a mail to the mailbox's usage in the transaction that accepts it. It
	// returns storage_full if the mail does not fit.
	CountMail(tx *db.Tx, addr string, size int64) error
	// ReturnMail subtracts a mail from the mailbox's usage in the transaction that deletes
	// it.
	ReturnMail(tx *db.Tx, addr string, size int64) error
}

// Journal keeps mails with their envelopes for workspaces that want it.
type Journal interface {
	// RecordInbound records an accepted mail, in the transaction that accepts it. head is
	// its beginning, at least the header.
	RecordInbound(tx *db.Tx, from string, to []string, head []byte, kept blob.Blob) error
	// RecordOutbound records a mail before it is handed over. A ref is recorded only once.
	RecordOutbound(ctx context.Context, ref uuid.UUID, from string, to []string, raw []byte) error
}

// Config holds what the e-mail channel needs.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Channels *channel.Service
	Inbox    *conversation.Service
	Inbound  *inbound.Service
	Files    *file.Service
	Blobs    *blob.Store
	// Relay sends mail through the operator's mail server.
	Relay  *mailer.Mailer
	Out    *outbound.Client
	Limits limit.Limiter
	// DNS looks up the records of domains to be verified.
	DNS Resolver
	// Key is the secret of reply addresses and Message-IDs.
	Key []byte
	// Domain is the installation's domain for incoming mail, "" if it receives none.
	Domain string
	// Mailboxes are the addresses at workspaces' own domains.
	Mailboxes Mailboxes
	// Journal records mail that arrives by SMTP and mail that is sent.
	Journal Journal
	// Policy decides which mails may leave.
	Policy policy.Policy
	// MaxSize is the maximum size of a mail in bytes.
	MaxSize int64
	// MaxSpooled is the maximum number of bytes of unfinished mails on the disk; 0 for
	// DefaultMaxSpooled.
	MaxSpooled int64
}

// Service is the e-mail channel.
type Service struct {
	Config
	keys  message.Keys
	spool spool
}

// DefaultMaxSize is enough for a file of 25 MiB in base64.
const DefaultMaxSize = 36 << 20

// DefaultMaxSpooled is enough for fifty mails of the largest size at once.
const DefaultMaxSpooled = 2 << 30

// New creates the e-mail channel.
func New(c Config) *Service {
	if c.MaxSize == 0 {
		c.MaxSize = DefaultMaxSize
	}
	if c.MaxSpooled == 0 {
		c.MaxSpooled = DefaultMaxSpooled
	}
	c.Domain = strings.ToLower(c.Domain)
	return &Service{Config: c, keys: message.NewKeys(c.Key)}
}

// Get returns one mailbox.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (Mailbox, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Mailbox, error) { return s.get(r, id) })
}

func (s *Service) get(r *db.Reader, id uuid.UUID) (Mailbox, error) {
	a, set, err := s.account(r, id)
	if err != nil {
		return Mailbox{}, err
	}
	st, err := mailboxState(r, id)
	if err != nil {
		return Mailbox{}, db.NotFound(err)
	}
	if st.polls {
		if st.nextPollAt, err = jobs.NextRun(r, id); err != nil {
			return Mailbox{}, err
		}
	}
	m := mailboxView(a, set, st, s.Domain)
	m.Sending, err = s.sending(r, set, st)
	return m, err
}

func (s *Service) account(r *db.Reader, id uuid.UUID) (a channel.Account, set Settings, err error) {
	if a, err = s.Channels.Find(r, Kind, id); err == nil {
		err = a.Read(&set)
	}
	return a, set, err
}

// Connect creates a mailbox.
func (s *Service) Connect(ctx context.Context, in Input) (m Mailbox, err error) {
	if err := in.check(); err != nil {
		return m, err
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &m, func(tx *db.Tx) error {
		key := address.Fold(in.Settings.Address)
		a := channel.Account{ID: in.ID, Kind: Kind, Name: in.Name, Status: channel.Active, GroupID: in.GroupID, ExternalID: &key}
		if err := a.Write(in.Settings); err != nil {
			return err
		}
		if a, err = s.Channels.Connect(tx, a); err != nil {
			return renameTakenField(err)
		}
		if err := s.seal(tx, a.ID, credentials{in.IMAPPassword, in.SMTPPassword}); err != nil {
			return err
		}
		if free, err := putMailbox(tx, a.ID, newLocal(), key); err != nil {
			return fmt.Errorf("email: put mailbox: %w", err)
		} else if !free {
			return fault.New(fault.Unavailable) // the local part exists already: practically impossible
		}
		if in.Settings.IMAP != nil {
			if err := setPolls(tx, a.ID, true, false); err != nil {
				return fmt.Errorf("email: set polls: %w", err)
			}
		}
		m, err = s.get(&tx.Reader, a.ID)
		return err
	})
	return m, err
}

// renameTakenField renames the field of a conflict to the name in this module's API.
func renameTakenField(err error) error {
	if f, ok := fault.As(err); ok && f.Code == fault.Conflict && f.Fields["external_id"] != nil {
		return fault.New(fault.Conflict).Field("address", "taken")
	}
	return err
}

// newLocal returns a new local part for a forwarding address: letters and digits that
// survive every relay and cannot be guessed.
func newLocal() string {
	var raw [10]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic(err) // rand.Read never fails
	}
	return "m" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw[:]))[:12]
}

func (s *Service) seal(tx *db.Tx, id uuid.UUID, c credentials) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.Channels.SetCredentials(tx, id, text)
}

func (s *Service) credentials(r *db.Reader, id uuid.UUID) (c credentials, err error) {
	text, err := s.Channels.Credentials(r, id)
	if err != nil || text == nil {
		return c, err
	}
	return c, json.Unmarshal(text, &c)
}

// Change changes a mailbox. An omitted password is kept as long as its login stays the
// same; if the login changes, the omission is a field error.
func (s *Service) Change(ctx context.Context, id uuid.UUID, in Input) (m Mailbox, err error) {
	if err := in.check(); err != nil {
		return m, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, was, err := s.account(&tx.Reader, id)
		if err != nil {
			return err
		}
		if address.Fold(was.Address) != address.Fold(in.Settings.Address) {
			return fault.Invalid("address", "fixed") // conversations depend on it
		}
		a, err := s.Channels.Change(tx, Kind, id, func(a *channel.Account) error {
			a.Name, a.GroupID = in.Name, in.GroupID
			return a.Write(in.Settings)
		})
		if err != nil {
			return err
		}
		if err := s.reseal(tx, id, was, in); err != nil {
			return err
		}
		if err := setPolls(tx, id, in.Settings.IMAP != nil && a.Works(), changesFolder(was.IMAP, in.Settings.IMAP)); err != nil {
			return fmt.Errorf("email: set polls: %w", err)
		}
		if err := jobs.ResumeAccount(tx, id); err != nil {
			return err
		}
		if err := s.Channels.ClearAttention(tx, id, ReasonServerSilent, ReasonUnreachable, ReasonPollsStopped, mailer.ReasonQuota); err != nil {
			return err
		}
		m, err = s.get(&tx.Reader, id)
		return err
	})
	return m, err
}

// changesFolder reports whether a different folder will be polled.
func changesFolder(was, is *Server) bool {
	return was != nil && is != nil && (was.Host != is.Host || was.User != is.User || was.Folder != is.Folder)
}

func (s *Service) reseal(tx *db.Tx, id uuid.UUID, was Settings, in Input) error {
	c, err := s.credentials(&tx.Reader, id)
	if err != nil {
		return err
	}
	if c.IMAP, err = passwordFor("imap", in.Settings.IMAP, in.IMAPPassword, was.IMAP, c.IMAP); err != nil {
		return err
	}
	if c.SMTP, err = passwordFor("smtp", in.Settings.SMTP, in.SMTPPassword, was.SMTP, c.SMTP); err != nil {
		return err
	}
	return s.seal(tx, id, c)
}

// AfterChange implements channel.Kind: a mailbox is polled only while it works.
func (s *Service) AfterChange(tx *db.Tx, a channel.Account, before string) error {
	if a.Status == before || a.Works() == (before == channel.Active || before == channel.Attention) {
		return nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	return setPolls(tx, a.ID, a.Works() && set.IMAP != nil, false)
}
