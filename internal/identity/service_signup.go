package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// SignUp takes the wish for an account and mails the proof of its address. No
// account exists before the proof, and the answer does not tell whether one
// existed already.
func (s *Service) SignUp(ctx context.Context, in SignUpRequest) error {
	mail, ok := address.ParseEmail(in.Email)
	if !ok {
		return fault.Invalid("email", "invalid_address")
	}
	p := pending{
		user:          User{Email: mail.Address, Name: strings.TrimSpace(in.Name), Language: in.Language},
		emailKey:      mail.Key,
		workspaceName: strings.TrimSpace(in.WorkspaceName),
	}
	switch {
	case p.user.Name == "":
		return fault.Invalid("name", "required")
	case p.workspaceName == "":
		return fault.Invalid("workspace_name", "required")
	}
	if err := checkPassword("password", in.Password, false, mail.Address, p.user.Name, p.workspaceName); err != nil {
		return err
	}
	if err := s.human(ctx, in.Captcha, in.IP, ""); err != nil {
		return err
	}
	err := s.suspicion.requested(ctx, in.IP)
	if err != nil {
		return err
	}
	if p.passwordHash, err = s.hasher.hash(ctx, in.Password); err != nil {
		return err
	}
	return s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error {
		known, err := userByEmail(&tx.Reader, mail.Key)
		if err == nil {
			return s.mailer.Send(tx, knownLetter.to(known, s.page(pageSignIn, "")))
		}
		if !db.IsNoRow(err) {
			return fmt.Errorf("identity: find account: %w", err)
		}
		return s.mailVerification(tx, p)
	})
}

func (s *Service) mailVerification(tx *db.Tx, p pending) error {
	token := secret.NewToken(secret.VerifyPrefix)
	if err := putSignUp(tx, p, secret.Hash(token), tx.Now().Add(verifyFor)); err != nil {
		return fmt.Errorf("identity: put sign-up: %w", err)
	}
	return s.mailer.Send(tx, verifyLetter.to(p.user, s.page(pageVerify, token)))
}

// addressJob is work on an address that may belong to nobody. It is done later
// and elsewhere, so that the time of the answer says nothing.
type addressJob struct {
	EmailKey string `json:"email_key"`
}

// Kinds of jobs of this room.
const (
	JobResend = "identity.resend"
	JobForgot = "identity.forgot"
)

func (s *Service) later(ctx context.Context, kind string, in AddressRequest) error {
	if err := s.human(ctx, in.Captcha, in.IP, ""); err != nil {
		return err
	}
	if err := s.suspicion.requested(ctx, in.IP); err != nil {
		return err
	}
	return s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error {
		_, err := jobs.Enqueue(tx, kind, tx.Now(), addressJob{EmailKey: address.Fold(strings.TrimSpace(in.Email))})
		return err
	})
}

// Jobs are the kinds of this module's jobs. They belong to no tenant.
func (s *Service) Jobs() []jobs.Kind {
	handle := func(do func(*db.Tx, string) error) jobs.Handler {
		return func(ctx context.Context, j *jobs.Job) error {
			var in addressJob
			if err := json.Unmarshal(j.Payload, &in); err != nil {
				return errors.Join(jobs.ErrDrop, err)
			}
			return s.db.System("sign-up").InTx(ctx, func(tx *db.Tx) error { return do(tx, in.EmailKey) })
		}
	}
	return []jobs.Kind{
		{Name: JobResend, Handler: handle(s.resend), PerNode: 16, PerTenant: 16, MaxAttempts: 20},
		{Name: JobForgot, Handler: handle(s.forgot), PerNode: 16, PerTenant: 16, MaxAttempts: 20},
	}
}

// Resend asks for another link to prove an address.
func (s *Service) Resend(ctx context.Context, in AddressRequest) error {
	return s.later(ctx, JobResend, in)
}

func (s *Service) resend(tx *db.Tx, emailKey string) error {
	p, err := newestSignUp(&tx.Reader, emailKey)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("identity: find sign-up: %w", err)
	}
	return s.mailVerification(tx, p)
}

// VerifyEmail turns a sign-up whose address is proven into a person and their
// workspace.
func (s *Service) VerifyEmail(ctx context.Context, token string) (Verified, error) {
	if !secret.WellFormed(token, secret.VerifyPrefix) {
		return Verified{}, fault.New(fault.LinkExpired)
	}
	id := s.db.Clock().NewID()
	var out Verified
	err := s.db.Tenant(id).InTx(ctx, func(tx *db.Tx) error {
		p, err := takeSignUp(tx, secret.Hash(token))
		if db.IsNoRow(err) {
			return fault.New(fault.LinkExpired)
		}
		if err != nil {
			return fmt.Errorf("identity: take sign-up: %w", err)
		}
		if _, err := userByEmail(&tx.Reader, p.emailKey); err == nil {
			return fault.New(fault.LinkExpired) // another link was first
		} else if !db.IsNoRow(err) {
			return err
		}
		w := Workspace{ID: id, Slug: slugOf(p.workspaceName), Name: p.workspaceName}
		if taken, err := slugTaken(&tx.Reader, w.Slug); err != nil {
			return err
		} else if taken {
			w.Slug = anotherSlug(w.Slug, tx.NewCapability())
		}
		out = Verified{Email: p.user.Email, Workspace: w}
		return s.found(tx, w, p)
	})
	return out, err
}

// found makes the workspace and its owner.
func (s *Service) found(tx *db.Tx, w Workspace, p pending) error {
	p.user.ID = tx.NewID()
	m := Membership{ID: tx.NewID(), Role: RoleOwner}
	if err := putTenant(tx, w, AllLicences, false); err != nil {
		return err
	}
	if err := putUser(tx, p.user, p.emailKey, p.passwordHash); err != nil {
		return err
	}
	if err := putMembership(tx, w.ID, p.user.ID, m); err != nil {
		return err
	}
	if err := dropSignUps(tx, p.emailKey); err != nil {
		return err
	}
	return audit.Write(tx, "workspace.created", w.ID.String(), map[string]any{"name": w.Name, "owner": p.user.Email})
}
