package line

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/exchange"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// statusUnknown is the status until the exchange reports another.
const statusUnknown = "unknown"

// Config is the configuration of a Service.
type Config struct {
	DB *db.DB
	// Exchange signs the line in; nil if this node has none.
	Exchange exchange.Trunks
}

// Service manages the line.
type Service struct{ Config }

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil {
		return nil, errors.New("line: the database is needed")
	}
	return &Service{c}, nil
}

// Line returns the workspace's line and its status, which is none if there is no line.
func (s *Service) Line(ctx context.Context) (Line, error) {
	l, err := db.Read(ctx, s.DB.TenantOf(ctx), findLine)
	if db.IsNoRow(err) {
		return Line{Transport: "udp", Encryption: string(exchange.EncryptionOff), Status: StatusNone}, nil
	}
	if err != nil || s.Exchange == nil {
		return l, err
	}
	return s.withStatus(ctx, caller.From(ctx).TenantID, l)
}

// withStatus asks the exchange for the status of a line.
func (s *Service) withStatus(ctx context.Context, tenant uuid.UUID, l Line) (Line, error) {
	status, err := s.Exchange.TrunkStatus(ctx, tenant, *l.ID)
	if errors.Is(err, exchange.ErrUnknown) {
		l.Status, l.LastError = string(exchange.TrunkNeedsPassword), ""
		return l, nil
	}
	if err != nil {
		return l, fault.New(fault.Unavailable).Wrap(err)
	}
	l.Status, l.LastError = string(status.State), status.LastError
	return l, nil
}

// Set creates or changes the line, and passes the password to the exchange. Without a
// password the previous one stays valid, if server and user are the same. It returns
// not_configured if there is no exchange.
func (s *Service) Set(ctx context.Context, want Line, password secret.Text) (l Line, err error) {
	if s.Exchange == nil {
		return l, fault.New(fault.NotConfigured)
	}
	want.Server, want.Username, want.AuthUser = strings.TrimSpace(want.Server), strings.TrimSpace(want.Username), strings.TrimSpace(want.AuthUser)
	if err := want.check(); err != nil {
		return l, err
	}
	if want.Number != "" {
		number, ok := address.ParsePhone(want.Number)
		if !ok {
			return l, fault.Invalid("e164", "invalid_phone")
		}
		want.Number = number
	}
	if err := s.Exchange.CheckServer(ctx, want.Server, want.Transport); err != nil {
		return l, fault.Invalid("server", "refused_address").Wrap(err)
	}
	tenant := caller.From(ctx).TenantID
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		id, now := tx.NewID(), clock.At(tx.Now())
		want.ID, want.UpdatedAt, want.Status, want.LastError = &id, &now, statusUnknown, ""
		if l, err = saveLine(tx, want); err != nil {
			return err
		}
		return audit.Write(tx, "phone_line.changed", l.ID.String(), map[string]any{
			"server": l.Server, "transport": l.Transport, "media_encryption": l.Encryption, "username": l.Username, "auth_user": l.AuthUser, "register": l.Register,
		})
	})
	if err != nil {
		return l, err
	}
	err = s.Exchange.PutTrunk(ctx, exchange.Trunk{
		Tenant: tenant, ID: *l.ID, Server: l.Server, Transport: l.Transport, Encryption: exchange.Encryption(l.Encryption),
		Username: l.Username, AuthUser: l.AuthUser,
		Password: password, Register: l.Register,
	})
	if errors.Is(err, exchange.ErrInvalid) {
		return l, fault.Invalid("server", "refused").Wrap(err)
	}
	if err != nil {
		return l, fault.New(fault.Unavailable).Wrap(err)
	}
	return s.withStatus(ctx, tenant, l)
}

// Delete deletes the line; the exchange signs it out and ends its calls.
func (s *Service) Delete(ctx context.Context) (id uuid.UUID, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		l, err := deleteLine(tx)
		if err != nil {
			return db.NotFound(err)
		}
		id = *l.ID
		if err := command.Put(tx, command.Command{Kind: command.DropTrunk, Trunk: id}); err != nil {
			return err
		}
		return audit.Write(tx, "phone_line.deleted", id.String(), map[string]any{"server": l.Server, "username": l.Username})
	})
	return id, err
}

// Find reads the line in an existing transaction, with the last status that the exchange
// reported; db.ErrNoRow if there is none.
func (s *Service) Find(r *db.Reader) (Line, error) { return findLine(r) }

// SaveStatus stores the status that the exchange reported for the line.
func (s *Service) SaveStatus(tx *db.Tx, id uuid.UUID, status exchange.TrunkStatus) error {
	return saveStatus(tx, id, string(status.State), status.LastError)
}

// SetupState returns the state of the line for the setup.
func (s *Service) SetupState(ctx context.Context) (state, detail string, err error) {
	l, err := s.Line(ctx)
	return l.Status, l.LastError, err
}
