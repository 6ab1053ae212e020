package signin

import (
	"konak/internal/identity"
)

// Methods of the second step.
const (
	MethodTOTP     = "totp"
	MethodRecovery = "recovery"
	MethodPasskey  = "passkey"
)

// SignInAnswer is either a session or, if the second step is on, a ticket for it.
type SignInAnswer struct {
	Token     string                `json:"session_token,omitempty" example:"ses_…" doc:"Shown once"`
	Session   *identity.SessionInfo `json:"session,omitempty"`
	User      *identity.User        `json:"user,omitempty"`
	Workspace *identity.Workspace   `json:"workspace,omitempty"`

	MFARequired bool     `json:"mfa_required" doc:"Whether to complete the sign-in with POST /sign-in/2fa"`
	MFAToken    string   `json:"mfa_token,omitempty" example:"mfa_…" doc:"Valid for five minutes and five attempts"`
	Methods     []string `json:"methods,omitempty" nullable:"false" enum:"totp,recovery,passkey"`
	Passkey     any      `json:"passkey_options,omitempty" doc:"Options for navigator.credentials.get, if a passkey can be the second factor"`
}

// answerOf returns the answer to a finished sign-in.
func answerOf(in identity.SignedIn) SignInAnswer {
	if in.Token == "" {
		return SignInAnswer{}
	}
	return SignInAnswer{Token: in.Token, Session: &in.Session, User: &in.User, Workspace: &in.Workspace}
}

// Proof is what a person provides to sign in.
type Proof struct {
	Email, Password, Captcha string
	Device                   identity.Device
	// Slug is the workspace of the host; empty means the person's first one.
	Slug string
	// DeviceToken is the token that an earlier sign-in left on the device, if any.
	DeviceToken string
}
