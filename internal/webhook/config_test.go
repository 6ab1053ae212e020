package webhook_test

import (
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// A service or a sender is not created while a dependency is missing.
func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	if _, err := webhook.New(s.Webhook.Config()); err != nil {
		t.Fatal(err)
	}
	for name, without := range map[string]func(*webhook.Config){
		"DB":     func(c *webhook.Config) { c.DB = nil },
		"Box":    func(c *webhook.Config) { c.Box = nil },
		"Out":    func(c *webhook.Config) { c.Out = nil },
		"Bus":    func(c *webhook.Config) { c.Bus = nil },
		"Owners": func(c *webhook.Config) { c.Owners = nil },
		"Sender": func(c *webhook.Config) { c.Sender = nil },
	} {
		c := s.Webhook.Config()
		without(&c)
		if _, err := webhook.New(c); err == nil {
			t.Errorf("a service without %s is made", name)
		}
	}
	for name, without := range map[string]func(*webhook.SenderConfig){
		"DB":      func(c *webhook.SenderConfig) { c.DB = nil },
		"Box":     func(c *webhook.SenderConfig) { c.Box = nil },
		"Out":     func(c *webhook.SenderConfig) { c.Out = nil },
		"Owners":  func(c *webhook.SenderConfig) { c.Owners = nil },
		"Log":     func(c *webhook.SenderConfig) { c.Log = nil },
		"Metrics": func(c *webhook.SenderConfig) { c.Metrics = nil },
	} {
		c := s.Webhook.SenderConfig()
		without(&c)
		if _, err := webhook.NewSender(c); err == nil {
			t.Errorf("a sender without %s is made", name)
		}
	}
}
