package webhook

import (
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// PingTest is the sample event that a test call queues.
const PingTest = "ping.test"

// Ping is what the sample carries.
type Ping struct {
	ID      string `json:"id"`
	Message string `json:"message"`
}

// Events are what this room announces.
func Events() event.Catalog {
	return event.Catalog{{
		Name: PingTest, Module: "", Permission: perm.SettingsView,
		Description: "Sample delivery queued by a test call.", Example: Ping{ID: "ping", Message: "It works."},
	}}
}
