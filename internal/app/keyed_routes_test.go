package app_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
)

// keyedElsewhere are routes whose keys are tested together with their provider.
var keyedElsewhere = map[string]bool{
	"create-template": true, "send-template": true, "send-conversation-template": true, "forward-item": true, "import-contacts": true,
	"rotate-channel-key": true, "rotate-channel-secret": true, "create-custom-channel": true, "rotate-webhook-secret": true,
	"mail-rotate-webhook-secret": true, "rotate-api-key": true, "create-mobile-qr": true, "split-conversation": true, "start-topup": true, "buy-number": true, "place-call": true,
}

// Every route that declares an Idempotency-Key honours it: the same request twice is
// carried out once and gets the same answer, or 409 if the answer shows a secret.
func TestKeyedRoutesHonourIdempotencyKey(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		key := w.Key(false, "conversations.write")
		add := func(path string, body any) string { return w.Owner.Post(path, body).Want(201).ID() }
		const crm = "/api/crm/v1"
		contact := func() string { return add(crm+"/contacts", map[string]any{"name": "Elif"}) }
		customer := contact()
		talk := func() string {
			return key.Post("/api/crm/public/v1/conversations", map[string]any{"contact_id": customer, "body": "Merhaba"}).Want(201).ID()
		}
		group := add(crm+"/groups", map[string]any{"name": "Destek"})
		macro := add(crm+"/macros", map[string]any{"name": "Not", "actions": []any{map[string]any{"type": "note", "body": "x"}}})
		topic := func(slug string) map[string]any {
			return map[string]any{"slug": slug, "texts": []any{map[string]any{"language": "tr", "name": "x"}}}
		}
		category := add(crm+"/help-center/categories", topic("a"))
		subject := talk()
		w.Owner.Post("/api/mail/v1/provision/domain/quickstart", map[string]any{"domain": "firma.example"}).Want(200)
		w.Owner.Put("/api/mail/v1/settings/forwarding", map[string]any{"allowed": []string{"example.com"}}).Want(200)
		box := w.Owner.Post("/api/mail/v1/provision/mailbox", map[string]any{"address": "a@firma.example", "kind": "forward", "targets": []string{"a@example.com"}}).Want(200).ID()
		type call struct {
			path string
			body map[string]any
		}
		calls := map[string]call{
			"create-contact":                 {crm + "/contacts", map[string]any{"name": "Ali"}},
			"add-contact-note":               {crm + "/contacts/" + customer + "/notes", map[string]any{"body": "x"}},
			"merge-contact":                  {crm + "/contacts/" + contact() + "/merge", map[string]any{"contact_id": contact()}},
			"create-conversation":            {crm + "/conversations", map[string]any{"contact_id": customer, "subject": "x", "body": "x"}},
			"reply-as-agent":                 {crm + "/conversations/" + subject + "/reply-as-agent", map[string]any{"body": "x", "message_type": "note"}},
			"reply-as-customer":              {crm + "/conversations/" + subject + "/reply-as-customer", map[string]any{"body": "x"}},
			"new-as-agent":                   {crm + "/conversations/new-as-agent", map[string]any{"contact_id": customer, "channel": "email", "body": "x"}},
			"schedule-message":               {crm + "/conversations/" + subject + "/scheduled", map[string]any{"body": "x", "send_at": s.Clock.Now().Add(time.Hour)}},
			"merge-conversation":             {crm + "/conversations/" + talk() + "/merge", map[string]any{"into_id": subject}},
			"transfer-conversations":         {crm + "/conversations/group", map[string]any{"ids": []string{subject}, "group_id": group, "note": "x"}},
			"apply-macro":                    {crm + "/conversations/" + subject + "/macros/" + macro, nil},
			"create-group":                   {crm + "/groups", map[string]any{"name": "Satış"}},
			"create-macro":                   {crm + "/macros", map[string]any{"name": "y", "actions": []any{map[string]any{"type": "close"}}}},
			"create-view":                    {crm + "/views", map[string]any{"name": "Benim", "filter": map[string]any{}}},
			"create-canned-reply":            {crm + "/canned-replies", map[string]any{"shortcut": "selam", "title": "Selam", "body": "Merhaba"}},
			"create-assistant-configuration": {crm + "/assistant/configurations", map[string]any{"name": "Gece"}},
			"add-assistant-page":             {crm + "/assistant/sources", map[string]any{"address": "http://127.0.0.1:9/"}},
			"create-help-category":           {crm + "/help-center/categories", topic("b")},
			"create-article":                 {crm + "/help-center/articles", map[string]any{"category_id": category, "language": "tr", "title": "x", "body": "x"}},
			"add-push-subscription": {crm + "/me/push-subscriptions", map[string]any{"endpoint": "https://push.example.com/1", "keys": map[string]any{
				"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg",
			}}},
			"block-number":               {crm + "/telephony/blocked", map[string]any{"e164": "+908501234567"}},
			"create-widget":              {crm + "/channels/widget", map[string]any{"name": "Site"}},
			"connect-mailbox":            {crm + "/channels/email", map[string]any{"name": "Destek", "address": "destek@example.com"}},
			"add-agent":                  {crm + "/agents", map[string]any{"email": "yeni@example.com", "name": "Yeni", "role": "agent"}},
			"public-create-conversation": {"/api/crm/public/v1/conversations", map[string]any{"contact_id": customer, "body": "x"}},
			"public-reply":               {"/api/crm/public/v1/conversations/" + subject + "/reply", map[string]any{"type": "user", "body": "x"}},
			"add-dlp-exception":          {"/api/mail/v1/dlp/exceptions", map[string]any{"email": "a@example.com"}},
			"add-dlp-rule":               {"/api/mail/v1/dlp/rules", map[string]any{"name": "x", "pattern_type": "iban", "action": "log"}},
			"add-send-as-grant":          {"/api/mail/v1/send-as", map[string]any{"mailbox_id": box, "address": "b@firma.example"}},
			"add-mail-migration": {"/api/mail/v1/migration-jobs", map[string]any{"mailbox": "a@firma.example", "source": map[string]any{
				"host": "imap.example.com", "port": 993, "tls": "tls", "user": "a", "auth": "password",
			}}},
			"add-privacy-request":   {"/api/mail/v1/gdpr", map[string]any{"kind": "export", "mailbox": "a@example.com"}},
			"emit-webhook":          {"/api/erp/v1/webhooks/emit", map[string]any{"event": "conversation.replied", "data": map[string]any{"x": 1}}},
			"register-webhook":      {"/api/erp/v1/webhooks", map[string]any{"address": "https://example.com/a", "events": []string{"conversation.replied"}}},
			"mail-register-webhook": {"/api/mail/v1/webhooks", map[string]any{"address": "https://example.com/b", "events": []string{"dlp.exception.created"}}},
			"add-api-key":           {"/api/v1/auth/api-keys", map[string]any{"name": "x", "environment": "live", "scopes": []string{"webhooks.read"}}},
			"add-app":               {"/api/v1/auth/apps", map[string]any{"name": "x", "redirect_uris": []string{"https://example.com/cb"}, "scopes": []string{"conversations.read"}}},
			"invite":                {"/api/v1/auth/invitations", map[string]any{"email": "b@example.com", "role": "agent"}},
		}
		for id, shows := range keyedRoutes(t) {
			if keyedElsewhere[id] {
				continue
			}
			c, ok := calls[id]
			if !ok {
				t.Errorf("%s takes an Idempotency-Key and is not tested here", id)
				continue
			}
			client := w.Owner
			if strings.HasPrefix(id, "public-") {
				client = key
			}
			client = client.Header("Idempotency-Key", uuid.NewString())
			first := client.Post(c.path, c.body)
			if first.Status >= 300 {
				t.Errorf("%s: %d %s", id, first.Status, first.Body)
				continue
			}
			again := client.Post(c.path, c.body)
			if shows {
				again.Refused(409, "idempotency_replay")
			} else if again.Status != first.Status || id != "transfer-conversations" && again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s: %d, then %d, replayed %q", id, first.Status, again.Status, again.Header.Get("Idempotency-Replayed"))
			}
		}
		notes := 0
		var items []struct {
			Kind string `json:"kind"`
			Body string `json:"body"`
		}
		w.Owner.Get(crm + "/conversations/" + subject + "/items?limit=100").Want(200).Data(&items)
		for _, i := range items {
			if i.Kind == "note" {
				notes++
			}
		}
		if notes != 3 { // of the reply, the macro and the transfer
			t.Errorf("%d notes, want 3: %v", notes, items)
		}
	})
}

// keyedRoutes returns the operations that accept a key, and whether they show a secret.
func keyedRoutes(t *testing.T) map[string]bool {
	t.Helper()
	b, err := os.ReadFile("../../web/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Parameters []struct {
				Name string `json:"name"`
			} `json:"parameters"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	secret := map[string]bool{"register-webhook": true, "mail-register-webhook": true, "add-api-key": true}
	out := map[string]bool{}
	for _, methods := range doc.Paths {
		for _, op := range methods {
			for _, p := range op.Parameters {
				if p.Name == "Idempotency-Key" {
					out[op.ID] = secret[op.ID]
				}
			}
		}
	}
	if len(out) < 30 {
		t.Fatalf("only %d routes take a key", len(out))
	}
	return out
}
