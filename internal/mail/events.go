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
	RuleCreated      = "dlp.rule.created"
	RuleUpdated      = "dlp.rule.updated"
	RuleDeleted      = "dlp.rule.deleted"
	IncidentCreated  = "dlp.incident.created"
	IncidentReviewed = "dlp.incident.reviewed"
	RequestCreated   = "gdpr.request.created"
	RequestClosed    = "gdpr.request.closed"
)

// Events lists the events that this module emits.
func Events() event.Catalog {
	id, at := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"), clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	exception := Exception{ID: id, Email: "auditor@example.com", CreatedAt: at}
	rule := Rule{
		ID: id, Name: "Card numbers", PatternType: "credit_card", Action: ActionBlock, Severity: "high", Enabled: true, CreatedAt: at,
		Options: RuleOptions{MinCount: 1, Scope: "any", ProximityWords: []string{}, Fields: []string{}},
	}
	incident := Incident{
		ID: id, At: at, Source: "crm", Direction: "outbound", QueueRef: id.String(), Sender: "destek@kaya.example", Recipients: []string{"elif@example.com"},
		SubjectMasked: "Sipariş", Size: 2048, ActionTaken: ActionQuarantine, Severity: "high", Status: IncidentOpen, Unscanned: []Unscanned{},
		Matches: []Match{{RuleID: id, PatternType: "credit_card", Where: "body", Count: 1, SamplesMasked: []string{"************1111"}}},
	}
	reviewed := incident
	reviewed.Status = IncidentReleased
	request := PrivacyRequest{ID: id, Kind: RequestErasure, State: RequestReceived, DueAt: at, CreatedAt: at}
	closed := request
	closed.State, closed.ClosedAt = RequestCompleted, &at
	return event.Catalog{
		{Name: RequestCreated, Module: "mail", Permission: perm.PrivacyView, Description: "Someone asked for their data or its erasure.", Turkish: "Biri verilerini ya da silinmelerini istedi.", Example: request},
		{Name: RequestClosed, Module: "mail", Permission: perm.PrivacyView, Description: "A privacy request was completed or rejected.", Turkish: "Bir kişisel veri talebi tamamlandı ya da reddedildi.", Example: closed},
		{Name: ExceptionCreated, Module: "mail", Permission: perm.DLPView, Description: "An address was exempted from DLP.", Turkish: "Bir adres DLP denetiminden muaf tutuldu.", Example: exception},
		{Name: ExceptionDeleted, Module: "mail", Permission: perm.DLPView, Description: "A DLP exception was deleted.", Turkish: "Bir DLP istisnası silindi.", Example: exception},
		{Name: RuleCreated, Module: "mail", Permission: perm.DLPView, Description: "A DLP rule was added.", Turkish: "Bir DLP kuralı eklendi.", Example: rule},
		{Name: RuleUpdated, Module: "mail", Permission: perm.DLPView, Description: "A DLP rule was turned on or off.", Turkish: "Bir DLP kuralı açıldı ya da kapatıldı.", Example: rule},
		{Name: RuleDeleted, Module: "mail", Permission: perm.DLPView, Description: "A DLP rule was deleted.", Turkish: "Bir DLP kuralı silindi.", Example: rule},
		{Name: IncidentCreated, Module: "mail", Permission: perm.DLPView, Description: "A message matched a DLP rule, or could not be scanned.", Turkish: "Bir ileti bir DLP kuralına takıldı ya da taranamadı.", Example: incident},
		{Name: IncidentReviewed, Module: "mail", Permission: perm.DLPView, Description: "A mail in quarantine was reviewed.", Turkish: "Karantinadaki bir posta için karar verildi.", Example: reviewed},
	}
}
