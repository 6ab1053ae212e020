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
	"konak/internal/kit/caller"
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

// Mailboxes finds where mail to an address at a workspace's own domain goes.
type Mailboxes interface {
	// FindInbox returns the workspace and its e-mail account. It returns not_found,
	// and storage_full where the mailbox takes no more.
	FindInbox(ctx context.Context, addr string) (tenant, account uuid.UUID, err error)
	// CountMail counts a mail in the transaction that takes it. It returns
	// storage_full where it does not fit.
	CountMail(tx *db.Tx, addr string, size int64) error
	// ReturnMail counts a mail less in the transaction that deletes it.
	ReturnMail(tx *db.Tx, addr string, size int64) error
}

// Journal keeps mails with their envelopes where a workspace asks for it.
type Journal interface {
	// RecordInbound keeps a mail that is taken, in the transaction that takes it.
	// head is its beginning, at least the header.
	RecordInbound(tx *db.Tx, from string, to []string, head []byte, kept blob.Blob) error
	// RecordOutbound keeps a mail before it is handed over. The same ref is kept once.
	RecordOutbound(ctx context.Context, ref uuid.UUID, from string, to []string, raw []byte) error
}

// Config is what the e-mail channel needs.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Channels *channel.Service
	Inbox    *conversation.Service
	Inbound  *inbound.Service
	Files    *file.Service
	Blobs    *blob.Store
	// Relay sends mail over the operator's mail server.
	Relay  *mailer.Mailer
	Out    *outbound.Client
	Limits limit.Limiter
	// DNS is asked for the records of domains that are to be verified.
	DNS Resolver
	// Key is the secret of reply addresses and Message-IDs.
	Key []byte
	// Domain is where mail arrives at the installation, "" where none does.
	Domain string
	// Mailboxes are the addresses at workspaces' own domains.
	Mailboxes Mailboxes
	// Journal keeps what comes by SMTP and what is sent.
	Journal Journal
	// Policy decides which mails may leave.
	Policy policy.Policy
	// MaxSize is how large a mail may be.
	MaxSize int64
	// MaxSpooled is how many bytes of unfinished mails may lie on the disk; 0
	// for DefaultMaxSpooled.
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

// New makes the e-mail channel.
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

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}

// Get reads one mailbox.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (m Mailbox, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		m, err = s.get(r, id)
		return err
	})
	return m, err
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

// Connect makes a mailbox.
func (s *Service) Connect(ctx context.Context, in Input) (m Mailbox, err error) {
	if err := in.check(); err != nil {
		return m, err
	}
	err = idempotency.Do(ctx, s.tenant(ctx), &m, func(tx *db.Tx) error {
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
			return fault.New(fault.Unavailable) // a local part that exists: once in a universe
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

// renameTakenField names the field as this module's callers know it.
func renameTakenField(err error) error {
	if f, ok := fault.As(err); ok && f.Code == fault.Conflict && f.Fields["external_id"] != nil {
		return fault.New(fault.Conflict).Field("address", "taken")
	}
	return err
}

// newLocal is the local part of a forwarding address: letters and digits that
// survive every relay, and that nobody guesses.
func newLocal() string {
	var raw [10]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic(err) // the platform promises this cannot fail
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

// Change changes a mailbox. A password that is not given stays for the login
// that it was given for; where that changes it is a field error.
func (s *Service) Change(ctx context.Context, id uuid.UUID, in Input) (m Mailbox, err error) {
	if err := in.check(); err != nil {
		return m, err
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, was, err := s.account(&tx.Reader, id)
		if err != nil {
			return err
		}
		if address.Fold(was.Address) != address.Fold(in.Settings.Address) {
			return fault.Invalid("address", "fixed") // conversations stand on it
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

// changesFolder says whether a different folder is polled from now on.
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

// Changed implements channel.Kind: a mailbox that does not work is not polled.
func (s *Service) Changed(tx *db.Tx, a channel.Account, before string) error {
	if a.Status == before || a.Works() == (before == channel.Active || before == channel.Attention) {
		return nil
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return err
	}
	return setPolls(tx, a.ID, a.Works() && set.IMAP != nil, false)
}
