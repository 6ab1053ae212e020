package mail

import (
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/each"
	"konak/internal/mail/dlp"
)

// The actions of a rule, strictest first.
const (
	ActionBlock      = "block"      // refuse the message
	ActionQuarantine = "quarantine" // hold it until somebody reviews it
	ActionRedact     = "redact"     // mask the matches
	ActionWarn       = "warn"       // send it if a reason is given
	ActionNotify     = "notify"     // send it, and emit an event
	ActionLog        = "log"        // send it, and record an incident
)

// actions lists the actions, strictest first.
var actions = []string{ActionBlock, ActionQuarantine, ActionRedact, ActionWarn, ActionNotify, ActionLog}

// isStricter reports whether action a overrides b; any action overrides none.
func isStricter(a, b string) bool {
	return b == "" || slices.Index(actions, a) < slices.Index(actions, b)
}

// severities lists the severities, lowest first.
var severities = []string{"low", "medium", "high"}

// ScopeExternal limits a rule to mail with a recipient outside the sender's domain.
const ScopeExternal = "external"

// maxRules is the maximum number of rules of a workspace.
const maxRules = 500

// RuleOptions narrow a rule.
type RuleOptions struct {
	MinCount       int      `json:"min_count" required:"false" minimum:"1" maximum:"1000" default:"1" example:"1" doc:"Minimum number of matches in the message"`
	ProximityWords []string `json:"proximity_words" required:"false" maxItems:"50" nullable:"false" example:"[\"kart\"]" doc:"Count a match only within 300 characters of one of these words"`
	Scope          string   `json:"scope" required:"false" enum:"any,external" default:"any" doc:"external checks only mail with a recipient outside the sender's domain"`
	Fields         []string `json:"fields" required:"false" maxItems:"3" enum:"subject,body,attachment" nullable:"false" doc:"Parts of the message to check; empty means all"`
}

// Rule defines what must not leave the company, and the action if somebody tries to send
// it.
type Rule struct {
	ID          uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Name        string      `json:"name" example:"Card numbers"`
	PatternType string      `json:"pattern_type" enum:"keyword,regex,credit_card,iban,tckn,vkn,phone,email,attachment_type" example:"credit_card"`
	Pattern     string      `json:"pattern" example:""`
	Options     RuleOptions `json:"options"`
	Action      string      `json:"action" enum:"block,quarantine,redact,warn,notify,log" example:"block"`
	Severity    string      `json:"severity" enum:"low,medium,high" example:"high"`
	Enabled     bool        `json:"enabled" example:"true"`
	Hits30d     int64       `json:"hits_30d" example:"3" doc:"Incidents in the last 30 days in which the rule matched"`
	CreatedBy   *uuid.UUID  `json:"created_by" nullable:"true" format:"uuid" doc:"Member who added it"`
	CreatedAt   clock.Time  `json:"created_at"`
}

// compileRules builds a scanner from rules.
func compileRules(rules []Rule, key []byte) (*dlp.Scanner, error) {
	return dlp.Compile(each.Map(rules, func(r Rule) dlp.Rule {
		return dlp.Rule{
			ID: r.ID.String(), Type: r.PatternType, Pattern: r.Pattern, MinCount: r.Options.MinCount,
			Words: r.Options.ProximityWords, Fields: r.Options.Fields,
		}
	}), key)
}
