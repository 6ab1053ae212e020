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
	maxRecipients = 100 // the minimum of RFC 5321
	patience      = 2 * time.Minute
	maxIdle       = 5 * time.Minute
)

// Inbox accepts mail for the CRM. Its errors are sent to senders.
type Inbox interface {
	// FindRecipient returns the workspace and the account that receive mail to an address.
	FindRecipient(ctx context.Context, addr string) (tenant, account uuid.UUID, err error)
	// Spool writes an incoming mail to disk, within the limits for all such mails. The
	// caller must call release when done.
	Spool(ctx context.Context, network netip.Prefix, tenants []uuid.UUID, r io.Reader) (text *os.File, release func(), err error)
	// Deliver stores a mail durably for a local address.
	Deliver(ctx context.Context, d smtpd.Delivery) error
	// CheckHeld returns conflict for a quarantined mail of the CRM, identified by its job,
	// that can no longer be sent.
	CheckHeld(ctx context.Context, job uuid.UUID) error
}

// Resolver looks up the mail servers of domains, and their reporting records.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Policies finds the MTA-STS policy of a destination; nil if it has none. An error means
// that the policy is unknown, and the mail waits.
type Policies interface {
	Find(ctx context.Context, domain string) (*mtasts.Policy, error)
}

// Config is the configuration of the engine.
type Config struct {
	DB      *db.DB
	Log     *slog.Logger
	Blobs   *blob.Store
	Mail    *mail.Service
	Domains *domain.Service
	Inbox   Inbox
	// Origin checks who incoming mail is from.
	Origin *origin.Checker
	Limits limit.Limiter
	// Out connects to external mail servers.
	Out *outbound.Client
	// Roots are the root certificates for servers of destinations that require encryption;
	// nil means the system's.
	Roots *x509.CertPool
	DNS   Resolver
	// STS finds the MTA-STS policies of destinations.
	STS Policies
	// Routes maps domains to servers, as host:port, that receive their mail instead of
	// those in the DNS. The name "*" stands for all domains.
	Routes map[string]string
	// Key is the key that signs the addresses that bounces of forwarded mail return to.
	Key []byte
	// Host is the name of this server, Domain the domain of the CRM's own addresses.
	Host, Domain string
	MaxSize      int64
}

// Service is the mail server.
type Service struct {
	Config
	// operator connects to the servers in Routes, which may be in any network.
	operator *outbound.Client
}

// New creates the service.
func New(c Config) *Service {
	s := &Service{Config: c, operator: outbound.New(outbound.Options{Operator: true})}
	if c.Mail != nil {
		c.Mail.CheckHeld = s.checkHeld
	}
	return s
}

// Serve serves SMTP on ln, and with implicit TLS on secure, which may be nil, until ctx
// ends. With a certificate it offers STARTTLS; mailboxes can sign in over encrypted
// connections.
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
		{Name: tlsReportJob, Handler: jobs.WithPayload(s.sendTLSReport), PerNode: 4, PerTenant: 2, MaxAttempts: 10},
		{Name: reviewJob, Handler: jobs.WithPayload(s.review), PerNode: 8, PerTenant: 2, MaxAttempts: 100},
	}
}
