package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
	"konak/internal/kit/smtpd"
	"konak/internal/mail"
	"konak/internal/mail/domain"
	"konak/internal/mail/origin"
)

// Limits of the SMTP listener.
const (
	maxSessions   = 200
	maxPerAddress = 50
	maxPerNetwork = 100
	maxRecipients = 100 // RFC 5321 asks for as many
	patience      = 2 * time.Minute
	maxIdle       = 5 * time.Minute
)

// Inbox takes mail for the CRM. Its errors are what is said to senders.
type Inbox interface {
	// FindRecipient returns the workspace and the account that mail to an address
	// goes to.
	FindRecipient(ctx context.Context, addr string) (tenant, account uuid.UUID, err error)
	// Spool writes a mail that comes in to the disk within the limits of all such
	// mails. The caller calls release in the end.
	Spool(ctx context.Context, network netip.Prefix, tenants []uuid.UUID, r io.Reader) (text *os.File, release func(), err error)
	// Deliver makes a mail durable for an address here.
	Deliver(ctx context.Context, d smtpd.Delivery) error
	// CheckHeld returns conflict for a mail of the CRM in quarantine, named by its job, that
	// cannot be sent any more.
	CheckHeld(ctx context.Context, job uuid.UUID) error
}

// Resolver finds the mail servers of domains, and what they say about reports.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Policies finds out how a destination wants its mail (MTA-STS); nil for no wish. With
// an error that is not known, and the mail waits.
type Policies interface {
	Find(ctx context.Context, domain string) (*mtasts.Policy, error)
}

// Config is what the engine needs.
type Config struct {
	DB      *db.DB
	Log     *slog.Logger
	Blobs   *blob.Store
	Mail    *mail.Service
	Domains *domain.Service
	Inbox   Inbox
	// Origin checks who mails that come in are from.
	Origin *origin.Checker
	Limits limit.Limiter
	// Out connects to mail servers outside.
	Out *outbound.Client
	// Roots are the certificates that vouch for servers of destinations that ask for
	// encryption; nil for those that the system trusts.
	Roots *x509.CertPool
	DNS   Resolver
	// STS finds out how destinations want their mail.
	STS Policies
	// Routes are the servers that take the mail for domains instead of those that the
	// DNS names, as host:port. The name "*" stands for all domains.
	Routes map[string]string
	// Key signs the addresses that bounces of forwarded mail return to.
	Key []byte
	// Host is the name of this server, Domain that of the CRM's own addresses.
	Host, Domain string
	MaxSize      int64
}

// Service is the mail server.
type Service struct {
	Config
	// operator connects to the servers of Routes, which may be anywhere.
	operator *outbound.Client
}

// New makes the service.
func New(c Config) *Service {
	s := &Service{Config: c, operator: outbound.New(outbound.Options{Operator: true})}
	if c.Mail != nil {
		c.Mail.CheckHeld = s.checkHeld
	}
	return s
}

// Serve speaks SMTP on ln until ctx ends, and over TLS from the beginning on secure,
// which may be nil. With a certificate it offers STARTTLS, and over encrypted
// connections mailboxes can sign in.
func (s *Service) Serve(ctx context.Context, ln, secure net.Listener, cert *tls.Certificate) error {
	server := smtpd.Server{
		Domain: s.Host, MaxSize: s.MaxSize, MaxRecipients: maxRecipients, MaxSessions: maxSessions, MaxPerAddress: maxPerAddress,
		MaxPerNetwork: maxPerNetwork, Patience: patience, MaxIdle: maxIdle, Log: s.Log,
		NewSession: func(ctx context.Context, from smtpd.Peer) smtpd.Session {
			return &session{s: s, connection: ctx, ctx: ctx, peer: from}
		},
	}
	if cert != nil {
		server.TLS = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
	}
	return server.Serve(ctx, ln, secure)
}

// Jobs lists the kinds of jobs.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{
		{
			Name: deliverJob, Handler: s.deliver, PerNode: 64, PerTenant: 16, PerAccount: 2, MaxAttempts: 200,
			Timeout: 20 * time.Minute, MaxAge: lifetime, HoldReason: "destination_unreachable", OnDead: s.giveUp,
		},
		{Name: tlsReportJob, Handler: s.sendTLSReport, PerNode: 4, PerTenant: 2, MaxAttempts: 10},
		{Name: reviewJob, Handler: s.review, PerNode: 8, PerTenant: 2, MaxAttempts: 100},
	}
}
