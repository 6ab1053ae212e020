package channel

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// StatusChanged is announced when an account is created and whenever its status or the
// reason for it changes.
const StatusChanged = "channel.status_changed"

// Events lists the events that this module announces.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	return event.Catalog{{
		Name: StatusChanged, Module: "crm", Permission: perm.ChannelsView,
		Description: "A channel account was connected, paused, disconnected, or needs attention.",
		Turkish:     "Bir kanal hesabı bağlandı, duraklatıldı, bağlantısı kesildi ya da ilgi bekliyor.",
		Example: Account{
			ID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), Kind: "custom", Name: "Mobil uygulama",
			Status: Active, Settings: json.RawMessage(`{}`), CreatedAt: at, UpdatedAt: at,
		},
		PreviousExample: previous{Status: Paused},
	}}
}

// previous is the status before a change; nil for a new account.
type previous struct {
	Status string  `json:"status"`
	Reason *string `json:"reason"`
}
