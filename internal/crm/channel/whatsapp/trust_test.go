package whatsapp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

// An acknowledged photo appears at its place at once and is fetched while the number is
// paused.
func TestFileArrivesWhilePaused(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		content := picture(t)
		id := sh.Box.File(businessID, "image/png", content)
		if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Type: "image", Image: &wire.Media{ID: id, MimeType: "image/png", Caption: "Kırık"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := sh.Box.Say(numberID, elif, "Gördünüz mü?"); err != nil {
			t.Fatal(err)
		}
		sh.Box.Settle() // both are acknowledged, and no job has run yet
		items := sh.Items(sh.Only().ID)
		if len(items) != 2 || items[1].Body != "Kırık" || len(items[1].Attachments) != 1 || !items[1].Attachments[0].Pending || items[0].Body != "Gördünüz mü?" {
			t.Fatalf("the order of what came is %+v", items)
		}
		if items[1].SentAt == nil || !items[1].SentAt.Equal(sh.Server.Clock.Now().Truncate(time.Second)) {
			t.Errorf("it was sent at %v", items[1].SentAt)
		}
		file := "/api/crm/v1/attachments/" + items[1].Attachments[0].ID.String()
		if f := sh.Owner.Get(file).Refused(409, "conflict"); f.Reason != "pending" {
			t.Errorf("a pending file: %+v", f)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Settle()
		if got := sh.Owner.Get(file).Want(200); string(got.Body) != string(content) {
			t.Error("the picture is another one")
		}
		if a := sh.Items(sh.Only().ID)[1].Attachments[0]; a.Pending || a.Type != "image/png" || !a.Shown {
			t.Errorf("the file is %+v", a)
		}
	})
}

// A message that cannot be taken does not hold up the others of its call.
func TestBadMessageDoesNotBlockOthers(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		message := func(id, body string) string {
			return fmt.Sprintf(`{"from":"905321234567","id":%q,"timestamp":"1763197200","type":"text","text":{"body":%q}}`, id, body)
		}
		nobody := `{"id":"wamid.1","timestamp":"1763197200","type":"text","text":{"body":"?"}}` // from nobody: no contact can be made
		reaction := `{"from":"905321234567","id":"wamid.2","timestamp":"1763197200","type":"reaction","reaction":{"message_id":"wamid.nobody","emoji":"👍"}}`
		body := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[{"field":"messages","value":{
			"messaging_product":"whatsapp","metadata":{"display_phone_number":"902121234567","phone_number_id":%q},
			"messages":[%s,%s,%s]}}]}]}`, businessID, numberID, nobody, reaction, message("wamid.3", "Merhaba"))
		if got := sh.signed(body); got != 200 {
			t.Errorf("the call was answered with %d", got)
		}
		items := sh.Items(sh.Only().ID)
		if !slices.ContainsFunc(items, func(i conversation.Item) bool { return i.Body == "Merhaba" }) {
			t.Errorf("the good message is missing: %d items", len(items))
		}
	})
}

// signed posts a webhook as the provider does.
func (sh *shop) signed(body string) int {
	sh.T.Helper()
	return sh.Server.Client("").Header(graph.SignatureHeader, graph.Sign(appSecret, []byte(body))).Post(channels+"/whatsapp/webhook", body).Status
}

// Unknown content is acknowledged, if it is signed.
func TestUnknownFieldsAreAcknowledged(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		body := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[{"field":"account_alerts","value":{"alert":1}}]}]}`, businessID)
		if got := sh.signed(body); got != 200 {
			t.Errorf("a signed call of an unknown field: %d", got)
		}
		if got := sh.Server.Client("").Post(channels+"/whatsapp/webhook", body).Status; got != 404 {
			t.Errorf("one that is not signed: %d", got)
		}
	})
}

// A customer who hides their number has one contact and one conversation, can be answered,
// and stays the same person once their number is known.
func TestCustomerWithoutNumber(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		hidden := sandbox.Customer{UserID: "TR.4823907452", Name: "Deniz"}
		say := func(who sandbox.Customer, text string) {
			t.Helper()
			if _, err := sh.Box.Say(numberID, who, text); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
		}
		say(hidden, "Merhaba")
		say(hidden, "Orada mısınız?")
		c := sh.Only()
		if items := sh.Items(c.ID); len(items) != 2 {
			t.Fatalf("%d items", len(items))
		}
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Buyurun"}).Want(200)
		sh.Settle()
		sent := sh.Box.Sent()
		if len(sent) != 1 || sent[0].Recipient != hidden.UserID || sent[0].To != "" {
			t.Fatalf("sent %+v", sent)
		}
		if got := sh.Items(c.ID)[0]; got.Delivery == nil || *got.Delivery != conversation.Sent || got.DeliveredAt == nil {
			t.Errorf("the answer is %+v", got)
		}
		say(sandbox.Customer{ID: "905551112233", UserID: hidden.UserID, Name: "Deniz"}, "Numaram bu")
		say(sandbox.Customer{ID: "905551112233", Name: "Deniz"}, "Bir de bu var")
		c = sh.Only()
		var who contact.Contact
		sh.Owner.Get("/api/crm/v1/contacts/" + c.ContactID.String()).Want(200).Data(&who)
		if len(who.Identities) != 2 {
			t.Errorf("the contact is %+v", who)
		}
	})
}

