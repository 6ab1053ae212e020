package social_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/crm/channel/social"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	wire "konak/internal/provider/social"
)

func TestCustomersWrite(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		first := sh.says(elif, "Merhaba, siparişim nerede?")
		c := sh.Only()
		if c.Channel != social.Messenger || c.ContactName != elif.Name || *c.ChannelAccountID != sh.Account.ID || c.State != conversation.Open {
			t.Errorf("the conversation is %+v", c)
		}
		var who contact.Contact
		sh.Owner.Get("/api/crm/v1/contacts/" + c.ContactID.String()).Want(200).Data(&who)
		if i := who.Identities[0]; i.ExternalID != elif.ID || !i.WindowExpiresAt.Equal(sh.Server.Clock.Now().Add(24*time.Hour)) {
			t.Errorf("the contact is %+v", who)
		}
		mine := sh.Items(c.ID)[0]
		var share wire.Attachment
		share.Type, share.Payload.URL, share.Payload.Title = "fallback", "https://shop.example/p/1", "Keten perde"
		for _, tc := range []struct {
			name, body, detail string
			message            wire.Incoming
		}{
			{"a share", "Keten perde\nhttps://shop.example/p/1", "", wire.Incoming{Attachments: []wire.Attachment{share}}},
			{"an answer", "Bunu diyorum", fmt.Sprintf(`"quoted_item_id":%q`, mine.ID), wire.Incoming{Text: "Bunu diyorum", ReplyTo: &wire.ReplyTo{ID: first}}},
			{"an advertisement", "Fiyatı?", `"ad_id":"77"`, wire.Incoming{Text: "Fiyatı?", Referral: &wire.Referral{Source: "ADS", AdID: "77"}}},
			{"a choice", "Evet", `"button":"YES"`, wire.Incoming{Text: "Evet", QuickReply: &wire.QuickReply{Payload: "YES"}}},
			{"what is not handed over", "gösterilemiyor", "", wire.Incoming{Unsupported: true}},
			{"nothing", "gösterilemiyor", "", wire.Incoming{}},
		} {
			got := sh.writes(elif, tc.message)
			if !strings.Contains(got.Body, tc.body) || !strings.Contains(asText(got.Detail), tc.detail) || got.AuthorKind != conversation.ByContact {
				t.Errorf("%s: %q with %s", tc.name, got.Body, asText(got.Detail))
			}
		}
		sh.does(elif, wire.Messaging{Postback: &wire.Postback{Title: "Başla", Payload: "GET_STARTED"}})
		if got := sh.Items(c.ID)[0]; got.Body != "Başla" || !strings.Contains(asText(got.Detail), "GET_STARTED") {
			t.Errorf("a button: %+v", got)
		}
	})
}

func TestStories(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		got := sh.writes(ayse, wire.Incoming{Text: "Bu ne kadar?", ReplyTo: &wire.ReplyTo{Story: &wire.Story{ID: "s1", URL: "https://cdn.example/s1"}}})
		if c := sh.Only(); c.Channel != social.Instagram || c.ContactName != ayse.Name || !strings.Contains(asText(got.Detail), `"id":"s1"`) {
			t.Errorf("an answer to a story: %+v in %+v", got, c)
		}
		var mention wire.Attachment
		mention.Type, mention.Payload.URL = "story_mention", sh.Box.File(sh.Provider, "image/png", picture(t))
		got = sh.writes(ayse, wire.Incoming{Attachments: []wire.Attachment{mention}})
		if !strings.Contains(asText(got.Detail), `"story_mention":true`) || len(got.Attachments) != 1 || got.Attachments[0].Type != "image/png" {
			t.Errorf("a mention: %s", asText(got))
		}
	})
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sendsFile lets the customer send a file stored at an address.
func (sh *shop) sendsFile(kind, address string) conversation.Item {
	sh.T.Helper()
	var a wire.Attachment
	a.Type, a.Payload.URL = kind, address
	return sh.writes(elif, wire.Incoming{Attachments: []wire.Attachment{a}})
}

