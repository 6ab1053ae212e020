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
	// formerKeyHash is the hash of the last confirmed key, while the provider may not have
	// the new one; nil if there is none.
	formerKeyHash []byte
}

// Accounts knows the messaging accounts of a workspace.
type Accounts interface {
	// Works reports whether an account is connected and not paused.
	Works(r *db.Reader, channel string, account uuid.UUID) (bool, error)
}

// Config is the configuration of a Service.
type Config struct {
	DB       *db.DB
	Accounts Accounts
	// Server returns where providers reach the exchange over TLS. If they cannot, the error
	// says why in words for people.
	Server func() (host string, port int, err error)
}

// Service manages the accounts.
type Service struct{ Config }

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Accounts == nil || c.Server == nil {
		return nil, errors.New("messaging: the database, the accounts and the exchange's server are needed")
	}
	return &Service{c}, nil
}

// CheckCalls returns why the exchange cannot take calls of providers, in words for people;
// nil if it can.
func (s *Service) CheckCalls() error {
	_, _, err := s.Server()
	return err
}

// PlacesCalls returns false: customers cannot be called over a provider yet.
func (*Service) PlacesCalls() bool { return false }

// ConnectCalls starts taking the calls of an account, and returns the address to which the
// provider sends them: sip:HOST:PORT with the key as its parameter. Each call of
// ConnectCalls creates a new key; the last confirmed one stays valid until ConfirmCalls.
func (s *Service) ConnectCalls(ctx context.Context, account uuid.UUID, channel, number string) (string, error) {
	host, port, err := s.Server()
	if err != nil {
		return "", err
	}
	key := newKey(account)
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return putAccount(tx, Account{ID: account, Channel: channel, Number: number, keyHash: hashOf(key)})
	})
	return "sip:" + net.JoinHostPort(host, strconv.Itoa(port)) + ";" + exchange.AccountKey + "=" + key, err
}

// ConfirmCalls revokes the former key, as the provider now has the newest.
func (s *Service) ConfirmCalls(ctx context.Context, account uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return dropFormerKey(tx, account) })
}

// DisconnectCalls stops taking the calls of an account; a repeat changes nothing.
func (s *Service) DisconnectCalls(ctx context.Context, account uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error { return dropAccount(tx, account) })
}

// TakesCalls reports whether the exchange takes the calls of an account.
func (s *Service) TakesCalls(ctx context.Context, account uuid.UUID) (bool, error) {
	_, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Account, error) { return findAccount(r, account) })
	return db.Found(err)
}

// Find returns an account of the workspace. It returns db.ErrNoRow if its calls are not
// taken.
func (s *Service) Find(r *db.Reader, account uuid.UUID) (Account, error) {
	return findAccount(r, account)
}

// FindByKey returns the workspace and the account that a call with a key is for. It returns
// exchange.ErrUnknown for an invalid key, for a number other than the account's, and while
// the account is not connected.
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

// A key is the id of its account, and 26 letters and digits with 130 random bits.
const secretLength = 26

func newKey(account uuid.UUID) string {
	return hex.EncodeToString(account[:]) + "-" + strings.ToLower(rand.Text())
}

// accountOfKey returns the account's id from a key; false if the text is no key.
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
