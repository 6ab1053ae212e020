package wallet

import (
	"github.com/google/uuid"

	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Low is announced when the available credit falls below the threshold.
const Low = "wallet.low"

// Events returns the events that this package announces.
func Events() event.Catalog {
	return event.Catalog{{
		Name: Low, Module: licence, Permission: perm.WalletView,
		Description: "The available call credit fell below the threshold.",
		Turkish:     "Kullanılabilir arama kredisi eşiğin altına düştü.",
		Example:     Wallet{ID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), Currency: "TRY", Balance: 45 * Micro, Held: 5 * Micro, Available: 40 * Micro, LowThreshold: lowThreshold},
	}}
}
