package mail

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/ledger"
	"konak/internal/mail/dlp"
)

// Config is the configuration of the module.
type Config struct {
	DB *db.DB
	// Key is the key for the hashes of DLP findings.
	Key []byte
	// TwoFactor enforces the second step of members.
	TwoFactor TwoFactor
	// Ledger records what is done with personal data.
	Ledger *ledger.Ledger
	// Blobs stores the journal mails.
	Blobs *blob.Store
	// Host is the name of the mail server.
	Host string
	// TempDir is the directory for large attachments during a scan; "" means the system's.
	TempDir string
}

// TwoFactor enforces the second step of a workspace's members.
type TwoFactor interface {
	RequiresTwoFactor(r *db.Reader) (bool, error)
	// RequireTwoFactor returns two_factor_off for a caller without a second step.
	RequireTwoFactor(tx *db.Tx, required bool) error
}

// Service implements mail administration.
type Service struct {
	db     *db.DB
	key    []byte
	limits dlp.Limits
	second TwoFactor
	ledger *ledger.Ledger
	blobs  *blob.Store
	host   string

	// CheckHeld returns conflict if a mail of a source, identified by its ref and the job
	// that holds it, cannot be released because its content, sender or recipients are gone.
	// The engine sets it.
	CheckHeld func(ctx context.Context, source, ref string, job *uuid.UUID) error

	mu       sync.Mutex
	scanners map[uuid.UUID]cachedScanner
}

// New creates the service.
func New(c Config) *Service {
	limits := dlp.DefaultLimits()
	limits.TempDir = c.TempDir
	return &Service{db: c.DB, key: c.Key, limits: limits, second: c.TwoFactor, ledger: c.Ledger, blobs: c.Blobs, host: c.Host, scanners: map[uuid.UUID]cachedScanner{}}
}

// Exceptions lists the exceptions, newest first.
func (s *Service) Exceptions(ctx context.Context, p db.Page) (db.List[Exception], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Exception], error) {
		return listExceptions(r, p)
	})
}

// AddException is the gate for a new exception.
func (s *Service) AddException(ctx context.Context, email, note string) (Exception, error) {
	if address.IsWildcard(email) {
		return Exception{}, fault.Invalid("email", "wildcard")
	}
	addr, ok := address.ParseEmail(email)
	if !ok {
		return Exception{}, fault.Invalid("email", "invalid_address")
	}
	var e Exception
	err := idempotency.Do(ctx, s.db.TenantOf(ctx), &e, func(tx *db.Tx) error {
		e = Exception{ID: tx.NewID(), Email: addr.Address, Note: strings.TrimSpace(note), CreatedAt: clock.At(tx.Now()), CreatedBy: caller.From(ctx).Actor()}
		if err := putException(tx, e, addr.Key, fault.New(fault.Conflict).Because("exception_taken").Field("email", "taken")); err != nil {
			return fmt.Errorf("mail: put exception: %w", err)
		}
		return announce(tx, ExceptionCreated, e.ID, e, map[string]string{"email": e.Email})
	})
	return e, err
}

// DeleteException is the gate for removing an exception.
func (s *Service) DeleteException(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		e, err := dropException(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		return announce(tx, ExceptionDeleted, e.ID, e, map[string]string{"email": e.Email})
	})
}

// announce writes the audit entry and the event of a change, in its transaction.
func announce(tx *db.Tx, name string, id uuid.UUID, object, details any) error {
	if err := audit.Write(tx, name, id.String(), details); err != nil {
		return err
	}
	_, err := event.Emit(tx, event.Change{Type: name, Object: object})
	return err
}
