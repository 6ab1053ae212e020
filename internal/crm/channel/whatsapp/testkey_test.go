package whatsapp_test

import (
	"testing"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/perm"
)

// A template for a contact, or in a conversation, of the test environment reaches nobody,
// whoever sends it. Reasons not to send it are still reported.
func TestTestEnvironmentSendsNoTemplates(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		in := sh.parcelNews("kampanya")
		in["category"] = "MARKETING"
		var ad template.Template
		sh.Owner.Post(templates, in).Want(201).Data(&ad)
		sh.Settle()
		test := sh.Key(true, perm.All()...)
		var who contact.Contact
		test.Post("/api/crm/public/v1/channels/consent", map[string]any{"phone": "+905321234567", "purpose": "utility"}).Want(200).Data(&who)
		var c conversation.Conversation
		sh.Owner.Post(conversations+"/new-as-agent", map[string]any{"contact_id": who.ID, "channel": "whatsapp", "body": "deneme"}).Want(201).Data(&c)
		sh.Box.Sent()
		for _, row := range []struct {
			tpl      template.Template
			delivery string
			why      string
		}{{news, conversation.NotGoing, ""}, {ad, conversation.Failed, reply.ConsentMissing}} {
			use := map[string]any{"template_id": row.tpl.ID, "body": []string{"Elif", "4711"}}
			inConversation := sh.send(c.ID, use)
			use["contact_id"] = who.ID
			var toContact reply.SentTemplate
			sh.Owner.Post(channels+"/send-template", use).Want(200).Data(&toContact)
			for _, got := range []reply.SentTemplate{inConversation, toContact} {
				why := ""
				if got.Error != nil {
					why = *got.Error
				}
				if got.Delivery != row.delivery || why != row.why || got.Item.V != nil {
					t.Errorf("%s: %+v, %s", row.tpl.Name, got, why)
				}
			}
		}
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 0 {
			t.Errorf("sent: %+v", out)
		}
	})
}

// A message that a test key triggered is not sent, even if its job exists.
func TestTestEnvironmentJobsSendNothing(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		sh.Reply(sh.Only().ID, "Buyurun")
		sh.Server.MoveToTest()
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 0 {
			t.Errorf("sent: %+v", out)
		}
	})
}
