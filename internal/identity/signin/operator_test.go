package signin_test

import (
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/fault"
)

// An operator helps a person who cannot sign in. Every action ends the person's sessions at
// once, and the person gets a mail about a new password and a second step that was switched
// off.
func TestOperatorRestoresAccess(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		_, recovery := switchOn(t, s, w.Owner)
		mails := func() int { return len(s.Mails(w.ID, email)) + len(s.Mails(uuid.Nil, email)) }
		before := mails()
		if err := s.Accounts.ResetTwoFactor(t.Context(), "Owner@demo.example"); err != nil {
			t.Fatal(err)
		}
		w.Owner.Get(auth+"/me").Refused(401, "unauthenticated")
		if mails() == before {
			t.Error("nobody was told that the second step is off")
		}
		if err := s.Accounts.ResetTwoFactor(t.Context(), email); !fault.Is(err, fault.TwoFactorOff) {
			t.Errorf("a second step that is off: %v", err)
		}
		in := signIn(s, email, apptest.Password)
		if in.MFARequired {
			t.Fatal("the second step is still on")
		}
		// The old codes are invalid for a second step that is switched on later.
		c := s.Client(in.Token)
		switchOn(t, s, c)
		again := signIn(s, email, apptest.Password)
		s.Client("").Post(auth+"/sign-in/2fa", object{"mfa_token": again.MFAToken, "method": "recovery", "code": recovery[0]}).Refused(422, "wrong_code")

		if n, err := s.Accounts.EndSessions(t.Context(), email); err != nil || n != 1 {
			t.Errorf("%d sessions were ended, %v", n, err)
		}
		c.Get(auth+"/me").Refused(401, "unauthenticated")

		if err := s.Accounts.ResetTwoFactor(t.Context(), email); err != nil {
			t.Fatal(err)
		}
		in = signIn(s, email, apptest.Password)
		password, err := s.Accounts.ResetPassword(t.Context(), email)
		if err != nil {
			t.Fatal(err)
		}
		s.Client(in.Token).Get(auth+"/me").Refused(401, "unauthenticated")
		s.Client("").Post(auth+"/sign-in", object{"email": email, "password": apptest.Password}).Refused(422, "wrong_credentials")
		signIn(s, email, password.Reveal())

		for _, nobody := range []string{"nobody@demo.example", "no address"} {
			_, password := s.Accounts.ResetPassword(t.Context(), nobody)
			_, sessions := s.Accounts.EndSessions(t.Context(), nobody)
			for _, err := range []error{password, sessions, s.Accounts.ResetTwoFactor(t.Context(), nobody)} {
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("%s: %v", nobody, err)
				}
			}
		}
	})
}
