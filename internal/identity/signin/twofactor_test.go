package signin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/pquerna/otp/totp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/identity/signin"
)

// switchOn turns the second step on and returns its secret and recovery codes.
func switchOn(t *testing.T, s *apptest.Server, c *apptest.Client) (string, []string) {
	t.Helper()
	var setup signin.TOTPSetup
	c.Post(auth+"/2fa/totp", nil).Want(200).Data(&setup)
	if !strings.HasPrefix(setup.OTPAuthURL, "otpauth://totp/Konak:owner@demo.example?") || !strings.HasPrefix(setup.QRPNG, "data:image/png;base64,") {
		t.Errorf("setup %+v", setup)
	}
	c.Post(auth+"/2fa/totp/confirm", object{"code": "000000"}).Refused(422, "wrong_code")
	var codes signin.RecoveryCodes
	c.Post(auth+"/2fa/totp/confirm", object{"code": code(t, s, setup.Secret)}).Want(200).Data(&codes)
	if len(codes.Codes) != 10 {
		t.Fatalf("%d recovery codes", len(codes.Codes))
	}
	return setup.Secret, codes.Codes
}

func code(t *testing.T, s *apptest.Server, secret string) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTwoFactor(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(auth+"/2fa/recovery-codes", nil).Refused(409, "two_factor_off")
		w.Owner.Delete(auth+"/2fa/totp").Refused(409, "two_factor_off")
		secret, recovery := switchOn(t, s, w.Owner)
		w.Owner.Post(auth+"/2fa/totp", nil).Refused(409, "two_factor_on")
		w.Owner.Post(auth+"/2fa/totp/confirm", object{"code": "000000"}).Refused(409, "two_factor_on")

		nobody := s.Client("")
		second := func(token, method, code string) *apptest.Response {
			return nobody.Post(auth+"/sign-in/2fa", object{"mfa_token": token, "method": method, "code": code})
		}
		in := signIn(s, email, apptest.Password)
		if !in.MFARequired || in.Token != "" || in.Session != nil || strings.Join(in.Methods, " ") != "totp recovery" {
			t.Fatalf("sign-in %+v", in)
		}
		// The code that switched it on is used up, and so is every code after its use.
		second(in.MFAToken, "totp", code(t, s, secret)).Refused(422, "wrong_code")
		s.Clock.Advance(30 * time.Second)
		now := code(t, s, secret)
		var out identity.SignedIn
		second(in.MFAToken, "totp", now).Want(200).Data(&out)
		s.Client(out.Token).Get(auth + "/me").Want(200)
		second(in.MFAToken, "totp", now).Refused(422, "sign_in_expired")
		second(signIn(s, email, apptest.Password).MFAToken, "totp", now).Refused(422, "wrong_code")

		second(signIn(s, email, apptest.Password).MFAToken, "recovery", strings.ToUpper(recovery[0])).Want(200)
		second(signIn(s, email, apptest.Password).MFAToken, "recovery", recovery[0]).Refused(422, "wrong_code")
		second(signIn(s, email, apptest.Password).MFAToken, "passkey", "").Refused(422, "validation_failed")
		second("mfa_x", "totp", now).Refused(422, "sign_in_expired")

		// Five tries, then a right code is too late; so it is after five minutes.
		tired := signIn(s, email, apptest.Password).MFAToken
		for range 5 {
			second(tired, "totp", "000000").Refused(422, "wrong_code")
		}
		s.Clock.Advance(30 * time.Second)
		second(tired, "totp", code(t, s, secret)).Refused(422, "sign_in_expired")
		slow := signIn(s, email, apptest.Password).MFAToken
		s.Clock.Advance(5*time.Minute + time.Second)
		second(slow, "totp", code(t, s, secret)).Refused(422, "sign_in_expired")

		// Step-up takes the code too.
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password}).Refused(422, "wrong_code")
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password, "code": "000000"}).Refused(422, "wrong_code")
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password, "code": recovery[1]}).Want(200)
		w.Owner.Post(auth+"/app/reauth", object{"password": apptest.Password, "code": code(t, s, secret)}).Want(200)

		// New recovery codes invalidate the old ones, and a reset does not bypass the
		// second step.
		var fresh signin.RecoveryCodes
		w.Owner.Post(auth+"/2fa/recovery-codes", nil).Want(200).Data(&fresh)
		second(signIn(s, email, apptest.Password).MFAToken, "recovery", recovery[2]).Refused(422, "wrong_code")
		nobody.Post(auth+"/password/forgot", object{"email": email}).Want(200)
		nobody.Post(auth+"/password/reset", object{"token": lastToken(t, s, email), "password": "kedi zıpladı"}).Want(200)
		after := signIn(s, email, "kedi zıpladı")
		if !after.MFARequired {
			t.Fatal("a reset skipped the second step")
		}
		second(after.MFAToken, "recovery", fresh.Codes[0]).Want(200).Data(&out)
		c := s.Client(out.Token)
		c.Delete(auth + "/2fa/totp").Want(200)
		if in := signIn(s, email, "kedi zıpladı"); in.MFARequired {
			t.Error("the second step is still on")
		}
	})
}

