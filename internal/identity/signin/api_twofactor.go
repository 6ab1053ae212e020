package signin

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/api"
)

type codeIn struct {
	Body struct {
		Code string `json:"code" minLength:"6" maxLength:"16" example:"123456"`
	}
}

func (s *Service) registerTwoFactor(a *api.API) {
	begin := showsSecret(stepUp(identity.Route("POST", "/2fa/totp", "begin-totp", "Create a secret for an authenticator app")))
	begin.Doc = "Takes effect only after you confirm it with a code from the app."
	api.Handle(a, begin, func(ctx context.Context, _ *struct{}) (TOTPSetup, error) { return s.BeginTOTP(ctx) })

	confirm := limitGuesses(showsSecret(stepUp(identity.Route("POST", "/2fa/totp/confirm", "confirm-totp", "Turn on two-factor authentication"))))
	confirm.Doc = "Returns ten recovery codes, shown only once."
	api.Handle(a, confirm, func(ctx context.Context, in *codeIn) (RecoveryCodes, error) {
		return s.ConfirmTOTP(ctx, in.Body.Code)
	})

	off := stepUp(identity.Route("DELETE", "/2fa/totp", "drop-totp", "Turn off two-factor authentication"))
	off.Refusals = []int{409}
	api.Handle(a, off, func(ctx context.Context, _ *struct{}) (api.Done, error) {
		return api.Done{Done: true}, s.DropTOTP(ctx)
	})

	codes := showsSecret(stepUp(identity.Route("POST", "/2fa/recovery-codes", "new-recovery-codes", "Create new recovery codes")))
	codes.Doc = "The old codes stop working. The new ones are shown only once."
	api.Handle(a, codes, func(ctx context.Context, _ *struct{}) (RecoveryCodes, error) { return s.NewRecoveryCodes(ctx) })
}

type passkeyIn struct {
	ID api.ID `path:"id" record:"passkey"`
}

type addPasskeyIn struct {
	Body struct {
		ChallengeID uuid.UUID       `json:"challenge_id" format:"uuid"`
		Name        string          `json:"name" minLength:"1" maxLength:"100" example:"Phone"`
		Credential  json.RawMessage `json:"credential" doc:"Result of navigator.credentials.create, as JSON" example:"{}"`
	}
}

type passkeySignInIn struct {
	Body struct {
		ChallengeID uuid.UUID       `json:"challenge_id" format:"uuid"`
		Credential  json.RawMessage `json:"credential" doc:"Result of navigator.credentials.get, as JSON" example:"{}"`
		DeviceName  string          `json:"device_name,omitempty" maxLength:"100" example:"Firefox on Linux"`
	}
}

func (s *Service) registerPasskeys(a *api.API) {
	api.HandlePage(a, identity.Route("GET", "/passkeys", "list-passkeys", "List your passkeys"), s.Passkeys)

	api.Handle(a, showsSecret(stepUp(identity.Route("POST", "/passkeys/options", "begin-passkey", "Get the options for creating a passkey"))),
		func(ctx context.Context, _ *struct{}) (PasskeyChallenge, error) { return s.BeginPasskey(ctx) })

	add := stepUp(identity.Route("POST", "/passkeys", "add-passkey", "Add a passkey"))
	add.Status = 201
	api.Handle(a, add, func(ctx context.Context, in *addPasskeyIn) (Passkey, error) {
		return s.AddPasskey(ctx, in.Body.ChallengeID, in.Body.Name, in.Body.Credential)
	})

	api.Handle(a, stepUp(identity.Route("DELETE", "/passkeys/{id}", "drop-passkey", "Remove a passkey")),
		func(ctx context.Context, in *passkeyIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.DropPasskey(ctx, in.ID.UUID)
		})

	options := public(identity.Route("POST", "/passkeys/sign-in/options", "begin-passkey-sign-in", "Get the options for signing in with a passkey"))
	api.Handle(a, showsSecret(options), func(ctx context.Context, _ *struct{}) (PasskeyChallenge, error) {
		return s.BeginPasskeySignIn(ctx)
	})

	signIn := limitGuesses(showsSecret(public(identity.Route("POST", "/passkeys/sign-in", "passkey-sign-in", "Sign in with a passkey"))))
	api.Handle(a, signIn, func(ctx context.Context, in *passkeySignInIn) (identity.SignedIn, error) {
		out, err := s.PasskeySignIn(ctx, in.Body.ChallengeID, in.Body.Credential,
			api.HostSlug(ctx), identity.DeviceOf(ctx, in.Body.DeviceName))
		if err == nil {
			out.SetCookie(ctx, a)
		}
		return out, err
	})
}
