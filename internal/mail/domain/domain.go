package domain

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// The states of a domain.
const (
	// Pending: the workspace has not yet proved that it owns the domain.
	Pending = "pending"
	// Verifying: the workspace owns the domain, but mandatory records are missing.
	Verifying = "verifying"
	// Active: all mandatory records are present.
	Active = "active"
	// Degraded: the domain was active, but mandatory records are now missing or wrong.
	Degraded = "degraded"
	// Suspended: the workspace owned the domain, but the ownership record is gone.
	Suspended = "suspended"
)

// RoutingEmbedded means that this installation receives and sends the domain's mail itself.
const RoutingEmbedded = "embedded"

// ProblemTaken means that another workspace has proved that it owns the domain.
const ProblemTaken = "domain_taken"

// maxDomains is the maximum number of domains of a workspace.
const maxDomains = 100

// Domain is a mail domain of a workspace.
type Domain struct {
	ID       uuid.UUID `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Domain   string    `json:"domain" example:"xn--rnek-4qa.com" doc:"Domain name as in DNS (ASCII)"`
	Display  string    `json:"display" example:"örnek.com" doc:"Domain name for display"`
	Selector string    `json:"selector" example:"s202611" doc:"DKIM selector; the records are at this name followed by r (RSA) and e (Ed25519)"`
	// New keys are used for signing once their record has been seen; until then the current
	// ones are.
	NextSelector string      `json:"next_selector" example:"" doc:"Selector of new DKIM keys that wait for their records. Mail is signed with them once the RSA record is found, and with those at selector until then. Empty if none wait"`
	OldSelector  string      `json:"old_selector" example:"" doc:"Selector of the previous DKIM keys, for a month after the new ones took over. Otherwise empty"`
	OldUntil     *clock.Time `json:"old_until" nullable:"true" doc:"Until when mail signed with the previous keys can still be in transit; after that their records can be removed"`

	Routing    string      `json:"routing" enum:"embedded" example:"embedded"`
	State      string      `json:"state" enum:"pending,verifying,active,degraded,suspended" example:"active" doc:"pending: the ownership record has not been found yet. verifying: mandatory records are missing. active: all are present. degraded: two checks found some missing. suspended: the ownership record is gone"`
	Problem    string      `json:"problem" enum:",domain_taken" example:"" doc:"domain_taken: another workspace has verified ownership of the domain"`
	CheckedAt  *clock.Time `json:"checked_at" nullable:"true" doc:"When its DNS records were last checked"`
	VerifiedAt *clock.Time `json:"verified_at" nullable:"true" doc:"When it first became active"`
	CreatedAt  clock.Time  `json:"created_at"`
}

// row is a domain as stored.
type row struct {
	Domain
	keys    publicKeys
	next    publicKeys        // at NextSelector
	results map[string]Result // by purpose
	// rounds counts the scheduled rounds in the current state. bad counts consecutive
	// rounds that found a mandatory record missing or wrong, lost those that found no
	// ownership record.
	rounds, bad, lost int
	stateAt           clock.Time
}

// Mail signed with old keys may wait in queues for up to keysNeeded; the selector of old
// keys is shown for keysShown.
const (
	keysNeeded = 7 * 24 * time.Hour
	keysShown  = 30 * 24 * time.Hour
)

// allKeys returns the current keys and the waiting ones.
func (d *row) allKeys() [2]publicKeys { return [2]publicKeys{d.keys, d.next} }

// takeNext makes the waiting keys the current ones.
func (d *row) takeNext(now time.Time) {
	d.OldSelector, d.OldUntil = d.Selector, clock.Ptr(now.Add(keysNeeded))
	d.Selector, d.keys = d.NextSelector, d.next
	d.NextSelector, d.next = "", publicKeys{}
	d.results[purposeRSA], d.results[purposeEd25519] = d.results[purposeNextRSA], d.results[purposeNextEd25519]
	delete(d.results, purposeNextRSA)
	delete(d.results, purposeNextEd25519)
}

// owned reports whether the workspace has proved that it owns the domain.
func (d *row) owned() bool { return d.State == Verifying || d.State == Active || d.State == Degraded }

// Details is a domain with its records.
type Details struct {
	Domain   Domain   `json:"domain"`
	Records  []Record `json:"records" nullable:"false"`
	ZoneFile string   `json:"zone_file" example:"$ORIGIN example.com.\n$TTL 300\n@ IN MX 10 mail.konak.example.\n" doc:"All records as a zone file"`
}
