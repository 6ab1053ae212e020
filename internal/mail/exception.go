package mail

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Exception is an address that DLP does not scan.
type Exception struct {
	ID        uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Email     string     `json:"email" example:"auditor@example.com"`
	Note      string     `json:"note" example:"External auditor, until the end of the year"`
	CreatedBy *uuid.UUID `json:"created_by" nullable:"true" format:"uuid" doc:"Member who added it"`
	CreatedAt clock.Time `json:"created_at"`
}