func TestFiles(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		got := sh.sendsFile("image", sh.Box.File(sh.Provider, "image/png", picture(t)))
		if a := got.Attachments[0]; a.Name != "image.png" || a.Type != "image/png" || a.Blocked != nil {
			t.Errorf("a picture: %+v", a)
		}
		if got := sh.sendsFile("file", sh.Provider+"/sandbox/social/404"); got.Attachments[0].Blocked == nil || *got.Attachments[0].Blocked != file.BlockedGone {
			t.Errorf("a file that is gone: %+v", got.Attachments)
		}
		for _, address := range []string{"file:///etc/passwd", "ftp://files.example/a.png", "https:///a.png", "a.png"} {
			if got := sh.sendsFile("file", address); got.Attachments[0].Blocked == nil || *got.Attachments[0].Blocked != file.BlockedGone {
				t.Errorf("%s, which is no address of a file: %+v", address, got.Attachments)
			}
		}
		// Webhooks may reach this machine here; a file's address chosen by somebody else
		// may not, not even on the provider's machine.
		var reached atomic.Bool
		inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reached.Store(true)
			_, _ = w.Write([]byte("# HELP secrets of the inside"))
		}))
		defer inside.Close()
		for _, address := range []string{inside.URL + "/metrics", strings.Replace(inside.URL, "127.0.0.1", "localhost", 1) + "/metrics"} {
			if got := sh.sendsFile("file", address); reached.Load() || got.Attachments[0].Blocked == nil || *got.Attachments[0].Blocked != file.BlockedGone {
				t.Errorf("%s was reached: %v, %+v", address, reached.Load(), got.Attachments)
			}
		}
		// A file that never ends is cut off and shown as too large.
		address := sh.Box.File(sh.Provider, "video/mp4", nil)
		sh.Answer(func(w http.ResponseWriter, _ *http.Request) {
			block := make([]byte, 1<<20)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		})
		if got := sh.sendsFile("video", address); got.Attachments[0].Blocked == nil || *got.Attachments[0].Blocked != file.BlockedSize {
			t.Errorf("an endless file: %+v", got.Attachments)
		}
		// If a service is down the file stays pending; it comes later.
		sh.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		late := sh.sendsFile("image", sh.Box.File(sh.Provider, "image/png", picture(t)))
		if !late.Attachments[0].Pending {
			t.Fatalf("while the service is down: %+v", late.Attachments)
		}
		sh.Answer(nil)
		sh.Later(time.Hour)
		sh.Settle()
		if a := sh.Item(late.ConversationID, late.ID).Attachments[0]; a.Pending || a.Blocked != nil || a.Type != "image/png" {
			t.Errorf("later: %+v", a)
		}
	})
}

// A message that comes twice, or after a later one, is one message at its place in the
// order.
func TestRepeatsAndOrder(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		at := sh.Server.Clock.Now().UnixMilli()
		call := func(id, text string, when int64) string {
			return asText(wire.Webhook{Object: wire.ObjectPage, Entry: []wire.Entry{{ID: pageID, Messaging: []wire.Messaging{{
				Sender: wire.Ref{ID: elif.ID}, Recipient: wire.Ref{ID: pageID}, Timestamp: when, Message: &wire.Incoming{ID: id, Text: text},
			}}}}})
		}
		for _, body := range []string{call("m_3", "üç", at+3000), call("m_2", "iki", at+2000), call("m_3", "üç", at+3000)} {
			sh.post(appSecret, body).Want(200)
		}
		items := sh.Items(c.ID)
		if len(items) != 3 {
			t.Fatalf("%d items", len(items))
		}
		for _, i := range items {
			if i.Body == "iki" && i.SentAt.UnixMilli() != at+2000 {
				t.Errorf("the time of a late message is %v", i.SentAt)
			}
		}
	})
}

func TestSignatures(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		good := `{"object":"page","entry":[{"id":"` + pageID + `","messaging":[{"sender":{"id":"1"},"timestamp":1,"message":{"mid":"m_1","text":"a"}}]}]}`
		sh.post("guessed", good).Refused(404, "not_found")
		sh.Server.Client("").Post(webhook, good).Refused(404, "not_found")
		sh.post(appSecret, strings.Replace(good, pageID, "404", 1)).Refused(404, "not_found")
		sh.post(appSecret, strings.Replace(good, `"page"`, `"instagram"`, 1)).Refused(404, "not_found")
		sh.post(appSecret, `{"object":"whatsapp_business_account"}`).Refused(400, "bad_request")
		sh.post(appSecret, `{`).Refused(400, "bad_request")
		if len(sh.Inbox()) != 0 {
			t.Error("a call that proves nothing was taken")
		}
		sh.post(appSecret, good).Want(200)
		sh.Only()
		many := strings.Repeat(`{"id":"x","messaging":[]},`, 1001)
		sh.post(appSecret, `{"object":"page","entry":[`+strings.TrimSuffix(many, ",")+`]}`).Refused(404, "not_found")
		names := ""
		for n := range 51 {
			names += fmt.Sprintf(`{"id":"n%d","messaging":[]},`, n)
		}
		sh.post(appSecret, `{"object":"page","entry":[`+names+`{"id":"`+pageID+`","messaging":[]}]}`).Refused(404, "not_found")
	})
}

