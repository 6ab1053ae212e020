// Package password hashes passwords and judges how easily they are guessed.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Cost is how much memory and time one guess of a password takes.
type Cost struct {
	Memory uint32 // KiB
	Time   uint32
}

// productCost is Argon2id as OWASP recommends it: 19 MiB, two passes.
var productCost = Cost{Memory: 19456, Time: 2}

const (
	argonLanes = 1
	argonKey   = 32
)

// Hasher creates and verifies password hashes. It limits how many run at once, so that a
// flood of sign-ins cannot take the machine's memory and cores.
type Hasher struct {
	cost  Cost
	slots chan struct{}
	dummy string
}

// NewHasher returns a hasher. A zero cost means productCost.
func NewHasher(cost Cost) *Hasher {
	if cost == (Cost{}) {
		cost = productCost
	}
	zero := make([]byte, argonKey)
	return &Hasher{cost: cost, slots: make(chan struct{}, runtime.NumCPU()), dummy: cost.encode(zero[:16], zero)}
}

func (c Cost) encode(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Time, argonLanes,
		b64.EncodeToString(salt), b64.EncodeToString(key))
}

func (h *Hasher) enter(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Dummy returns a hash that no password matches. It is verified for unknown
// accounts, so that they take as long as known ones.
func (h *Hasher) Dummy() string { return h.dummy }

// Hash returns the encoded Argon2id hash of a password. It waits for its turn
// and returns the context's error if that ends first.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer func() { <-h.slots }()
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	return h.cost.encode(salt, argon2.IDKey([]byte(password), salt, h.cost.Time, h.cost.Memory, argonLanes, argonKey)), nil
}

// Verify reports whether a password matches an encoded hash. It waits for its turn as Hash
// does, and returns an error for a hash of an unknown format.
func (h *Hasher) Verify(ctx context.Context, encoded, password string) (bool, error) {
	var version, memory, time uint32
	var lanes uint8
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("password: unknown format")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time, &lanes); err != nil {
		return false, fmt.Errorf("password: format: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("password: salt: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("password: key: %w", err)
	}
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer func() { <-h.slots }()
	got := argon2.IDKey([]byte(password), salt, time, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
