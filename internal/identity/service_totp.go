package identity

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/qrcode"
)

// TOTPSetup is what an authenticator app needs; it is shown once.
type TOTPSetup struct {
	Secret     string `json:"secret" example:"JBSWY3DPEHPK3PXP"`
	OTPAuthURL string `json:"otpauth_url" example:"otpauth://totp/Konak:ayse%40example.com?issuer=Konak&secret=JBSWY3DPEHPK3PXP"`
	QRPNG      string `json:"qr_png" doc:"The same as a picture, a data: URL" example:"data:image/png;base64,iVBORw0KGgo="`
}

// RecoveryCodes are shown once.
type RecoveryCodes struct {
	Codes []string `json:"recovery_codes" nullable:"false" example:"[\"k7mqx-4rdwp\"]" doc:"Each works once in place of a code"`
}

// BeginTOTP makes a secret for an authenticator app. Nothing changes until a
// code proves that the app has it.
func (s *Service) BeginTOTP(ctx context.Context) (TOTPSetup, error) {
	who := caller.From(ctx)
	secret := newTOTPSecret()
	var u User
	err := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := accountByMember(&tx.Reader, who.ID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		u = a.user
		ok, err := putTOTP(tx, u.ID, s.box.Seal(uuid.Nil, totpPlace(u.ID), []byte(secret)))
		if err == nil && !ok {
			err = fault.New(fault.TwoFactorOn)
		}
		return err
	})
	if err != nil {
		return TOTPSetup{}, err
	}
	address := otpauthURL("Konak", u.Email, secret)
	png, err := qrcode.PNG(address)
	return TOTPSetup{
		Secret: secret, OTPAuthURL: address,
		QRPNG: qrcode.DataURL(png),
	}, err
}

// ConfirmTOTP switches the second step on and gives the recovery codes.
func (s *Service) ConfirmTOTP(ctx context.Context, code string) (RecoveryCodes, error) {
	who := caller.From(ctx)
	codes := newRecoveryCodes()
	err := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := accountByMember(&tx.Reader, who.ID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		if a.user.TwoFactor {
			return fault.New(fault.TwoFactorOn)
		}
		if ok, err := s.spendTOTP(tx, a.user.ID, code); err != nil {
			return err
		} else if !ok {
			return fault.New(fault.WrongCode).Field("code", "wrong")
		}
		if err := confirmTOTP(tx, a.user.ID); err != nil {
			return err
		}
		if err := s.replaceRecovery(tx, a.user.ID, codes); err != nil {
			return err
		}
		if err := s.mailer.Send(tx, secondStepOnLetter.to(a.user, "")); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.forgetUser(a.user.ID) })
		return audit.Write(tx, "two_factor.on", a.user.ID.String(), nil)
	})
	return RecoveryCodes{codes}, err
}

// DropTOTP switches the second step off.
func (s *Service) DropTOTP(ctx context.Context) error {
	who := caller.From(ctx)
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := accountByMember(&tx.Reader, who.ID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		if !a.user.TwoFactor {
			return fault.New(fault.TwoFactorOff)
		}
		if err := dropTOTP(tx, a.user.ID); err != nil {
			return err
		}
		if err := s.replaceRecovery(tx, a.user.ID, nil); err != nil {
			return err
		}
		if err := s.mailer.Send(tx, secondStepOffLetter.to(a.user, s.page(pageSignIn, ""))); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.forgetUser(a.user.ID) })
		return audit.Write(tx, "two_factor.off", a.user.ID.String(), nil)
	})
}

// NewRecoveryCodes replaces the recovery codes, used and unused.
func (s *Service) NewRecoveryCodes(ctx context.Context) (RecoveryCodes, error) {
	who := caller.From(ctx)
	codes := newRecoveryCodes()
	err := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := accountByMember(&tx.Reader, who.ID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		if !a.user.TwoFactor {
			return fault.New(fault.TwoFactorOff)
		}
		if err := s.replaceRecovery(tx, a.user.ID, codes); err != nil {
			return err
		}
		if err := s.mailer.Send(tx, recoveryLetter.to(a.user, "")); err != nil {
			return err
		}
		return audit.Write(tx, "two_factor.recovery_codes", a.user.ID.String(), nil)
	})
	return RecoveryCodes{codes}, err
}

func (s *Service) replaceRecovery(tx *db.Tx, user uuid.UUID, codes []string) error {
	hashes := make([][]byte, len(codes))
	for i, c := range codes {
		hashes[i] = s.recoveryHash(user, c)
	}
	if err := putRecovery(tx, user, hashes); err != nil {
		return fmt.Errorf("identity: put recovery codes: %w", err)
	}
	return nil
}

// spendTOTP takes a code of the app, once.
func (s *Service) spendTOTP(tx *db.Tx, user uuid.UUID, code string) (bool, error) {
	sealed, last, err := totpOf(&tx.Reader, user)
	if db.IsNoRow(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("identity: find secret: %w", err)
	}
	secret, err := s.box.Open(uuid.Nil, totpPlace(user), sealed)
	if err != nil {
		return false, fmt.Errorf("identity: open secret: %w", err)
	}
	step, ok, err := totpStep(string(secret), strings.ReplaceAll(code, " ", ""), tx.Now(), last)
	if err != nil || !ok {
		return false, err
	}
	return spendStep(tx, user, step)
}

// spendRecovery takes a recovery code, once.
func (s *Service) spendRecovery(tx *db.Tx, user uuid.UUID, code string) (bool, error) {
	return useRecovery(tx, user, s.recoveryHash(user, code))
}

// spendCode takes a code of the app or, by its looks, a recovery code.
func (s *Service) spendCode(tx *db.Tx, user uuid.UUID, code string) (bool, error) {
	if strings.Trim(code, "0123456789 ") == "" {
		return s.spendTOTP(tx, user, code)
	}
	return s.spendRecovery(tx, user, code)
}
