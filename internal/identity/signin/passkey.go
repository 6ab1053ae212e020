package signin

import (
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/clock"
)

// Passkey is a WebAuthn credential that opens an account.
type Passkey struct {
	ID         uuid.UUID   `json:"id"`
	Name       string      `json:"name" example:"Phone"`
	Synced     bool        `json:"synced" doc:"Whether it is synced to the person's other devices"`
	LastUsedAt *clock.Time `json:"last_used_at" nullable:"true"`
	CreatedAt  clock.Time  `json:"created_at"`
}

// PasskeyChallenge is what a browser needs to create or show a passkey.
type PasskeyChallenge struct {
	ID      uuid.UUID `json:"challenge_id" doc:"Send it back with the browser's response within five minutes"`
	Options any       `json:"options" doc:"Options for navigator.credentials.create or get, as JSON"`
}

// passkeyOwner is a person in the form that the WebAuthn library needs.
type passkeyOwner struct {
	user        identity.User
	credentials []webauthn.Credential
}

// WebAuthnID implements webauthn.User. The person's id identifies them and reveals nothing
// about them.
func (o *passkeyOwner) WebAuthnID() []byte { return o.user.ID[:] }

// WebAuthnName implements webauthn.User.
func (o *passkeyOwner) WebAuthnName() string { return o.user.Email }

// WebAuthnDisplayName implements webauthn.User.
func (o *passkeyOwner) WebAuthnDisplayName() string { return o.user.Name }

// WebAuthnCredentials implements webauthn.User.
func (o *passkeyOwner) WebAuthnCredentials() []webauthn.Credential { return o.credentials }

// relyingParty is this installation as authenticators know it. Passkeys are bound to the
// bare domain, so they also work on its subdomains.
func (s *Service) relyingParty(origins ...string) (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{
		RPID: s.cfg.Domain, RPDisplayName: "Konak", RPOrigins: append([]string{s.cfg.BaseURL}, origins...),
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
}