func TestReactionsEditsAndDeletions(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		id := sh.says(elif, "Merhaba")
		c := sh.Only()
		sent := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		mid := sh.Box.Sent(pageID)[0].MessageID
		sh.does(elif, wire.Messaging{Reaction: &wire.Reaction{ID: mid, Action: "react", Reaction: "love"}})
		if got := sh.Item(c.ID, sent.ID).Reactions; len(got) != 1 || got[0].Emoji != "❤️" {
			t.Errorf("the reactions are %+v", got)
		}
		sh.does(elif, wire.Messaging{Reaction: &wire.Reaction{ID: mid, Action: "unreact"}})
		if got := sh.Item(c.ID, sent.ID).Reactions; len(got) != 0 {
			t.Errorf("after it was taken away: %+v", got)
		}

		sh.does(elif, wire.Messaging{Edit: &wire.Edit{ID: id, Text: "Merhabalar"}})
		sh.does(elif, wire.Messaging{Edit: &wire.Edit{ID: "m_later", Text: "Değiştirdim"}})
		sh.Box.Write(pageID, elif, wire.Incoming{ID: "m_later", Text: "Yazdım"})
		sh.Settle()
		bodies := ""
		for _, i := range sh.Items(c.ID) {
			bodies = i.Body + "|" + bodies
		}
		if bodies != "Merhabalar|Buyurun|Değiştirdim|" {
			t.Errorf("the conversation says %s", bodies)
		}
		sh.Box.Write(pageID, elif, wire.Incoming{ID: id, Deleted: true})
		sh.Box.Write(pageID, elif, wire.Incoming{ID: "m_unknown", Deleted: true})
		sh.Settle()
		if n := len(sh.Items(c.ID)); n != 2 {
			t.Errorf("%d items after one was taken back", n)
		}
	})
}

// A message that somebody writes in the provider's own app is an agent's; our own messages
// are not brought in again.
func TestMessagesFromProviderAppAreAgentMessages(t *testing.T) {
	for kind, who := range map[string]string{social.Messenger: elif.ID, social.Instagram: ayse.ID} {
		t.Run(kind, func(t *testing.T) {
			connected(t, kind, func(t *testing.T, sh *shop) {
				person := elif
				if who == ayse.ID {
					person = ayse
				}
				sh.says(person, "Merhaba")
				c := sh.Only()
				sent := sh.Reply(c.ID, "Buyurun")
				sh.Settle()
				sh.Box.SayAsPage(pageID, person, "Telefondan yazıyorum")
				sh.Settle()
				items := sh.Items(c.ID)
				if len(items) != 3 || items[0].Body != "Telefondan yazıyorum" || items[0].AuthorKind != conversation.ByAgent || sh.Only().WaitingSince != nil {
					t.Fatalf("the items are %s", asText(items))
				}
				if got := sh.Item(c.ID, sent.ID); *got.Delivery != conversation.Sent {
					t.Errorf("what we sent is %+v", got)
				}
			})
		})
	}
}

func TestReadReports(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		first := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		if got := sh.Item(c.ID, first.ID); got.DeliveredAt == nil || got.ReadAt != nil {
			t.Errorf("what arrived is %+v", got)
		}
		until := sh.Server.Clock.Now().UnixMilli() + 1
		sh.Later(time.Minute)
		second := sh.Reply(c.ID, "Hâlâ orada mısınız?")
		sh.Settle()
		sh.does(elif, wire.Messaging{Read: &wire.Read{Watermark: until}})
		sh.does(ayse, wire.Messaging{Read: &wire.Read{Watermark: until}}) // nobody knows her here
		if got := sh.Item(c.ID, first.ID); got.ReadAt == nil {
			t.Error("what was read is not shown as read")
		}
		if got := sh.Item(c.ID, second.ID); got.ReadAt != nil {
			t.Error("what was written later is shown as read")
		}
	})
}

func TestReadOnInstagram(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		sh.says(ayse, "Merhaba")
		c := sh.Only()
		sent := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		sh.does(ayse, wire.Messaging{Read: &wire.Read{ID: sh.Box.Sent(pageID)[0].MessageID}})
		if got := sh.Item(c.ID, sent.ID); got.ReadAt == nil {
			t.Errorf("what was read is %+v", got)
		}
	})
}
