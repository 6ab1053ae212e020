package assistant

import (
	"cmp"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// When a configuration lets the assistant answer.
const (
	Always       = "always"
	OutsideHours = "outside_hours"
	DuringHours  = "during_hours"
)

// Configuration defines how the assistant behaves on the channels that use it.
type Configuration struct {
	ID         uuid.UUID                   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Name       string                      `json:"name" example:"Satış sonrası asistanı"`
	Active     string                      `json:"active" enum:"always,outside_hours,during_hours" example:"always" doc:"When it answers, based on the channel's business hours"`
	Delay      int                         `json:"delay_s" example:"2" doc:"Seconds between a message and its answer"`
	MaxAnswers int                         `json:"max_answers" example:"5" doc:"Answers per conversation, after which agents take over"`
	Provisions bool                        `json:"provisions" doc:"Whether it also answers from the regulation corpus, if the workspace has the licence advisor"`
	Engine     string                      `json:"engine" enum:"embedded,language_model" example:"embedded" doc:"What answers: the embedded engine, which only quotes, or a language model"`
	Model      api.Nullable[ModelSettings] `json:"model" doc:"The language model; null if the embedded engine answers"`
	CreatedAt  clock.Time                  `json:"created_at"`
	UpdatedAt  clock.Time                  `json:"updated_at"`
}

// Input is the caller's input for a configuration.
type Input struct {
	Name       string      `json:"name" minLength:"1" maxLength:"100" example:"Satış sonrası asistanı"`
	Active     string      `json:"active,omitempty" enum:"always,outside_hours,during_hours" default:"always" example:"always" doc:"When it answers, based on the channel's business hours"`
	Delay      *int        `json:"delay_s,omitempty" minimum:"0" maximum:"60" example:"2" doc:"Seconds between a message and its answer; defaults to 2"`
	MaxAnswers *int        `json:"max_answers,omitempty" minimum:"1" maximum:"20" example:"5" doc:"Answers per conversation, after which agents take over; defaults to 5"`
	Provisions bool        `json:"provisions,omitempty" doc:"Whether it also answers from the regulation corpus, if the workspace has the licence advisor"`
	Model      *ModelInput `json:"model,omitempty" doc:"Language model that answers; without it, the embedded engine does"`
}

// maxConfigurations is the maximum number of configurations of a workspace.
const maxConfigurations = 50

// defaultConfiguration is used on a channel that names none.
func defaultConfiguration() Configuration {
	return Configuration{Name: "Konak", Active: Always, Delay: 2, MaxAnswers: 5, Engine: Embedded}
}

// apply checks the input and copies it into a configuration.
func (in *Input) apply(c *Configuration) error {
	def := defaultConfiguration()
	c.Name, c.Active, c.Delay, c.MaxAnswers = strings.TrimSpace(in.Name), cmp.Or(in.Active, Always), def.Delay, def.MaxAnswers
	c.Provisions = in.Provisions
	if in.Delay != nil {
		c.Delay = *in.Delay
	}
	if in.MaxAnswers != nil {
		c.MaxAnswers = *in.MaxAnswers
	}
	if nameKey(c.Name) == "" {
		return fault.Invalid("name", "required")
	}
	return nil
}

func nameKey(name string) string { return strings.Join(strings.Fields(trtext.Fold(name)), " ") }

// wait returns the delay before an answer, so that it is not sent at once.
func (c *Configuration) wait() time.Duration { return time.Duration(c.Delay) * time.Second }

// answersAt reports whether the assistant answers now.
func (c *Configuration) answersAt(open bool) bool {
	switch c.Active {
	case OutsideHours:
		return !open
	case DuringHours:
		return open
	}
	return true
}

// reference returns the configuration as records refer to it.
func (c *Configuration) reference() *conversation.Configuration {
	out := &conversation.Configuration{Name: c.Name}
	if c.ID != uuid.Nil {
		out.ID = &c.ID
	}
	return out
}