// newPasskey creates a key whose coordinates fill their 32 bytes: the virtual authenticator
// does not pad shorter ones, and one key in 128 has one.
func newPasskey(t *testing.T) virtualwebauthn.Credential {
	t.Helper()
	for {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		point, err := private.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if point[1] == 0 || point[33] == 0 {
			continue
		}
		der, err := x509.MarshalPKCS8PrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		return virtualwebauthn.NewCredentialWithImportedKey(virtualwebauthn.KeyTypeEC2, der)
	}
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rp := virtualwebauthn.RelyingParty{ID: "localhost", Name: "Konak", Origin: "http://localhost"}
		key := newPasskey(t)
		type challenge struct {
			ID      string          `json:"challenge_id"`
			Options json.RawMessage `json:"options"`
		}

		var begin challenge
		w.Owner.Post(auth+"/passkeys/options", nil).Want(200).Data(&begin)
		made, err := virtualwebauthn.ParseAttestationOptions(string(begin.Options))
		if err != nil {
			t.Fatal(err)
		}
		device := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(made.UserID)})
		device.AddCredential(key)
		stranger := rp
		stranger.Origin = "https://evil.example"
		add := func(c *apptest.Client, rp virtualwebauthn.RelyingParty) *apptest.Response {
			return c.Post(auth+"/passkeys", object{
				"challenge_id": begin.ID, "name": "Phone",
				"credential": json.RawMessage(virtualwebauthn.CreateAttestationResponse(rp, device, key, *made)),
			})
		}
		add(w.Owner, stranger).Refused(422, "passkey_refused")
		add(w.Guest(), rp).Refused(422, "passkey_refused") // another person's challenge
		var pk signin.Passkey
		add(w.Owner, rp).Want(201).Data(&pk)
		add(w.Owner, rp).Refused(422, "passkey_refused") // the challenge is spent

		var list []signin.Passkey
		w.Owner.Get(auth + "/passkeys").Want(200).Data(&list)
		if len(list) != 1 || list[0].Name != "Phone" || list[0].LastUsedAt != nil {
			t.Fatalf("passkeys %+v", list)
		}

		nobody := s.Client("")
		show := func(options json.RawMessage, rp virtualwebauthn.RelyingParty) json.RawMessage {
			asked, err := virtualwebauthn.ParseAssertionOptions(string(options))
			if err != nil {
				t.Fatal(err)
			}
			return json.RawMessage(virtualwebauthn.CreateAssertionResponse(rp, device, key, *asked))
		}
		enter := func(rp virtualwebauthn.RelyingParty, advance time.Duration) *apptest.Response {
			var c challenge
			nobody.Post(auth+"/passkeys/sign-in/options", nil).Want(200).Data(&c)
			s.Clock.Advance(advance)
			return nobody.Post(auth+"/passkeys/sign-in", object{"challenge_id": c.ID, "credential": show(c.Options, rp)})
		}
		enter(stranger, 0).Refused(422, "passkey_refused")
		enter(rp, 5*time.Minute+time.Second).Refused(422, "passkey_refused")
		var in identity.SignedIn
		enter(rp, 0).Want(200).Data(&in)
		if in.Workspace.ID != w.ID || in.User.Email != email {
			t.Errorf("signed in %+v", in)
		}

		// It is a second step too, once that is on, and by itself it is both steps.
		_, _ = switchOn(t, s, w.Owner)
		ask := signIn(s, email, apptest.Password)
		options, err := json.Marshal(ask.Passkey)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(ask.Methods, " ") != "totp recovery passkey" {
			t.Fatalf("methods %v", ask.Methods)
		}
		second := object{"mfa_token": ask.MFAToken, "method": "passkey", "credential": show(options, rp)}
		nobody.Post(auth+"/sign-in/2fa", object{"mfa_token": ask.MFAToken, "method": "passkey", "credential": show(options, stranger)}).Refused(422, "passkey_refused")
		nobody.Post(auth+"/sign-in/2fa", second).Want(200)
		nobody.Post(auth+"/sign-in/2fa", second).Refused(422, "sign_in_expired")
		enter(rp, 0).Want(200)

		// On a workspace's own host the browser names that host.
		at := rp
		at.Origin = "http://demo.crm.localhost"
		enter(at, 0).Refused(422, "passkey_refused")
		nobody = nobody.Host("demo.crm.localhost")
		enter(at, 0).Want(200)
		nobody = s.Client("").Host("other.crm.localhost")
		enter(rp, 0).Refused(422, "passkey_refused")
		nobody = s.Client("")

		w.Owner.Delete(auth + "/passkeys/" + pk.ID.String()).Want(200)
		w.Owner.Delete(auth+"/passkeys/"+pk.ID.String()).Refused(404, "not_found")
		enter(rp, 0).Refused(422, "passkey_refused")
	})
}
