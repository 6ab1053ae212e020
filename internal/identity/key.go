package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Environments of an API key. Actions of a test key have no live side effects.
const (
	EnvLive = "live"
	EnvTest = "test"
)

// maxKeys is the maximum number of API keys of a workspace.
const maxKeys = 200

// usedEvery is how often the use of a key is recorded.
const usedEvery = time.Minute

// APIKey is a credential of a program.
type APIKey struct {
	ID          uuid.UUID   `json:"id"`
	Name        string      `json:"name" example:"Order sync"`
	Environment string      `json:"environment" enum:"live,test" example:"live"`
	Scopes      []string    `json:"scopes" nullable:"false" example:"[\"conversations.write\"]"`
	Last4       string      `json:"last4" example:"x7Qd"`
	CreatedBy   *uuid.UUID  `json:"created_by" nullable:"true" doc:"Membership that created the key"`
	CreatedAt   clock.Time  `json:"created_at"`
	ExpiresAt   *clock.Time `json:"expires_at" nullable:"true"`
	LastUsedAt  *clock.Time `json:"last_used_at" nullable:"true" doc:"Accurate to the minute"`
	RotatedAt   *clock.Time `json:"rotated_at" nullable:"true"`
}

// ShownKey is a key with its secret, which is shown once.
type ShownKey struct {
	APIKey
	Key string `json:"key" example:"key_live_…" doc:"Shown only in this response"`
}

// KeyChange is a change of a key; nil fields stay unchanged.
type KeyChange struct {
	Name      *string
	Scopes    []string
	ExpiresAt *clock.Time
}
