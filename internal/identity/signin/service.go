package signin

import (
	"context"
	"errors"
	"fmt"

	"konak/internal/identity"
	"konak/internal/identity/captcha"
	"konak/internal/identity/password"
	"konak/internal/kit/db"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// Mailer sends mails.
type Mailer interface {
	Send(tx *db.Tx, l mailer.Mail) error
}

// Config holds the package's dependencies. Every field except SignUpOff is required.
type Config struct {
	DB        *db.DB
	Identity  *identity.Service
	Passwords *password.Hasher
	Captcha   *captcha.Gate
	Box       *secret.Box
	Mailer    Mailer
	// Limits counts tries per account.
	Limits limit.Limiter
	// BaseURL is the address of the panel; links in mail begin with it.
	BaseURL string
	// Domain is the bare host, to which passkeys are bound.
	Domain string
	// SignUpOff turns off sign-up for strangers; invited people can still create an
	// account.
	SignUpOff bool
}

func (c Config) check() error {
	switch {
	case c.DB == nil || c.Box == nil:
		return errors.New("signin: DB and Box are needed")
	case c.Identity == nil || c.Passwords == nil || c.Captcha == nil:
		return errors.New("signin: Identity, Passwords and Captcha are needed")
	case c.Mailer == nil || c.Limits == nil:
		return errors.New("signin: Mailer and Limits are needed")
	case c.BaseURL == "" || c.Domain == "":
		return errors.New("signin: BaseURL and Domain are needed")
	}
	return nil
}

// Service signs people up and in.
type Service struct {
	cfg      Config
	db       *db.DB
	identity *identity.Service
}

// New returns the service. It returns an error if the config is incomplete.
func New(cfg Config) (*Service, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Service{cfg: cfg, db: cfg.DB, identity: cfg.Identity}, nil
}

// cleanBatch is the maximum number of rows of a table that Clean removes.
const cleanBatch = 500

// Clean removes a batch of expired rows and returns their number.
func (s *Service) Clean(ctx context.Context) (int, error) {
	n, err := db.Write(ctx, s.db.System("janitor"), func(tx *db.Tx) (int64, error) { return deleteExpired(tx, cleanBatch) })
	if err != nil {
		return 0, fmt.Errorf("signin: clean: %w", err)
	}
	return int(n), nil
}
