package whatsapp_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
)

// hook posts a webhook signed with a secret, right or wrong.
func (sh *shop) hook(number, secret, text string) int {
	sh.T.Helper()
	body := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[{"field":"messages","value":{
		"messaging_product":"whatsapp","metadata":{"display_phone_number":"902121234567","phone_number_id":%q},
		"contacts":[{"profile":{"name":"Elif"},"wa_id":"905321234567"}],
		"messages":[{"from":"905321234567","id":"wamid.1","timestamp":"1763197200","type":"text","text":{"body":%q}}]}}]}]}`, businessID, number, text)
	return sh.Server.Client("").Header(graph.SignatureHeader, graph.Sign(secret, []byte(body))).Post(channels+"/whatsapp/webhook", body).Status
}

// A call that is not signed for one of our numbers gets the same answer as one for an
// unknown number.
func TestWebhookIsSigned(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		for what, status := range map[string]int{
			"a wrong secret":     sh.hook(numberID, "guessed", "hi"),
			"no secret":          sh.hook(numberID, "", "hi"),
			"an unknown number":  sh.hook("999", "guessed", "hi"),
			"a foreign business": sh.Server.Client("").Post(channels+"/whatsapp/webhook", `{"entry":[{"id":"1","changes":[{"field":"message_template_status_update","value":{}}]}]}`).Status,
			"nothing at all":     sh.Server.Client("").Post(channels+"/whatsapp/webhook", `{}`).Status,
		} {
			if status != 404 {
				t.Errorf("%s: %d", what, status)
			}
		}
		sh.Server.Client("").Post(channels+"/whatsapp/webhook", `no json`).Refused(400, "bad_request")
		if list := sh.Inbox(); len(list) != 0 {
			t.Errorf("what was not signed came in: %v", list)
		}
		if status := sh.hook(numberID, appSecret, "hi"); status != 200 {
			t.Errorf("a signed call: %d", status)
		}
		if status := sh.hook(numberID, appSecret, "hi"); status != 200 {
			t.Errorf("its repeat: %d", status)
		}
		if items := sh.Items(sh.Only().ID); len(items) != 1 {
			t.Errorf("a repeat made %d items", len(items))
		}
		ask := channels + "/whatsapp/webhook?hub.mode=subscribe&hub.challenge=77&hub.verify_token="
		sh.Server.Client("").Get(ask+"guessed").Refused(404, "not_found")
		var set struct {
			VerifyToken string `json:"verify_token"`
		}
		if err := sh.Account.Read(&set); err != nil {
			t.Fatal(err)
		}
		if got := sh.Server.Client("").Get(ask + set.VerifyToken).Want(200); string(got.Body) != "77" {
			t.Errorf("the challenge was answered with %q", got.Body)
		}
	})
}

func TestCustomersWrite(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba, siparişim nerede?")
		c := sh.Only()
		if c.Channel != "whatsapp" || c.ContactName != "Elif Kaya" || *c.ChannelAccountID != sh.Account.ID || c.State != conversation.Open {
			t.Errorf("the conversation is %+v", c)
		}
		var who contact.Contact
		sh.Owner.Get("/api/crm/v1/contacts/" + c.ContactID.String()).Want(200).Data(&who)
		if who.Phones[0].E164 != "+905321234567" || who.Identities[0].WindowExpiresAt == nil || !who.Identities[0].WindowExpiresAt.Equal(sh.Server.Clock.Now().Add(24*time.Hour)) {
			t.Errorf("the contact is %+v", who)
		}
		for want, m := range map[string]wire.Incoming{
			"Evet":                                   {Type: "button", Button: &wire.Button{Payload: "yes", Text: "Evet"}},
			"Mavi\nKumaş":                            {Type: "interactive", Interactive: &wire.Interactive{Type: "list_reply", List: &wire.Choice{ID: "1", Title: "Mavi", Description: "Kumaş"}}},
			"Depo\nhttps://maps.google.com/?q=41,29": {Type: "location", Location: &wire.Location{Latitude: 41, Longitude: 29, Name: "Depo"}},
			"gösterilemiyor":                         {Type: "unsupported", Errors: []wire.Error{{Code: 131051, Title: "Message type unknown"}}},
		} {
			if _, err := sh.Box.Write(numberID, elif, m); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
			if got := sh.Items(c.ID)[0]; !strings.Contains(got.Body, want) || got.AuthorKind != conversation.ByContact {
				t.Errorf("%s: %+v", m.Type, got)
			}
		}
		sh.Only()
	})
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCustomersSendFiles(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		content := picture(t)
		id := sh.Box.File(businessID, "image/png", content)
		for _, m := range []wire.Incoming{
			{Type: "image", Image: &wire.Media{ID: id, MimeType: "image/png", Caption: "Kırık geldi"}},
			{Type: "document", Document: &wire.Media{ID: "404404", MimeType: "application/pdf", Filename: "fatura.pdf"}},
		} {
			if _, err := sh.Box.Write(numberID, elif, m); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
		}
		items := sh.Items(sh.Only().ID)
		if len(items) != 2 || items[1].Body != "Kırık geldi" || len(items[1].Attachments) != 1 || items[1].Attachments[0].Size != int64(len(content)) || items[1].Attachments[0].Name != "image.png" {
			t.Fatalf("the picture: %+v", items)
		}
		got := sh.Owner.Get("/api/crm/v1/attachments/" + items[1].Attachments[0].ID.String()).Want(200)
		if !bytes.Equal(got.Body, content) {
			t.Error("the picture is another one")
		}
		// A file that the provider no longer has comes in without its bytes.
		if a := items[0].Attachments; len(a) != 1 || a[0].Blocked == nil || *a[0].Blocked != file.BlockedGone || a[0].Name != "fatura.pdf" {
			t.Errorf("the lost file: %+v", items[0])
		}
	})
}

func TestReactions(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		theirs := sh.says("Teşekkürler")
		c := sh.Only()
		var item conversation.Item
		path := conversations + "/" + c.ID.String() + "/items/" + sh.Items(c.ID)[0].ID.String() + "/reaction"
		sh.Owner.Post(path, map[string]any{"emoji": "👍"}).Want(200).Data(&item)
		if len(item.Reactions) != 1 {
			t.Errorf("the item is %+v", item)
		}
		out := sh.Box.Sent()
		if len(out) != 1 || out[0].Reaction == nil || out[0].Reaction.MessageID != theirs || out[0].Reaction.Emoji != "👍" {
			t.Errorf("the provider got %+v", out)
		}
		// The customer's reaction to our message is shown too.
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Rica ederiz"}).Want(200)
		sh.Settle()
		ours := sh.Box.Sent()
		if len(ours) != 1 {
			t.Fatalf("sent: %+v", ours)
		}
		if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Type: "reaction", Reaction: &wire.Reaction{MessageID: ours[0].ID, Emoji: "❤️"}}); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if got := sh.Items(c.ID)[0]; len(got.Reactions) != 1 || got.Reactions[0].Emoji != "❤️" || got.Reactions[0].AuthorKind != conversation.ByContact {
			t.Errorf("the answer is %+v", got)
		}
		// A message that the provider accepted but could not deliver did not reach the
		// customer.
		failed := sh.Reply(c.ID, "Görüşürüz")
		sh.Settle()
		sh.Box.Report(numberID, wire.Report{ID: sh.Box.Sent()[0].ID, Status: "failed", Errors: []wire.Error{{Code: 131049, Title: "Not delivered", Message: "Not delivered"}}})
		sh.Settle()
		own := conversations + "/" + c.ID.String() + "/items/" + failed.ID.String() + "/reaction"
		if got := sh.Item(c.ID, failed.ID); *got.Delivery != conversation.Failed {
			t.Fatalf("the report left %+v", got)
		}
		if e := sh.Owner.Post(own, map[string]any{"emoji": "👍"}).Refused(422, "reaction_unsupported"); e.Reason != conversation.NoChannelCopy {
			t.Errorf("got %+v", e)
		}
		// Outside the window the provider accepts no reaction either.
		sh.Later(25 * time.Hour)
		sh.Owner.Post(path, map[string]any{"emoji": "🎉"}).Refused(422, "window_closed")
	})
}

// Nothing comes in over a paused or disconnected number, and a disconnected one is also
// unsubscribed at the provider.
func TestPausedAndDisconnected(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String()
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.says("Kimse yok mu?")
		if status := sh.hook(numberID, appSecret, "hi"); status != 409 || len(sh.Inbox()) != 0 {
			t.Errorf("a paused number: %d", status)
		}
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		sh.says("Merhaba")
		c := sh.Only()
		sh.Owner.Delete(at).Want(200)
		sh.Settle()
		if status := sh.hook(numberID, appSecret, "hi"); status != 404 {
			t.Errorf("a disconnected number: %d", status)
		}
		sh.says("Hâlâ orada mısınız?")
		if items := sh.Items(c.ID); len(items) != 1 {
			t.Errorf("%d items", len(items))
		}
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Buradayız"}).Refused(422, "no_route")
		// Connected again it is the same account, and replies go out.
		var again channel.Account
		sh.connect(nil).Want(201).Data(&again)
		if again.ID != sh.Account.ID {
			t.Error("another account came")
		}
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Buradayız"}).Want(200)
	})
}

// Messages to a number that two workspaces have come in at both.
func TestTwoWorkspaces(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		other := &shop{Shop: sh.Another()}
		other.connect(nil).Want(201).Data(&other.Account)
		sh.says("Merhaba")
		mine, theirs := sh.Only(), other.Only()
		if mine.ID == theirs.ID {
			t.Error("they share a conversation")
		}
		other.Owner.Get(channels+"/"+sh.Account.ID.String()).Refused(404, "not_found")
		other.Owner.Get(conversations+"/"+mine.ID.String()+"/chat-templates").Refused(404, "not_found")
	})
}

// If one of the two workspaces of a number is suspended, messages still come in at the
// other; the provider keeps them for the suspended one until it is resumed.
func TestSuspendedWorkspaceDoesNotBlockOther(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		other := &shop{Shop: sh.Another()}
		other.connect(nil).Want(201).Data(&other.Account)
		suspend := func(on bool) {
			t.Helper()
			if _, err := sh.Server.SetSuspended(t.Context(), other.Slug, on); err != nil {
				t.Fatal(err)
			}
		}
		message := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[{"field":"messages","value":{
			"messaging_product":"whatsapp","metadata":{"display_phone_number":"902121234567","phone_number_id":%q},
			"messages":[{"from":"905321234567","id":"wamid.1","timestamp":"1763197200","type":"text","text":{"body":"Merhaba"}}]}}]}]}`, businessID, numberID)
		// A template event names only the business account.
		review := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[{"field":"account_alerts","value":{"alert":1}}]}]}`, businessID)
		suspend(true)
		for range 2 { // the provider calls again and again
			if got := sh.signed(message); got != 403 {
				t.Errorf("the call was answered with %d", got)
			}
			if items := sh.Items(sh.Only().ID); len(items) != 1 || items[0].Body != "Merhaba" {
				t.Errorf("the workspace that works has %+v", items)
			}
		}
		if got := sh.signed(review); got != 403 {
			t.Errorf("a call for the business was answered with %d", got)
		}
		suspend(false)
		for _, call := range []string{message, review} {
			if got := sh.signed(call); got != 200 {
				t.Errorf("answered with %d after it was resumed", got)
			}
		}
		if mine, theirs := sh.Items(sh.Only().ID), other.Items(other.Only().ID); len(mine) != 1 || len(theirs) != 1 {
			t.Errorf("they have %d and %d", len(mine), len(theirs))
		}
	})
}

func TestFlaggedNumber(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.Box.Flag(numberID, "FLAGGED")
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != channel.NumberFlagged {
			t.Errorf("flagged: %+v", a)
		}
		sh.Box.Flag(numberID, "UNFLAGGED")
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("unflagged: %+v", a)
		}
	})
}

// A reaction may come before we know the provider's id of our message.
func TestReactionBeforeProviderAnswer(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Type: "reaction", Reaction: &wire.Reaction{MessageID: "wamid.early", Emoji: "❤️"}}); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		sh.Answer(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"messaging_product":"whatsapp","messages":[{"id":"wamid.early"}]}`))
		})
		sent := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		if got := sh.Item(c.ID, sent.ID); len(got.Reactions) != 1 || got.Reactions[0].Emoji != "❤️" {
			t.Errorf("the answer is %+v", got)
		}
	})
}
