package messaging

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// Account is a messaging account whose calls the exchange takes.
type Account struct {
	ID uuid.UUID
	// Channel is its kind, such as whatsapp.
	Channel string
	// Number is the account's own, in E.164.
	Number string

	tenant  uuid.UUID
	keyHash []byte
	// formerKeyHash is the key before it, while the provider may not have the new one; nil for none.
	formerKeyHash []byte
}

// Accounts knows the messaging accounts of a workspace.
type Accounts interface {
	// Works says whether an account is connected and not paused.
	Works(r *db.Reader, channel string, account uuid.UUID) (bool, error)
}

// Config is what the package needs.
type Config struct {
	DB       *db.DB
	Accounts Accounts
	// Server is where providers reach the exchange over TLS. It returns, in words for
	// people, why they cannot.
	Server func() (host string, port int, err error)
}

// Service keeps the accounts.
type Service struct{ Config }

// New makes the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Accounts == nil || c.Server == nil {
		return nil, errors.New("messaging: the database, the accounts and the exchange's server are needed")
	}
	return &Service{c}, nil
}

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}

// CheckCalls returns why the exchange cannot take calls of providers, in words for
// people; nil where it can.
func (s *Service) CheckCalls() error {
	_, _, err := s.Server()
	return err
}

// PlacesCalls says that customers cannot be called over a provider yet.
func (*Service) PlacesCalls() bool { return false }

// ConnectCalls takes the calls of an account from now on, and returns the address that
// the provider leads them to: sip:HOST:PORT with the key as its parameter. Each call of it
// makes a new key; the one before opens the account too until ConfirmCalls.
func (s *Service) ConnectCalls(ctx context.Context, account uuid.UUID, channel, number string) (string, error) {
	host, port, err := s.Server()
	if err != nil {
		return "", err
	}
	key := newKey(account)
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		return putAccount(tx, Account{ID: account, Channel: channel, Number: number, keyHash: hashOf(key)})
	})
	return "sip:" + net.JoinHostPort(host, strconv.Itoa(port)) + ";" + exchange.AccountKey + "=" + key, err
}

// ConfirmCalls ends the key before the newest, which the provider has taken.
func (s *Service) ConfirmCalls(ctx context.Context, account uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return dropFormerKey(tx, account) })
}

// DisconnectCalls takes the calls of an account no more; a repeat changes nothing.
func (s *Service) DisconnectCalls(ctx context.Context, account uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error { return dropAccount(tx, account) })
}

// TakesCalls says whether the calls of an account are taken.
func (s *Service) TakesCalls(ctx context.Context, account uuid.UUID) (bool, error) {
	_, err := db.Read(ctx, s.tenant(ctx), func(r *db.Reader) (Account, error) { return findAccount(r, account) })
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil, err
}

// Find finds an account of the workspace. It returns db.ErrNoRow where its calls are not
// taken.
func (s *Service) Find(r *db.Reader, account uuid.UUID) (Account, error) {
	return findAccount(r, account)
}

// FindByKey finds the workspace and the account that a call with a key is for. It returns
// exchange.ErrUnknown for a key that is none, for another number than the account's, and
// while the account is not connected.
func (s *Service) FindByKey(ctx context.Context, key, dialled string) (tenant, account uuid.UUID, err error) {
	id, ok := accountOfKey(key)
	if !ok {
		return uuid.Nil, uuid.Nil, exchange.ErrUnknown
	}
	a, err := db.Read(ctx, s.DB.System("dialled account"), func(r *db.Reader) (Account, error) { return findAccountOfAll(r, id) })
	if db.IsNoRow(err) {
		return uuid.Nil, uuid.Nil, exchange.ErrUnknown
	}
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	hash := hashOf(key)
	if subtle.ConstantTimeCompare(a.keyHash, hash)|subtle.ConstantTimeCompare(a.formerKeyHash, hash) != 1 || strings.TrimPrefix(dialled, "+") != strings.TrimPrefix(a.Number, "+") {
		return uuid.Nil, uuid.Nil, exchange.ErrUnknown
	}
	works, err := db.Read(ctx, s.DB.Tenant(a.tenant), func(r *db.Reader) (bool, error) { return s.Accounts.Works(r, a.Channel, a.ID) })
	if err == nil && !works {
		err = exchange.ErrUnknown
	}
	return a.tenant, a.ID, err
}

// A key is the id of its account and 26 letters and digits, which hold 130 random bits.
const secretLength = 26

func newKey(account uuid.UUID) string {
	return hex.EncodeToString(account[:]) + "-" + strings.ToLower(rand.Text())
}

// accountOfKey reads the account's id from a key; false for what can be none.
func accountOfKey(key string) (id uuid.UUID, ok bool) {
	account, rest, ok := strings.Cut(key, "-")
	if !ok || len(rest) != secretLength || len(account) != 2*len(id) {
		return id, false
	}
	b, err := hex.DecodeString(account)
	if err != nil {
		return id, false
	}
	return uuid.UUID(b), true
}

func hashOf(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
