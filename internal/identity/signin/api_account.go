package signin

import (
	"context"

	"konak/internal/identity"
	"konak/internal/identity/captcha"
	"konak/internal/kit/api"
)

type signUpIn struct {
	Body struct {
		Email         string `json:"email" minLength:"1" maxLength:"254" example:"ayse@example.com"`
		Password      string `json:"password" minLength:"1" maxLength:"1024" example:"dört at yeşil çayırda koşar"`
		Name          string `json:"name" minLength:"1" maxLength:"100" example:"Ayşe Demir"`
		WorkspaceName string `json:"workspace_name" minLength:"1" maxLength:"100" example:"Demir Ticaret"`
		Captcha       string `json:"captcha_token,omitempty" maxLength:"8192" doc:"Required while GET /captcha returns required_now"`
	}
}

type verifyIn struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"100" example:"emv_…"`
	}
}

type firstOwnerIn struct {
	Body struct {
		Token         string `json:"token" minLength:"1" maxLength:"100" example:"own_…"`
		Email         string `json:"email" minLength:"1" maxLength:"254" example:"ayse@example.com"`
		Password      string `json:"password" minLength:"1" maxLength:"1024" example:"dört at yeşil çayırda koşar"`
		Name          string `json:"name" minLength:"1" maxLength:"100" example:"Ayşe Demir"`
		WorkspaceName string `json:"workspace_name" minLength:"1" maxLength:"100" example:"Demir Ticaret"`
	}
}

type addressIn struct {
	Body struct {
		Email   string `json:"email" minLength:"1" maxLength:"254" example:"ayse@example.com"`
		Captcha string `json:"captcha_token,omitempty" maxLength:"8192" doc:"Required while GET /captcha returns required_now"`
	}
}

func (in *addressIn) request(ctx context.Context) AddressRequest {
	return AddressRequest{Email: in.Body.Email, Captcha: in.Body.Captcha, IP: api.ClientIP(ctx)}
}

type resetIn struct {
	Body struct {
		Token    string `json:"token" minLength:"1" maxLength:"100" example:"rst_…"`
		Password string `json:"password" minLength:"1" maxLength:"1024" example:"dört at yeşil çayırda koşar"`
	}
}

type changePasswordIn struct {
	Body struct {
		Current string `json:"current_password" minLength:"1" maxLength:"1024" example:"konak-demo-password"`
		New     string `json:"new_password" minLength:"1" maxLength:"1024" example:"dört at yeşil çayırda koşar"`
	}
}

// Sent is the answer to a request that ends in a mail, no matter whose the address is.
type Sent struct {
	Status string `json:"status" enum:"verification_sent,reset_sent"`
}

func (s *Service) registerAccounts(a *api.API) {
	robot := public(identity.Route("GET", "/captcha", "captcha", "Get whether and how to solve a captcha"))
	robot.NoStore = true
	robot.Doc = "In adaptive mode, required_now depends on the caller's IP address. The POST that takes the token checks again."
	api.Handle(a, robot, func(ctx context.Context, _ *struct{}) (captcha.Info, error) {
		return s.cfg.Captcha.Info(ctx, api.ClientIP(ctx))
	})

	signUp := mailing(public(identity.Route("POST", "/sign-up", "sign-up", "Request an account and a workspace")))
	signUp.Doc = "Mails a link that verifies the e-mail address; opening it creates the account. " +
		"The response is the same if the address already has an account. If accounts are by invitation only, " +
		"this call and links mailed earlier are refused with 403 sign_up_closed; see sign_up in GET /api/v1/meta."
	api.Handle(a, signUp, func(ctx context.Context, in *signUpIn) (Sent, error) {
		return Sent{"verification_sent"}, s.SignUp(ctx, SignUpRequest{
			Email: in.Body.Email, Password: in.Body.Password, Name: in.Body.Name, WorkspaceName: in.Body.WorkspaceName,
			Captcha: in.Body.Captcha, Language: api.Language(ctx), IP: api.ClientIP(ctx),
		})
	})

	first := limitGuesses(public(identity.Route("POST", "/first-owner", "open-first-account", "Open the first account of an installation")))
	first.Doc = "The token is in the link that the first start of an empty installation prints. It works once, for an hour, and " +
		"only while there is no workspace, regardless of who else can open accounts. Sign in afterwards."
	api.Handle(a, first, func(ctx context.Context, in *firstOwnerIn) (Verified, error) {
		return s.OpenFirstAccount(ctx, FirstOwnerRequest{
			Token: in.Body.Token, Email: in.Body.Email, Password: in.Body.Password, Name: in.Body.Name,
			WorkspaceName: in.Body.WorkspaceName, Language: api.Language(ctx),
		})
	})

	api.Handle(a, limitGuesses(public(identity.Route("POST", "/email/verify", "verify-email", "Verify an e-mail address and open the account"))),
		func(ctx context.Context, in *verifyIn) (Verified, error) { return s.VerifyEmail(ctx, in.Body.Token) })

	resend := mailing(public(identity.Route("POST", "/email/verify/resend", "resend-verification", "Resend the verification link")))
	api.Handle(a, resend, func(ctx context.Context, in *addressIn) (Sent, error) {
		return Sent{"verification_sent"}, s.Resend(ctx, in.request(ctx))
	})

	forgot := mailing(public(identity.Route("POST", "/password/forgot", "forgot-password", "Request a password reset link")))
	forgot.Doc = "The response is the same if the address has no account."
	api.Handle(a, forgot, func(ctx context.Context, in *addressIn) (Sent, error) {
		return Sent{"reset_sent"}, s.RequestPasswordReset(ctx, in.request(ctx))
	})

	reset := limitGuesses(public(identity.Route("POST", "/password/reset", "reset-password", "Reset the password with a mailed link")))
	reset.Doc = "Ends all sessions and opens none: sign in afterwards, with the second factor if it is on."
	api.Handle(a, reset, func(ctx context.Context, in *resetIn) (api.Done, error) {
		return api.Done{Done: true}, s.Reset(ctx, in.Body.Token, in.Body.Password, api.ClientIP(ctx))
	})

	change := limitGuesses(identity.Route("PUT", "/password", "change-password", "Change your password"))
	change.Doc = "Ends your other sessions. A wrong password returns 422, never 401."
	api.Handle(a, change, func(ctx context.Context, in *changePasswordIn) (api.Done, error) {
		return api.Done{Done: true}, s.ChangePassword(ctx, in.Body.Current, in.Body.New)
	})
}
