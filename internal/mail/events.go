package mail

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Event names.
const (
	ExceptionCreated = "dlp.exception.created"
	ExceptionDeleted = "dlp.exception.deleted"
)

// Events lists what this module announces.
func Events() event.Catalog {
	example := Exception{
		ID: uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), Email: "auditor@example.com",
		CreatedAt: clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)),
	}
	return event.Catalog{
		{Name: ExceptionCreated, Module: "mail", Permission: perm.DLPView, Description: "An address was exempted from DLP.", Turkish: "Bir adres DLP denetiminden muaf tutuldu.", Example: example},
		{Name: ExceptionDeleted, Module: "mail", Permission: perm.DLPView, Description: "A DLP exception was deleted.", Turkish: "Bir DLP istisnası silindi.", Example: example},
	}
}
