package whatsapp_test

import (
	"testing"

	"konak/internal/crm/conversation"
	"konak/internal/crm/template"
)

func TestTemplateReview(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		var made template.Template
		sh.Owner.Post(templates, sh.parcelNews("stays_pending")).Want(201).Data(&made)
		if made.Status != template.Pending || made.Sendable || made.Editable || made.ProviderID == nil {
			t.Errorf("a new template: %+v", made)
		}
		sh.Owner.Post(templates, sh.parcelNews("kargo_bilgisi")).Want(201).Data(&made)
		sh.settle()
		sh.Owner.Get(templates + "/" + made.ID.String()).Want(200).Data(&made)
		if made.Status != template.Approved || !made.Sendable || len(made.Variables.Body) != 2 {
			t.Errorf("a reviewed template: %+v", made)
		}
		var rejected template.Template
		sh.Owner.Post(templates, sh.parcelNews("reject_me")).Want(201).Data(&rejected)
		sh.settle()
		sh.Owner.Get(templates + "/" + rejected.ID.String()).Want(200).Data(&rejected)
		if rejected.Status != template.Rejected || rejected.Reason == nil || *rejected.Reason != "INVALID_FORMAT" || rejected.Sendable || !rejected.Editable {
			t.Errorf("a rejected template: %+v", rejected)
		}
		sh.Owner.Post(templates, sh.parcelNews("kargo_bilgisi")).Refused(409, "conflict")
	})
}

func TestSendTemplateIntoConversation(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		sh.says("Merhaba")
		c := sh.only()
		var choice conversation.ChatTemplates
		sh.Owner.Get(conversations + "/" + c.ID.String() + "/chat-templates").Want(200).Data(&choice)
		if !choice.WindowOpen || len(choice.Templates) != 1 {
			t.Errorf("the choice is %+v", choice)
		}
		var sent conversation.SentTemplate
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/messages", map[string]any{"template_id": news.ID, "body": []string{"Elif", "4711"}}).Want(200).Data(&sent)
		if sent.Delivery != conversation.Sent || sent.Item.V == nil || sent.Item.V.Body != "Merhaba Elif, 4711 numaralı siparişiniz yola çıktı.\n\nDemo A.Ş." {
			t.Errorf("sent: %+v", sent)
		}
		out := sh.box.Sent()
		if len(out) != 1 || out[0].Template == nil || out[0].Template.Name != "kargo_bilgisi" || len(out[0].Template.Components[0].Parameters) != 2 {
			t.Errorf("the provider got %+v", out)
		}
		// The job that stands behind it has nothing left to do.
		sh.s.Clock.Advance(5 * 60e9)
		sh.settle()
		if out := sh.box.Sent(); len(out) != 0 {
			t.Errorf("sent again: %+v", out)
		}
	})
}
