package custom

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Submission is a form that somebody filled in.
type Submission struct {
	Form    string         `json:"form" minLength:"1" maxLength:"100" example:"teklif" doc:"Name of the form"`
	ID      string         `json:"submission_id,omitempty" maxLength:"200" example:"sub-2041" doc:"Submission id in your system; a repeated id creates no second submission"`
	Subject string         `json:"subject,omitempty" maxLength:"300" example:"Teklif isteği"`
	Contact Sender         `json:"contact"`
	Message string         `json:"message,omitempty" maxLength:"20000" example:"120 sandalye için fiyat alabilir miyim?"`
	Fields  map[string]any `json:"fields,omitempty" doc:"Other form fields; text, numbers and booleans" example:"{\"adet\":120}"`
}

// Submitted is the result of a submission.
type Submitted struct {
	SubmissionID   uuid.UUID `json:"submission_id" format:"uuid"`
	ConversationID uuid.UUID `json:"conversation_id" format:"uuid" doc:"Conversation of the request"`
	ContactID      uuid.UUID `json:"contact_id" format:"uuid"`
	OpportunityID  uuid.UUID `json:"opportunity_id" format:"uuid"`
	Duplicate      bool      `json:"duplicate" doc:"Whether the submission had been received before; the ids are then those of the first"`
}

// Opportunity is a sales opportunity.
type Opportunity struct {
	ID             uuid.UUID  `json:"id" format:"uuid"`
	Title          string     `json:"title" example:"Teklif isteği"`
	Stage          string     `json:"stage" enum:"new" example:"new"`
	Source         string     `json:"source" example:"teklif" doc:"Form that the opportunity came from"`
	ContactID      uuid.UUID  `json:"contact_id" format:"uuid"`
	ConversationID *uuid.UUID `json:"conversation_id" nullable:"true" format:"uuid"`
	CreatedAt      clock.Time `json:"created_at"`
}

// guardFor is how long equal forms without an id count as one.
const guardFor = 10 * time.Minute

const (
	maxFields     = 200
	maxFieldBytes = 64 << 10
)

// guard returns the key that equal submissions share.
func (s *Submission) guard() string {
	if id := strings.TrimSpace(s.ID); id != "" {
		return "id:" + id
	}
	who := s.Contact.Email
	if e, ok := address.ParseEmail(who); ok {
		who = e.Key
	} else if n, ok := address.ParsePhone(s.Contact.Phone); ok {
		who = n
	}
	// Maps are encoded with sorted keys, so equal fields result in equal text.
	text, err := json.Marshal([]any{s.Form, who, strings.TrimSpace(s.Contact.ExternalID), s.Subject, s.Message, s.Fields})
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	sum := sha256.Sum256(text)
	return "sum:" + hex.EncodeToString(sum[:])
}

// body returns the request as people read it.
func (s *Submission) body() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(s.Message))
	for i, name := range slices.Sorted(maps.Keys(s.Fields)) {
		if i == 0 && b.Len() > 0 {
			b.WriteString("\n")
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %v", name, s.Fields[name])
	}
	if b.Len() == 0 {
		return s.Form
	}
	return b.String()
}

func (s *Submission) title() string {
	return cmp.Or(strings.TrimSpace(s.Subject), s.Form)
}

// checkFields refuses fields that hold lists or records, and fields that are
// too many or too large.
func (s *Submission) checkFields() error {
	text, err := json.Marshal(s.Fields)
	if err != nil || len(s.Fields) > maxFields || len(text) > maxFieldBytes {
		return fault.Invalid("fields", "too_large")
	}
	f := fault.New(fault.ValidationFailed)
	for name, v := range s.Fields {
		if len(name) > 200 {
			return fault.Invalid("fields", "too_large")
		}
		switch v.(type) {
		case nil, string, float64, bool:
		default:
			f.Field("fields."+name, "wrong_type")
		}
	}
	return f.OrNil()
}

// byAddress replaces the sender's id in their own system: a form is matched by e-mail, else
// by phone.
func byAddress(from contact.Sender) contact.Sender {
	if e, ok := address.ParseEmail(from.Email); ok {
		from.ExternalID = e.Key
	} else if n, ok := address.ParsePhone(from.Phone); ok {
		from.ExternalID = n
	}
	return from
}
