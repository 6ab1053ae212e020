package identity

import (
	"context"
	"time"

	"konak/internal/kit/api"
)

type signInIn struct {
	Body struct {
		Email      string `json:"email" minLength:"1" maxLength:"254" example:"owner@demo.localhost"`
		Password   string `json:"password" minLength:"1" maxLength:"1024" example:"konak-demo-password"`
		DeviceName string `json:"device_name,omitempty" maxLength:"100" example:"Firefox on Linux"`
	}
}

func (s *Service) registerSessions(a *api.API) {
	signIn := route("POST", "/sign-in", "sign-in", "Sign in with e-mail and password")
	signIn.Access, signIn.Permission, signIn.ShowsSecret = api.Public, "", true
	signIn.Doc = "Opens a session and sets the panel's cookie. A wrong e-mail or password is a 422, never a 401."
	api.Handle(a, signIn, func(ctx context.Context, in *signInIn) (SignedIn, error) {
		out, err := s.SignIn(ctx, in.Body.Email, in.Body.Password, in.Body.DeviceName, api.HostSlug(ctx), api.ClientIP(ctx))
		if err == nil {
			a.SetSessionCookie(ctx, out.Token, out.Session.ExpiresAt.Time)
		}
		return out, err
	})

	api.Handle(a, route("POST", "/sign-out", "sign-out", "End the session"), func(ctx context.Context, _ *struct{}) (api.Done, error) {
		a.SetSessionCookie(ctx, "", time.Time{})
		return api.Done{Done: true}, s.SignOut(ctx)
	})

	api.Handle(a, route("GET", "/me", "me", "Who is signed in, where, and what they may do"),
		func(ctx context.Context, _ *struct{}) (Me, error) { return s.Me(ctx) })
}
