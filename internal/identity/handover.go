package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// handoverFor is how long a browser may take from one host to the other.
const handoverFor = time.Minute

// Handover is a code that takes a session to the host of another workspace,
// where the cookie of this one does not reach.
type Handover struct {
	Code      string     `json:"code" example:"hov_…" doc:"Shown once; pass it to the page on the other host"`
	Workspace Workspace  `json:"workspace"`
	ExpiresAt clock.Time `json:"expires_at"`
}

// crossing is a session on its way.
type crossing struct {
	session, workspace uuid.UUID
	slug, ip           string
}
