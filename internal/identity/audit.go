package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// AuditLine records who changed what.
type AuditLine struct {
	ID      uuid.UUID  `json:"id"`
	At      clock.Time `json:"at"`
	Actor   AuditActor `json:"actor"`
	Action  string     `json:"action" example:"api_key.created"`
	Object  string     `json:"object" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c" doc:"The record that was affected"`
	Details any        `json:"details" doc:"What changed; never contains secrets"`
	IP      string     `json:"ip" example:"203.0.113.7"`
	TraceID string     `json:"trace_id" example:"4bf92f3577b34da6a3ce929d0e0e4736"`
}

// AuditActor identifies who made a change.
type AuditActor struct {
	Kind string     `json:"kind" enum:"agent,contact,bot,system,api_key"`
	ID   *uuid.UUID `json:"id" nullable:"true"`
	Name *string    `json:"name" nullable:"true" example:"Defne Yılmaz"`
}
