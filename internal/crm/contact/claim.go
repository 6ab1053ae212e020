package contact

import (
	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Kinds of claims.
const (
	ClaimEmail = "email"
	ClaimPhone = "phone"
)

// ProofAgent means that an agent of the workspace checked a claim.
const ProofAgent = "agent"

// maxClaims is the maximum number of claims stored for a contact; what a visitor types
// after that is not recorded.
const maxClaims = 20

// Claim is an address or number that an unverified person gave as theirs. Until it is
// proven it is only shown: replies, look-ups and consents do not use it.
type Claim struct {
	ID       uuid.UUID                `json:"id" format:"uuid"`
	Kind     string                   `json:"kind" enum:"email,phone"`
	Value    string                   `json:"value" example:"elif@kayamobilya.example"`
	Source   string                   `json:"source" example:"widget" doc:"Channel on which the claim was made"`
	At       clock.Time               `json:"at"`
	Proof    *string                  `json:"proof" nullable:"true" enum:"agent" doc:"How the claim was proven; null while it is not"`
	ProvenAt *clock.Time              `json:"proven_at" nullable:"true"`
	ProvenBy *uuid.UUID               `json:"proven_by" nullable:"true" format:"uuid"`
	Match    api.Nullable[ClaimMatch] `json:"match" doc:"Contact that has this address or number, while the claim is not proven; only when a single contact is read"`

	key string
}

// ClaimMatch is the contact that an unproven claim would lead to.
type ClaimMatch struct {
	ID   uuid.UUID `json:"id" format:"uuid"`
	Name string    `json:"name" example:"Elif Kaya"`
}

// claims returns the address and number that an unproven sender gave.
func (from *Sender) claims() []Claim {
	var out []Claim
	if e, ok := address.ParseEmail(from.Email); ok {
		out = append(out, Claim{Kind: ClaimEmail, Value: e.Address, Source: from.Channel, key: e.Key})
	}
	if n, ok := address.ParsePhone(from.Phone); ok {
		out = append(out, Claim{Kind: ClaimPhone, Value: n, Source: from.Channel, key: n})
	}
	return out
}
