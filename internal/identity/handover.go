package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// handoverFor is how long a handover code is valid.
const handoverFor = time.Minute

// Handover is a code that moves a session to the host of another workspace, which this
// host's cookie does not reach.
type Handover struct {
	Code      string     `json:"code" example:"hov_…" doc:"Shown once; pass it to the page on the other host"`
	Workspace Workspace  `json:"workspace"`
	ExpiresAt clock.Time `json:"expires_at"`
}

// crossing is a session that is being handed over.
type crossing struct {
	session, workspace uuid.UUID
	slug, ip           string
}
