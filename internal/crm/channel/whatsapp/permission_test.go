package whatsapp_test

import (
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/kit/perm"
)

// Every way of sending a template requires the permission to send templates, and sends it
// with the permission.
func TestSendingTemplatesNeedsPermission(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		sh.says("Merhaba")
		c := sh.Only()
		use := map[string]any{"template_id": news.ID, "body": []string{"Elif", "4711"}}
		// A failed template, for the way of sending it again.
		sh.Box.Fail(400, 132015, 0)
		failed := sh.send(c.ID, use)
		if failed.Item.V == nil || failed.Delivery != conversation.Failed {
			t.Fatalf("got %+v", failed)
		}
		with := func(name string, may ...perm.Permission) *apptest.Client {
			t.Helper()
			sh.Owner.Put("/api/v1/auth/roles", map[string]any{"name": name, "title": name, "permissions": may}).Want(200)
			if err := sh.Server.Identity.AddMember(t.Context(), sh.ID, name, name+"@demo.example", apptest.Password, name); err != nil {
				t.Fatal(err)
			}
			return sh.SignIn(name + "@demo.example")
		}
		most := []perm.Permission{perm.ConversationsView, perm.ConversationsReply, perm.ContactsView, perm.ChannelsView, perm.TemplatesView}
		silent := with("susan", perm.ConversationsView, perm.TemplatesView, perm.TemplatesSend)
		blind := with("goremeyen", perm.ConversationsReply, perm.TemplatesSend)
		without, sender := with("yazan", most...), with("yollayan", append(most, perm.TemplatesSend)...)
		ways := []struct {
			name, path string
			body       map[string]any
			want       int
		}{
			{"to a customer", channels + "/send-template", map[string]any{"contact_id": c.ContactID, "template_id": news.ID, "body": []string{"Elif", "4711"}}, 200},
			{"in a conversation", conversations + "/" + c.ID.String() + "/messages", use, 200},
			{"in a new conversation", conversations + "/new-as-agent", map[string]any{"contact_id": c.ContactID, "channel": "whatsapp", "template": use}, 201},
			{"once more", conversations + "/" + c.ID.String() + "/items/" + failed.Item.V.ID.String() + "/retry", nil, 200},
		}
		for _, way := range ways {
			if e := without.Post(way.path, way.body).Refused(403, "forbidden"); e.Permission != string(perm.TemplatesSend) {
				t.Errorf("%s: %+v", way.name, e)
			}
		}
		// A template is a reply too.
		for _, way := range ways {
			if e := silent.Post(way.path, way.body).Refused(403, "forbidden"); e.Permission != string(perm.ConversationsReply) {
				t.Errorf("%s: %+v", way.name, e)
			}
		}
		stranger := map[string]any{"phone": "+905339998877", "template_id": news.ID, "body": []string{"Elif", "4711"}}
		silent.Post(channels+"/send-template", stranger).Refused(403, "forbidden")
		var found []contact.Contact
		if sh.Owner.Get("/api/crm/v1/contacts?q=905339998877").Want(200).Data(&found); len(found) != 0 {
			t.Errorf("a refused template made %+v", found)
		}
		sh.Settle()
		sh.Box.Sent()
		// A caller who may not see conversations learns only the result of the template.
		for _, way := range ways[:2] {
			var sent reply.SentTemplate
			blind.Post(way.path, way.body).Want(200).Data(&sent)
			if sent.Conversation.V != nil || sent.Item.V == nil || sent.Delivery != conversation.Sent {
				t.Errorf("%s: %+v", way.name, sent)
			}
		}
		for _, way := range ways {
			sender.Post(way.path, way.body).Want(way.want)
		}
	})
}
