package wallet

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Micro is the number of millionths in a unit of the currency.
const Micro = 1_000_000

// lowThreshold is the available credit below which a wallet is announced as low.
const lowThreshold = 50 * Micro

// Wallet is the credit of a workspace.
type Wallet struct {
	ID           uuid.UUID `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"The workspace's id; each workspace has one wallet"`
	Currency     string    `json:"currency" example:"TRY"`
	Balance      int64     `json:"balance_micros" example:"125000000" doc:"Total credit, in millionths of the currency unit like all amounts here"`
	Held         int64     `json:"held_micros" example:"5000000" doc:"Credit reserved for something in progress"`
	Available    int64     `json:"available_micros" example:"120000000" doc:"Credit that can be spent"`
	LowThreshold int64     `json:"low_threshold_micros" example:"50000000" doc:"Below this, Konak sends wallet.low"`
	HasBuyer     bool      `json:"has_buyer" doc:"Whether a top-up can leave out the buyer because one was given before"`
}

// The kinds of entries.
const (
	kindTopUp   = "topup"
	kindHold    = "hold"
	kindSettle  = "settle"
	kindRelease = "release"
	kindAdjust  = "adjustment"
)

// The accounts of the ledger. Revenue has one account per purpose, clearing one per bank.
const (
	accountAvailable = "available"
	accountHeld      = "held"
	accountRevenue   = "revenue:"
	accountClearing  = "clearing:"
	accountAdjust    = "adjustment"
)

// posting is a change of one account.
type posting struct {
	account string
	amount  int64
}

// Entry is a line of the ledger, as the workspace sees it.
type Entry struct {
	ID        uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Kind      string     `json:"kind" enum:"topup,hold,settle,release,adjustment" example:"settle" doc:"settle: reserved credit is spent, and the rest is available again; adjustment: the operator added or removed credit"`
	Purpose   string     `json:"purpose" enum:"card,numbers,speech,calls,operator" example:"numbers"`
	Ref       uuid.UUID  `json:"ref" format:"uuid" doc:"The top-up, or what the credit was reserved for"`
	CallID    *uuid.UUID `json:"call_id" nullable:"true" format:"uuid" doc:"The call the credit was reserved for; null for anything else"`
	Available int64      `json:"available_micros" example:"-50000000" doc:"Change of the available credit"`
	Held      int64      `json:"held_micros" example:"50000000" doc:"Change of the reserved credit"`
	At        clock.Time `json:"at"`
}

// The purposes for which credit is spent.
const (
	PurposeNumbers = "numbers"
	PurposeSpeech  = "speech"
	PurposeCalls   = "calls"
)

// The purposes of entries that add credit.
const (
	purposeCard     = "card"
	purposeOperator = "operator"
)