// What a message contains besides its text is kept.
func TestContentOfMessages(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		first := sh.says("Bu koltuk var mı?")
		c := sh.Only()
		firstItem := sh.Items(c.ID)[0]
		for _, tc := range []struct{ name, message, body, detail string }{
			{
				"order", `{"type":"order","order":{"catalog_id":"7","text":"Hızlı olsun","product_items":[{"product_retailer_id":"koltuk-1","quantity":2,"item_price":1500.5,"currency":"TRY"}]}}`,
				"Hızlı olsun\n2 × koltuk-1  1500.5 TRY", `"product_retailer_id":"koltuk-1"`,
			},
			{
				"form", `{"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"flow_token\":\"t\",\"city\":\"İzmir\"}"}}}`,
				"Sent\ncity: İzmir", `"city":"İzmir"`,
			},
			{
				"quoted", fmt.Sprintf(`{"type":"text","text":{"body":"Bunu diyorum"},"context":{"id":%q,"forwarded":true}}`, first),
				"Bunu diyorum", fmt.Sprintf(`"quoted_item_id":%q`, firstItem.ID),
			},
			{
				"referral", `{"type":"text","text":{"body":"Reklamdan geldim"},"referral":{"source_url":"https://fb.me/x","source_type":"ad","source_id":"9","headline":"İndirim"}}`,
				"Reklamdan geldim", `"headline":"İndirim"`,
			},
		} {
			var m wire.Incoming
			if err := json.Unmarshal([]byte(tc.message), &m); err != nil {
				t.Fatal(err)
			}
			if _, err := sh.Box.Write(numberID, elif, m); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
			got := sh.Items(c.ID)[0]
			detail, err := json.Marshal(got.Detail)
			if err != nil {
				t.Fatal(err)
			}
			if got.Body != tc.body || !strings.Contains(string(detail), tc.detail) {
				t.Errorf("%s: %q with %s", tc.name, got.Body, detail)
			}
		}
		// A new number belongs to the same person.
		if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Type: "system", System: &wire.System{Type: "user_changed_number", Body: "Elif changed from A to B", NewWaID: "905550001122"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := sh.Box.Say(numberID, sandbox.Customer{ID: "905550001122", Name: "Elif Kaya"}, "Yeni numaram"); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if got := sh.Items(sh.Only().ID); got[0].Body != "Yeni numaram" || got[1].Body != "Elif changed from A to B" || !got[1].Automatic {
			t.Errorf("after the change: %+v", got[:2])
		}
	})
}

// Reports say when a message arrived and was read; the first time stays.
func TestReceipts(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		sent := sh.Box.Sent()
		if len(sent) != 1 {
			t.Fatalf("sent %+v", sent)
		}
		at := sh.Server.Clock.Now().Truncate(time.Second)
		for _, later := range []time.Duration{time.Minute, time.Hour} {
			sh.Box.Report(numberID, wire.Report{ID: sent[0].ID, Status: "read", Timestamp: fmt.Sprint(at.Add(later).Unix())})
			sh.Settle()
		}
		got := sh.Items(c.ID)[0]
		if *got.Delivery != conversation.Sent || got.DeliveredAt == nil || !got.DeliveredAt.Equal(at) || got.ReadAt == nil || !got.ReadAt.Equal(at.Add(time.Minute)) {
			t.Errorf("delivery %v, delivered %v, read %v", *got.Delivery, got.DeliveredAt, got.ReadAt)
		}
	})
}

// Customers see that their messages were read only if the workspace wants it.
func TestReadReceiptsAreOptional(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		read := func(text string) string {
			t.Helper()
			id := sh.says(text)
			c := sh.Only()
			sh.Owner.Post(conversations+"/"+c.ID.String()+"/join", nil)
			sh.Owner.Post(conversations+"/"+c.ID.String()+"/unread", nil)
			sh.Owner.Post(conversations+"/"+c.ID.String()+"/read", nil).Want(200)
			sh.Settle()
			return id
		}
		read("Merhaba")
		if got := sh.Box.Read(); len(got) != 0 {
			t.Errorf("marked without being asked: %v", got)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/read-receipts", map[string]any{"enabled": true}).Want(200)
		id := read("Orada mısınız?")
		if got := sh.Box.Read(); len(got) != 1 || got[0] != id {
			t.Errorf("marked %v, want %s", got, id)
		}
		sh.Guest().Do("PATCH", channels+"/"+sh.Account.ID.String()+"/read-receipts", map[string]any{"enabled": true}).Refused(403, "forbidden")
	})
}
