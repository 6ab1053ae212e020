package mail

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/mail/dlp"
)

// The states of an incident.
const (
	IncidentOpen          = "open"
	IncidentReleased      = "released"
	IncidentRejected      = "rejected"
	IncidentFalsePositive = "false_positive" // released because the rule was wrong
)

// Match is the number of times a rule matched in one place.
type Match struct {
	RuleID        uuid.UUID `json:"rule_id" format:"uuid"`
	PatternType   string    `json:"pattern_type" example:"credit_card"`
	Where         string    `json:"where" example:"body" doc:"subject, body or attachment:<name>"`
	Count         int       `json:"count" example:"1"`
	SamplesMasked []string  `json:"samples_masked" nullable:"false" example:"[\"************1111\"]"`
	// SampleHashes are stored for comparing incidents and never shown.
	SampleHashes []string `json:"-"`
}

// Unscanned is a part that could not be scanned.
type Unscanned struct {
	Where  string `json:"where" example:"attachment:rapor.zip"`
	Reason string `json:"reason" enum:"encrypted,damaged,unsupported,too_large,too_deep,too_many_parts,compression_ratio,time_limit,unreadable" example:"encrypted"`
}

// Incident is a message that matched a rule, or that could not be scanned.
type Incident struct {
	ID            uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	At            clock.Time  `json:"at"`
	Source        string      `json:"source" enum:"crm,smtp" example:"crm" doc:"Where it was sent from: the inbox, or a mailbox's mail program"`
	Direction     string      `json:"direction" enum:"outbound" example:"outbound"`
	QueueRef      string      `json:"queue_ref" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4d" doc:"Id of the message in the sending queue; empty if it was refused before it was saved"`
	MessageID     string      `json:"message_id" example:"<a1b2@kaya.example>"`
	Sender        string      `json:"sender" example:"destek@kaya.example"`
	Recipients    []string    `json:"recipients" nullable:"false" example:"[\"elif@example.com\"]"`
	SubjectMasked string      `json:"subject_masked" example:"Kart ████████████████"`
	Size          int64       `json:"size" example:"2048" doc:"Size in bytes"`
	SHA256        string      `json:"sha256" example:"" doc:"Hash of the mail, in hex; empty if it was refused before it was saved"`
	Matches       []Match     `json:"matches" nullable:"false"`
	Unscanned     []Unscanned `json:"unscanned" nullable:"false" doc:"Parts that could not be scanned"`
	ActionTaken   string      `json:"action_taken" enum:"block,quarantine,redact,warn,notify,log" example:"quarantine"`
	Severity      string      `json:"severity" enum:"low,medium,high" example:"high"`
	Status        string      `json:"status" enum:"open,released,rejected,false_positive" example:"open"`
	Note          string      `json:"note" example:"The customer asked for it" doc:"Reason given when sending it or in the review"`
	CreatedBy     *uuid.UUID  `json:"created_by" nullable:"true" format:"uuid" doc:"Member who wrote the message"`
	ReviewedBy    *uuid.UUID  `json:"reviewed_by" nullable:"true" format:"uuid"`
	ReviewedAt    *clock.Time `json:"reviewed_at" nullable:"true"`

	ref string
	// job is the job that holds the mail in quarantine, nil for a mail of the mail server.
	job *uuid.UUID
}

// storedMatch is a match as stored in the database.
type storedMatch struct {
	Match
	Hashes []string `json:"hashes"`
}

// applyReport copies the findings of a scan to an incident and decides on the action. Rules
// that apply only to external mail are skipped if external is false. It returns false if no
// action is left.
func (i *Incident) applyReport(rules []Rule, r dlp.Report, external bool) bool {
	i.Matches, i.Unscanned, i.ActionTaken, i.Severity = []Match{}, []Unscanned{}, "", severities[0]
	for _, m := range r.Matches {
		n := slices.IndexFunc(rules, func(r Rule) bool { return r.ID.String() == m.RuleID })
		if n < 0 || rules[n].Options.Scope == ScopeExternal && !external {
			continue
		}
		out := Match{RuleID: rules[n].ID, PatternType: m.Type, Where: m.Where, Count: m.Count, SamplesMasked: []string{}}
		for _, s := range m.Samples {
			out.SamplesMasked = append(out.SamplesMasked, s.Masked)
			out.SampleHashes = append(out.SampleHashes, s.Hash)
		}
		i.Matches = append(i.Matches, out)
		if isStricter(rules[n].Action, i.ActionTaken) {
			i.ActionTaken = rules[n].Action
		}
		if slices.Index(severities, rules[n].Severity) > slices.Index(severities, i.Severity) {
			i.Severity = rules[n].Severity
		}
	}
	for _, u := range r.Unscanned {
		i.Unscanned = append(i.Unscanned, Unscanned(u))
	}
	if len(i.Unscanned) > 0 && isStricter(ActionQuarantine, i.ActionTaken) {
		i.ActionTaken = ActionQuarantine
	}
	return i.ActionTaken != ""
}

// reason returns the pattern type of the match whose rule decided the action, or
// "unscanned" if no rule did.
func (i *Incident) reason(rules []Rule) string {
	for _, m := range i.Matches {
		for _, r := range rules {
			if r.ID == m.RuleID && r.Action == i.ActionTaken {
				return m.PatternType
			}
		}
	}
	return "unscanned"
}

// matches returns the incident's matches as the fault shows them.
func (i *Incident) matches() []fault.Match {
	return each.Map(i.Matches, func(m Match) fault.Match {
		return fault.Match{PatternType: m.PatternType, SamplesMasked: m.SamplesMasked}
	})
}

// The refs of incidents: the mail's own ref for findings in the whole mail, with a prefix
// for findings in its text before that.
const (
	textRef    = "text:"
	refusedRef = "refused:"
)

// showRef sets the ref that the API shows.
func (i *Incident) showRef() {
	switch {
	case strings.HasPrefix(i.ref, refusedRef):
		i.QueueRef = ""
	default:
		i.QueueRef = strings.TrimPrefix(i.ref, textRef)
	}
}
