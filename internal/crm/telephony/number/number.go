package number

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// The states of a number.
const (
	StatusPending   = "pending" // bought, but the provider has not answered yet
	StatusActive    = "active"
	StatusSuspended = "suspended" // its fee could not be paid
	StatusReleased  = "released"
)

// The reasons why a number is not active.
const (
	errorRefused  = "refused"
	errorNoCredit = "no_credit"
	errorSilent   = "provider_unavailable"
)

// Number is a phone number of a workspace.
type Number struct {
	ID           uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	E164         string      `json:"e164" example:"+902125550101"`
	Label        string      `json:"label" example:"Destek hattı"`
	Type         string      `json:"type" enum:"local,mobile,toll_free" example:"local"`
	Capabilities []string    `json:"capabilities" nullable:"false" example:"voice"`
	Status       string      `json:"status" enum:"pending,active,suspended,released" example:"active" doc:"pending: the provider has not answered yet; suspended: the fee could not be paid, and the number is released after 30 days"`
	IsDefault    bool        `json:"is_default" doc:"Whether calls show it if no other number is chosen"`
	MonthlyFee   int64       `json:"monthly_fee_micros" example:"50000000" doc:"In millionths of the wallet's currency"`
	RenewsAt     *clock.Time `json:"renews_at" nullable:"true" doc:"When the next fee is due"`
	LastError    string      `json:"last_error" enum:",refused,no_credit,provider_unavailable" example:"" doc:"Why the number is not active"`
	CreatedAt    clock.Time  `json:"created_at"`

	providerID string
}

// renewed returns the number after its fee was paid. The next month begins when the last
// one ended, or now if the number was suspended.
func (n Number) renewed(now time.Time) Number {
	from := now
	if n.Status == StatusActive && n.RenewsAt != nil {
		from = n.RenewsAt.Time
	}
	next := clock.At(from.AddDate(0, 1, 0))
	n.Status, n.LastError, n.RenewsAt = StatusActive, "", &next
	return n
}

// Offer is a number that can be bought.
type Offer struct {
	E164         string   `json:"e164" example:"+902125550101"`
	Type         string   `json:"type" enum:"local,mobile,toll_free" example:"local"`
	Locality     string   `json:"locality" example:"İstanbul"`
	Capabilities []string `json:"capabilities" nullable:"false" example:"voice"`
	MonthlyFee   int64    `json:"monthly_fee_micros" example:"50000000" doc:"In millionths of the wallet's currency"`
}

// Search holds the criteria of a search for numbers.
type Search struct {
	Country  string // two letters
	Type     string
	Contains string // digits
}

// Provider rents numbers to the operator.
type Provider interface {
	// Available lists some numbers that can be bought.
	Available(ctx context.Context, s Search) ([]Offer, error)
	// Find looks for a number among those that the operator rents. It returns nil if it is
	// not one of them.
	Find(ctx context.Context, e164 string) (*Rented, error)
	// Buy rents a number under a name. It returns *Refusal if the provider refuses.
	Buy(ctx context.Context, e164, name string) (Rented, error)
	// Release gives a number back; a number that the provider does not know counts as given
	// back.
	Release(ctx context.Context, providerID string) error
}

// Rented is a number that the operator rents from the provider.
type Rented struct {
	ProviderID   string
	Name         string
	Type         string // "" if the provider does not say
	Capabilities []string
}

// Refusal is the error when the provider refuses.
type Refusal struct {
	Code    int
	Message string
}

// Error implements error.
func (r *Refusal) Error() string { return "the provider refused: " + r.Message }
