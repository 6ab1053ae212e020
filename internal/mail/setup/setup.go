// Package setup guides a workspace through the setup of its mail.
//
// Invariants:
//   - Steps that can be detected (a domain, its records, mailboxes) are detected and
//     cannot be marked. A person marks the others.
//   - The setup can be completed only while every mandatory step is done.
//   - Dismissing hides the setup and changes nothing else.
package setup

import (
	"slices"

	"konak/internal/kit/clock"
	"konak/internal/mail/domain"
)

// The steps, in their order.
const (
	StepDomain      = "domain"
	StepOwnership   = "ownership"
	StepMX          = "mx"
	StepAuthRecords = "auth_records"
	StepMailboxes   = "mailboxes"
	StepMigration   = "migration"
	StepPolicies    = "policies"
	StepTestMail    = "test_mail"
)

// The statuses of a step.
const (
	StepPending = "pending"
	StepDone    = "done"
	StepSkipped = "skipped"
)

// Setup is a workspace's setup progress.
type Setup struct {
	Dismissed   bool        `json:"dismissed" doc:"Whether the setup is hidden in the panel"`
	CompletedAt *clock.Time `json:"completed_at" nullable:"true"`
	Steps       []Step      `json:"steps" nullable:"false"`
}

// Step is one step of the setup.
type Step struct {
	Key      string `json:"key" enum:"domain,ownership,mx,auth_records,mailboxes,migration,policies,test_mail" example:"mx"`
	Status   string `json:"status" enum:"pending,done,skipped" example:"done"`
	Required bool   `json:"required" doc:"Whether the step is required to complete the setup. Konak detects required steps; the others are marked by a person"`
	Detail   string `json:"detail" example:"kaya.example" doc:"Detail of the step: the domain, or the number of mailboxes"`
}

// stored is the setup state stored for a workspace.
type stored struct {
	dismissed   bool
	completedAt *clock.Time
	marks       map[string]string
}

// optional lists the steps that a person marks.
var optional = []string{StepMigration, StepPolicies, StepTestMail}

// build returns the setup that results from the stored state and the detected progress.
func (s stored) build(seen domain.Progress) Setup {
	out := Setup{Dismissed: s.dismissed, CompletedAt: s.completedAt}
	add := func(key string, done bool, detail string) {
		status := StepPending
		if done {
			status = StepDone
		}
		out.Steps = append(out.Steps, Step{Key: key, Status: status, Required: true, Detail: detail})
	}
	add(StepDomain, seen.Domain != "", seen.Domain)
	add(StepOwnership, seen.Owned, seen.Domain)
	add(StepMX, seen.MX, seen.Domain)
	add(StepAuthRecords, seen.AuthRecords, seen.Domain)
	add(StepMailboxes, seen.Mailboxes > 0, "")
	for _, key := range optional {
		status := StepPending
		if mark, ok := s.marks[key]; ok {
			status = mark
		}
		out.Steps = append(out.Steps, Step{Key: key, Status: status})
	}
	return out
}

// open returns the first mandatory step that is not done, "" for none.
func (s Setup) open() string {
	i := slices.IndexFunc(s.Steps, func(x Step) bool { return x.Required && x.Status != StepDone })
	if i < 0 {
		return ""
	}
	return s.Steps[i].Key
}
