package mail

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// The kinds of privacy requests.
const (
	RequestExport  = "export"
	RequestErasure = "erasure"
)

// The states of a privacy request.
const (
	RequestReceived  = "received"
	RequestCompleted = "completed"
	RequestRejected  = "rejected"
)

// requestTime is the legal time limit for a request (KVKK article 13, GDPR article 12).
const requestTime = 30 * 24 * time.Hour

// PrivacyRequest is a person's request for their data or for its erasure. Somebody carries
// it out by hand and then marks it as done.
type PrivacyRequest struct {
	ID          uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Kind        string      `json:"kind" enum:"export,erasure" example:"erasure"`
	Mailbox     string      `json:"mailbox" example:"elif@example.com" doc:"E-mail address that the request is about; empty after a completed erasure"`
	State       string      `json:"state" enum:"received,completed,rejected" example:"received"`
	Note        string      `json:"note" example:"Asked by telephone"`
	DueAt       clock.Time  `json:"due_at" doc:"30 days after the request was created"`
	RequestedBy *uuid.UUID  `json:"requested_by" nullable:"true" format:"uuid" doc:"Member who created the request"`
	CreatedAt   clock.Time  `json:"created_at"`
	ClosedAt    *clock.Time `json:"closed_at" nullable:"true"`
}

// withoutPerson returns the request as events carry it, without personal data: receivers
// keep events after an erasure.
func (q PrivacyRequest) withoutPerson() PrivacyRequest {
	q.Mailbox, q.Note = "", ""
	return q
}
