package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Endpoint statuses.
const (
	Active   = "active"
	Paused   = "paused"
	Disabled = "disabled"
)

// Endpoint is where events are sent.
type Endpoint struct {
	ID             uuid.UUID  `json:"id" format:"uuid"`
	Address        string     `json:"address" example:"https://example.com/hooks/konak"`
	Description    string     `json:"description" example:"Order system"`
	Events         []string   `json:"events" nullable:"false" example:"[\"conversation.created\"]"`
	Status         string     `json:"status" enum:"active,paused,disabled"`
	DisabledReason *string    `json:"disabled_reason" doc:"Why it was switched off: status code and error text"`
	SecretLast4    string     `json:"secret_last4" example:"q1Y="`
	CreatedAt      clock.Time `json:"created_at"`
}

// Delivery statuses.
const (
	Pending   = "pending"
	Failed    = "failed"
	Exhausted = "exhausted"
	Delivered = "delivered"
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID             uuid.UUID   `json:"id" format:"uuid"`
	EndpointID     uuid.UUID   `json:"endpoint_id" format:"uuid"`
	EventType      string      `json:"event_type" example:"conversation.created"`
	Status         string      `json:"status" enum:"pending,failed,exhausted,delivered"`
	Attempts       int         `json:"attempts" example:"1"`
	LastStatusCode *int        `json:"last_status_code" example:"200"`
	LastError      *string     `json:"last_error"`
	NextAttemptAt  *clock.Time `json:"next_attempt_at" nullable:"true"`
	CreatedAt      clock.Time  `json:"created_at"`
	DeliveredAt    *clock.Time `json:"delivered_at" nullable:"true"`
}

// schedule is the wait after each failed attempt; after the last one the
// delivery is exhausted.
var schedule = []time.Duration{
	5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const secretPrefix = "whsec_"

// NewSecret makes a signing secret.
func NewSecret() string {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Sign is the hex HMAC-SHA256 of the raw body with the whole secret as shown.
func Sign(secret string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

// parseAddress checks what can be checked before the address is resolved.
func parseAddress(raw string, allowHTTP bool) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return "", fault.Invalid("address", "invalid_address")
	case u.Scheme != "https" && (u.Scheme != "http" || !allowHTTP):
		return "", fault.Invalid("address", "https_required")
	case u.User != nil:
		return "", fault.Invalid("address", "credentials_in_address")
	case u.Fragment != "":
		return "", fault.Invalid("address", "invalid_address")
	}
	return u.String(), nil
}
