package signin

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/identity/notice"
	"konak/internal/identity/totp"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/qrcode"
)

// TOTPSetup is what an authenticator app needs; it is shown once.
type TOTPSetup struct {
	Secret     string `json:"secret" example:"JBSWY3DPEHPK3PXP"`
	OTPAuthURL string `json:"otpauth_url" example:"otpauth://totp/Konak:ayse%40example.com?issuer=Konak&secret=JBSWY3DPEHPK3PXP"`
	QRPNG      string `json:"qr_png" doc:"otpauth_url as a QR code, in a data: URL" example:"data:image/png;base64,iVBORw0KGgo="`
}

// RecoveryCodes are shown once.
type RecoveryCodes struct {
	Codes []string `json:"recovery_codes" nullable:"false" example:"[\"k7mqx-4rdwp\"]" doc:"Each works once instead of a code"`
}

// totpSealName is the name to which a person's secret is sealed.
func totpSealName(user uuid.UUID) string { return "app_user/" + user.String() + "/totp" }

// changeOwn runs fn for the caller's own account, in a transaction of their workspace.
func (s *Service) changeOwn(ctx context.Context, fn func(tx *db.Tx, u identity.User) error) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := findOwnAccount(&tx.Reader)
		if err != nil {
			return err
		}
		return fn(tx, a.User)
	})
}

// BeginTOTP creates a secret for an authenticator app. Nothing changes until a code proves
// that the app has it.
func (s *Service) BeginTOTP(ctx context.Context) (TOTPSetup, error) {
	secret := totp.NewSecret()
	var address string
	err := s.changeOwn(ctx, func(tx *db.Tx, u identity.User) error {
		address = totp.URL("Konak", u.Email, secret)
		ok, err := identity.SaveTOTPSecret(tx, u.ID, s.cfg.Box.Seal(uuid.Nil, totpSealName(u.ID), []byte(secret)))
		if err == nil && !ok {
			err = fault.New(fault.TwoFactorOn)
		}
		return err
	})
	if err != nil {
		return TOTPSetup{}, err
	}
	png, err := qrcode.PNG(address)
	return TOTPSetup{Secret: secret, OTPAuthURL: address, QRPNG: qrcode.DataURL(png)}, err
}

// ConfirmTOTP switches the second step on and returns the recovery codes.
func (s *Service) ConfirmTOTP(ctx context.Context, code string) (RecoveryCodes, error) {
	codes := newRecoveryCodes()
	err := s.changeOwn(ctx, func(tx *db.Tx, u identity.User) error {
		if u.TwoFactor {
			return fault.New(fault.TwoFactorOn)
		}
		if ok, err := s.useTOTPCode(tx, u.ID, code); err != nil {
			return err
		} else if !ok {
			return fault.New(fault.WrongCode).Field("code", "wrong")
		}
		if err := identity.ConfirmTOTP(tx, u.ID); err != nil {
			return err
		}
		if err := s.replaceRecovery(tx, u.ID, codes); err != nil {
			return err
		}
		if err := s.cfg.Mailer.Send(tx, notice.TwoFactorOn.For(u.Recipient(), "")); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.identity.ForgetUser(u.ID) })
		return audit.Write(tx, "two_factor.on", u.ID.String(), nil)
	})
	return RecoveryCodes{codes}, err
}

// DropTOTP switches the second step off.
func (s *Service) DropTOTP(ctx context.Context) error {
	return s.changeOwn(ctx, func(tx *db.Tx, u identity.User) error {
		if err := s.removeTOTP(tx, u); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.identity.ForgetUser(u.ID) })
		return audit.Write(tx, "two_factor.off", u.ID.String(), nil)
	})
}

// removeTOTP deletes a person's secret and recovery codes, and mails them a notice. It
// returns the fault two_factor_off if there is no secret.
func (s *Service) removeTOTP(tx *db.Tx, u identity.User) error {
	if !u.TwoFactor {
		return fault.New(fault.TwoFactorOff)
	}
	if err := identity.RemoveTOTP(tx, u.ID); err != nil {
		return err
	}
	if err := s.replaceRecovery(tx, u.ID, nil); err != nil {
		return err
	}
	return s.cfg.Mailer.Send(tx, notice.TwoFactorOff.For(u.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageSignIn, "")))
}

// NewRecoveryCodes replaces the recovery codes, used and unused.
func (s *Service) NewRecoveryCodes(ctx context.Context) (RecoveryCodes, error) {
	codes := newRecoveryCodes()
	err := s.changeOwn(ctx, func(tx *db.Tx, u identity.User) error {
		if !u.TwoFactor {
			return fault.New(fault.TwoFactorOff)
		}
		if err := s.replaceRecovery(tx, u.ID, codes); err != nil {
			return err
		}
		if err := s.cfg.Mailer.Send(tx, notice.RecoveryCodesReplaced.For(u.Recipient(), "")); err != nil {
			return err
		}
		return audit.Write(tx, "two_factor.recovery_codes", u.ID.String(), nil)
	})
	return RecoveryCodes{codes}, err
}

func (s *Service) replaceRecovery(tx *db.Tx, user uuid.UUID, codes []string) error {
	hashes := each.Map(codes, func(c string) []byte { return s.hashRecoveryCode(user, c) })
	if err := replaceRecoveryHashes(tx, user, hashes); err != nil {
		return fmt.Errorf("signin: put recovery codes: %w", err)
	}
	return nil
}

// useTOTPCode accepts a code of the authenticator app, once.
func (s *Service) useTOTPCode(tx *db.Tx, user uuid.UUID, code string) (bool, error) {
	sealed, last, err := identity.FindTOTPSecret(&tx.Reader, user)
	if err != nil {
		return false, db.IfNoRow(fmt.Errorf("signin: find secret: %w", err), nil)
	}
	secret, err := s.cfg.Box.Open(uuid.Nil, totpSealName(user), sealed)
	if err != nil {
		return false, fmt.Errorf("signin: open secret: %w", err)
	}
	step, ok, err := totp.FindStep(string(secret), strings.ReplaceAll(code, " ", ""), tx.Now(), last)
	if err != nil || !ok {
		return false, err
	}
	return identity.UseTOTPStep(tx, user, step)
}

// useRecoveryCode accepts a recovery code, once.
func (s *Service) useRecoveryCode(tx *db.Tx, user uuid.UUID, code string) (bool, error) {
	return markRecoveryUsed(tx, user, s.hashRecoveryCode(user, code))
}

// useCode accepts a code of the app or, if it has that form, a recovery code.
func (s *Service) useCode(tx *db.Tx, user uuid.UUID, code string) (bool, error) {
	if strings.Trim(code, "0123456789 ") == "" {
		return s.useTOTPCode(tx, user, code)
	}
	return s.useRecoveryCode(tx, user, code)
}
