package whatsapp_test

import (
	"testing"

	"konak/internal/crm/conversation"
	"konak/internal/mail"
)

// judgeMessages turns on the judging of messages, with a rule for the word "gizli".
func (sh *shop) judgeMessages(action string) {
	sh.T.Helper()
	sh.Owner.Post("/api/mail/v1/dlp/rules", map[string]any{
		"name": action, "pattern_type": "keyword", "pattern": "gizli", "action": action, "options": map[string]any{"scope": "external"},
	}).Want(201)
	sh.Owner.Put("/api/mail/v1/settings/dlp", map[string]any{"messaging": true}).Want(200)
}

func (sh *shop) incidents() (list []mail.Incident) {
	sh.T.Helper()
	sh.Owner.Get("/api/mail/v1/dlp/incidents").Want(200).Data(&list)
	return list
}

// Messages are judged if the workspace asks for it; actions that would make a message wait,
// and files that cannot be scanned, block it.
func TestPolicyOfMessages(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		at := conversations + "/" + sh.Only().ID.String() + "/reply-as-agent"
		sh.Owner.Post("/api/mail/v1/dlp/rules", map[string]any{"name": "off", "pattern_type": "keyword", "pattern": "gizli", "action": "block"}).Want(201)
		sh.Owner.Post(at, map[string]any{"body": "gizli plan"}).Want(200) // only e-mail is judged
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 1 {
			t.Errorf("sent %+v", out)
		}
		sh.judgeMessages("quarantine")
		if f := sh.Owner.Post(at, map[string]any{"body": "çok gizli"}).Refused(422, "dlp_blocked"); f.Reason != "keyword" {
			t.Errorf("got %+v", f)
		}
		sh.Owner.Post(at, map[string]any{"body": "çok gizli", "message_type": "note"}).Want(200) // stays inside
		sh.Owner.Post(at, map[string]any{"body": "açık"}).Want(200)
		id := sh.Owner.Header("Content-Type", "application/octet-stream").Do("POST", "/api/crm/v1/attachments?filename=a.txt", "açık").Want(201).ID()
		if f := sh.Owner.Post(at, map[string]any{"body": "ek", "attachments": []string{id}}).Refused(422, "dlp_blocked"); f.Reason != "unscanned" {
			t.Errorf("a file: %+v", f)
		}
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 1 {
			t.Errorf("sent %+v", out)
		}
		if list := sh.incidents(); len(list) != 2 || list[0].ActionTaken != mail.ActionBlock {
			t.Errorf("got %+v", list)
		}
	})
}

// Text that a rule covers goes out covered; a template, whose text is fixed, does not go
// out.
func TestPolicyOfTemplates(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		sh.says("Merhaba")
		c := sh.Only()
		sh.judgeMessages("redact")
		if i := sh.reply(c.ID, "gizli plan"); i.Body == "gizli plan" {
			t.Errorf("got %+v", i)
		}
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 1 {
			t.Errorf("sent %+v", out)
		}
		use := map[string]any{"template_id": news.ID, "body": []string{"Elif", "gizli"}}
		if got := sh.send(c.ID, use); got.Delivery != conversation.Failed || got.Error == nil || *got.Error != "dlp_blocked" || got.Item.V != nil {
			t.Errorf("into a conversation: %+v", got)
		}
		var begun struct {
			Delivery string  `json:"delivery"`
			Error    *string `json:"delivery_error"`
		}
		sh.Owner.Post(conversations+"/new-as-agent", map[string]any{"contact_id": c.ContactID, "channel": "whatsapp", "template": use}).Want(201).Whole(&begun)
		if begun.Delivery != conversation.Failed || begun.Error == nil || *begun.Error != "dlp_blocked" {
			t.Errorf("new as agent: %+v", begun)
		}
		for _, i := range sh.Items(c.ID) {
			if i.Template.V != nil {
				sh.Owner.Post(conversations+"/"+c.ID.String()+"/items/"+i.ID.String()+"/retry", nil).Refused(422, "dlp_blocked")
			}
		}
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 0 {
			t.Errorf("sent %+v", out)
		}
		use["body"] = []string{"Elif", "4711"}
		if got := sh.send(c.ID, use); got.Delivery != conversation.Sent {
			t.Errorf("without the word: %+v", got)
		}
		if n := len(sh.incidents()); n < 3 {
			t.Errorf("%d incidents", n)
		}
	})
}
