package signin

import (
	"context"
	"fmt"
	"strings"

	"konak/internal/identity"
	"konak/internal/identity/notice"
	"konak/internal/identity/password"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// SignUp accepts a request for an account and mails the proof of its address. No account
// exists before the proof, and the answer does not reveal whether one existed already.
func (s *Service) SignUp(ctx context.Context, in SignUpRequest) error {
	if s.cfg.SignUpOff {
		return fault.New(fault.SignUpClosed)
	}
	mail, ok := address.ParseEmail(in.Email)
	if !ok {
		return fault.Invalid("email", "invalid_address")
	}
	p := signUp{user: identity.User{Email: mail.Address, Language: in.Language}, emailKey: mail.Key}
	var err error
	if p.user.Name, err = identity.CleanName("name", in.Name); err != nil {
		return err
	}
	if p.workspaceName, err = identity.CleanName("workspace_name", in.WorkspaceName); err != nil {
		return err
	}
	if err := password.Check("password", in.Password, false, mail.Address, p.user.Name, p.workspaceName); err != nil {
		return err
	}
	if err := s.cfg.Captcha.Require(ctx, in.Captcha, in.IP, ""); err != nil {
		return err
	}
	if err := s.cfg.Captcha.CountRequest(ctx, in.IP); err != nil {
		return err
	}
	if p.passwordHash, err = s.cfg.Passwords.Hash(ctx, in.Password); err != nil {
		return err
	}
	return s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error {
		known, err := identity.FindUserByEmail(&tx.Reader, mail.Key)
		if err == nil {
			return s.cfg.Mailer.Send(tx, notice.KnownAddress.For(known.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageSignIn, "")))
		}
		if !db.IsNoRow(err) {
			return fmt.Errorf("signin: find account: %w", err)
		}
		return s.mailVerification(tx, p)
	})
}

// mailVerification stores a sign-up and mails the link that proves its address.
func (s *Service) mailVerification(tx *db.Tx, p signUp) error {
	token := secret.NewToken(secret.VerifyPrefix)
	if err := putSignUp(tx, p, secret.Hash(token), tx.Now().Add(verifyFor)); err != nil {
		return fmt.Errorf("signin: put sign-up: %w", err)
	}
	return s.cfg.Mailer.Send(tx, notice.ConfirmAddress.For(p.user.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageVerify, token)))
}

// addressJob is work on an address that may belong to nobody. A job does it later, so that
// the response time reveals nothing.
type addressJob struct {
	EmailKey string `json:"email_key"`
}

// Kinds of jobs.
const (
	JobResend = "identity.resend"
	JobForgot = "identity.forgot"
)

// enqueue checks that the caller is no robot, counts the request and leaves the work on the
// address to a job.
func (s *Service) enqueue(ctx context.Context, kind string, in AddressRequest) error {
	if err := s.cfg.Captcha.Require(ctx, in.Captcha, in.IP, ""); err != nil {
		return err
	}
	if err := s.cfg.Captcha.CountRequest(ctx, in.IP); err != nil {
		return err
	}
	return s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error {
		_, err := jobs.Enqueue(tx, kind, tx.Now(), addressJob{EmailKey: address.Fold(strings.TrimSpace(in.Email))})
		return err
	})
}

// Jobs returns the kinds of jobs. They belong to no tenant.
func (s *Service) Jobs() []jobs.Kind {
	handle := func(do func(*db.Tx, string) error) jobs.Handler {
		return jobs.WithPayload(func(ctx context.Context, _ *jobs.Job, in addressJob) error {
			return s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error { return do(tx, in.EmailKey) })
		})
	}
	return []jobs.Kind{
		{Name: JobResend, Handler: handle(s.mailVerificationAgain), PerNode: 16, PerTenant: 16, MaxAttempts: 20},
		{Name: JobForgot, Handler: handle(s.mailResetLink), PerNode: 16, PerTenant: 16, MaxAttempts: 20},
	}
}

// Resend requests another link to prove an address.
func (s *Service) Resend(ctx context.Context, in AddressRequest) error {
	if s.cfg.SignUpOff {
		return fault.New(fault.SignUpClosed)
	}
	return s.enqueue(ctx, JobResend, in)
}

// mailVerificationAgain mails another link if a sign-up waits for one.
func (s *Service) mailVerificationAgain(tx *db.Tx, emailKey string) error {
	p, err := newestSignUp(&tx.Reader, emailKey)
	if err != nil {
		return db.IfNoRow(fmt.Errorf("signin: find sign-up: %w", err), nil)
	}
	return s.mailVerification(tx, p)
}

// VerifyEmail turns a sign-up whose address is proven into a person and their workspace.
func (s *Service) VerifyEmail(ctx context.Context, token string) (Verified, error) {
	if s.cfg.SignUpOff { // a link of the time before
		return Verified{}, fault.New(fault.SignUpClosed)
	}
	if !secret.WellFormed(token, secret.VerifyPrefix) {
		return Verified{}, fault.New(fault.LinkExpired)
	}
	id := s.db.Clock().NewID()
	var out Verified
	err := s.db.Tenant(id).InTx(ctx, func(tx *db.Tx) error {
		p, err := takeSignUp(tx, secret.Hash(token))
		if err != nil {
			return db.IfNoRow(fmt.Errorf("signin: take sign-up: %w", err), fault.New(fault.LinkExpired))
		}
		if _, err := identity.FindUserByEmail(&tx.Reader, p.emailKey); err == nil {
			return fault.New(fault.LinkExpired) // another link was first
		} else if !db.IsNoRow(err) {
			return err
		}
		w, err := s.identity.OpenAccount(tx, p.user, p.emailKey, p.passwordHash, p.workspaceName)
		if err != nil {
			return err
		}
		out = Verified{Email: p.user.Email, Workspace: w}
		return deleteSignUps(tx, p.emailKey)
	})
	return out, err
}

// SignUps lets package identity delete sign-ups. It has no dependencies, so it can exist
// before the service.
type SignUps struct{}

// Drop implements identity.SignUps.
func (SignUps) Drop(tx *db.Tx, emailKey string) error { return deleteSignUps(tx, emailKey) }
