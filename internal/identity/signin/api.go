package signin

import (
	"context"
	"encoding/json"

	"konak/internal/identity"
	"konak/internal/kit/address"
	"konak/internal/kit/api"
)

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerSignIn(a)
	s.registerAccounts(a)
	s.registerTwoFactor(a)
	s.registerPasskeys(a)
}

// public makes a route need no credential.
func public(rt api.Route) api.Route {
	rt.Access, rt.Permission = api.Public, ""
	return rt
}

// showsSecret marks a route whose answer must not be stored.
func showsSecret(rt api.Route) api.Route {
	rt.ShowsSecret = true
	return rt
}

// stepUp makes a route need a fresh proof of the password.
func stepUp(rt api.Route) api.Route {
	rt.StepUp = true
	return rt
}

// limitGuesses marks a route on which each call is a guess at a secret.
func limitGuesses(rt api.Route) api.Route {
	rt.Limit = api.Credentials
	return rt
}

// mailing marks a route that sends mail to an address that a stranger enters.
func mailing(rt api.Route) api.Route {
	rt.Limit = api.Mailing
	return rt
}

type signInIn struct {
	Body struct {
		Email      string `json:"email" minLength:"1" maxLength:"254" example:"owner@demo.localhost"`
		Password   string `json:"password" minLength:"1" maxLength:"1024" example:"konak-demo-password"`
		Captcha    string `json:"captcha_token,omitempty" maxLength:"8192" doc:"Required while GET /captcha returns required_now"`
		DeviceName string `json:"device_name,omitempty" maxLength:"100" example:"Firefox on Linux"`
	}
}

type secondStepIn struct {
	Body struct {
		Token      string          `json:"mfa_token" minLength:"1" maxLength:"100" example:"mfa_…"`
		Method     string          `json:"method" enum:"totp,recovery,passkey"`
		Code       string          `json:"code,omitempty" maxLength:"32" example:"123456" doc:"For totp and recovery"`
		Credential json.RawMessage `json:"credential,omitempty" doc:"For passkey: result of navigator.credentials.get, as JSON"`
	}
}

type reauthIn struct {
	Body struct {
		Password string `json:"password" minLength:"1" maxLength:"1024" example:"konak-demo-password"`
		Code     string `json:"code,omitempty" maxLength:"32" example:"123456" doc:"Required if two-factor authentication is on; a recovery code works too"`
	}
}

func (s *Service) registerSignIn(a *api.API) {
	signIn := limitGuesses(showsSecret(public(identity.Route("POST", "/sign-in", "sign-in", "Sign in with e-mail and password"))))
	signIn.Doc = "Opens a session and sets the panel's cookie, or requires the second factor. " +
		"A wrong e-mail address or password returns 422, never 401."
	api.Handle(a, signIn, func(ctx context.Context, in *signInIn) (SignInAnswer, error) {
		out, err := s.SignIn(ctx, Proof{
			Email: in.Body.Email, Password: in.Body.Password, Captcha: in.Body.Captcha,
			Device: identity.DeviceOf(ctx, in.Body.DeviceName), Slug: api.HostSlug(ctx), DeviceToken: a.Cookie(ctx, deviceCookie),
		})
		if err == nil && out.Session != nil {
			a.SetSessionCookie(ctx, out.Token, out.Session.ExpiresAt.Time)
			s.rememberDevice(ctx, a, out.User.Email)
		}
		return out, err
	})

	second := limitGuesses(showsSecret(public(identity.Route("POST", "/sign-in/2fa", "sign-in-second-step", "Complete a sign-in with the second factor"))))
	second.Doc = "A wrong code returns 422. After five attempts or five minutes, start the sign-in again."
	api.Handle(a, second, func(ctx context.Context, in *secondStepIn) (identity.SignedIn, error) {
		out, err := s.FinishSignIn(ctx, SecondStep{
			Token: in.Body.Token, Method: in.Body.Method, Code: in.Body.Code, Credential: in.Body.Credential,
			Device: identity.DeviceOf(ctx, ""),
		})
		if err == nil {
			out.SetCookie(ctx, a)
			s.rememberDevice(ctx, a, out.User.Email)
		}
		return out, err
	})

	reauth := limitGuesses(identity.Route("POST", "/app/reauth", "reauth", "Confirm your password"))
	reauth.Doc = "Calls that require a recently confirmed password then work in this session for 15 minutes. " +
		"A wrong password or code returns 422, never 401."
	reauth.Delegable = true
	api.Handle(a, reauth, func(ctx context.Context, in *reauthIn) (Reauthenticated, error) {
		return s.Reauth(ctx, in.Body.Password, in.Body.Code)
	})
}

// deviceCookie is the cookie with the token of newDeviceToken.
const deviceCookie = "konak_device"

// rememberDevice leaves a token on a device after a sign-in.
func (s *Service) rememberDevice(ctx context.Context, a *api.API, email string) {
	token := a.Cookie(ctx, deviceCookie)
	if _, known := s.knownDevice(token, address.Fold(email)); !known {
		token = s.newDeviceToken(email)
	}
	a.SetCookie(ctx, deviceCookie, token, s.db.Clock().Now().Add(deviceTokenFor))
}
