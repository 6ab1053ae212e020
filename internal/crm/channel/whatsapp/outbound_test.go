package whatsapp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/reply"
	wire "konak/internal/provider/whatsapp"
)

func (sh *shop) reply(c uuid.UUID, body string) conversation.Item {
	sh.T.Helper()
	var out conversation.Written
	sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": body}).Want(200).Data(&out)
	return out.Item
}

func TestAnswerGoesOut(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		item := sh.Reply(c, "Buyurun")
		if apptest.DeliveryOf(item) != conversation.Queued {
			t.Errorf("before: %s", apptest.DeliveryOf(item))
		}
		sh.Settle()
		if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Sent {
			t.Errorf("after: %+v", got)
		}
		out := sh.Box.Sent()
		if len(out) != 1 || out[0].To != elif.ID || out[0].Text == nil || out[0].Text.Body != "Buyurun" || out[0].Mark != item.ID.String() {
			t.Errorf("the provider got %+v", out)
		}
	})
}

// Each file is a separate message; the text is the first one's caption.
func TestFilesGoOut(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Fatura?")
		c := sh.Only().ID
		var ids []uuid.UUID
		for name, content := range map[string]string{"a.png": string(picture(t)), "fatura.pdf": "%PDF-1.4 fatura"} {
			var a file.Attachment
			sh.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename="+name, content).Want(201).Data(&a)
			ids = append(ids, a.ID)
		}
		var out conversation.Written
		sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": "Ekte", "attachments": ids}).Want(200).Data(&out)
		sh.Settle()
		sent := sh.Box.Sent()
		if len(sent) != 2 {
			t.Fatalf("sent: %+v", sent)
		}
		kinds, captions := "", 0
		for _, m := range sent {
			kinds += m.Type + " "
			for _, f := range []*wire.Media{m.Image, m.Document} {
				if f != nil && f.Caption == "Ekte" {
					captions++
				}
			}
		}
		if !strings.Contains(kinds, "image") || !strings.Contains(kinds, "document") || captions != 1 {
			t.Errorf("sent %s with %d captions", kinds, captions)
		}
		if got := sh.Item(c, out.Item.ID); apptest.DeliveryOf(got) != conversation.Sent {
			t.Errorf("the item is %+v", got)
		}
	})
}

// A closed window refuses free text and says since when it is closed.
func TestClosedWindow(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		until := sh.Server.Clock.Now().Add(24 * time.Hour)
		sh.Later(24*time.Hour + time.Second)
		resp := sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Geç kaldık"})
		resp.Refused(422, "window_closed")
		if !strings.Contains(string(resp.Body), until.Format(`"window_expired_at":"2006-01-02T15:04:05`)) {
			t.Errorf("the answer is %s", resp.Body)
		}
		var choice reply.ChatTemplates
		sh.Owner.Get(conversations + "/" + c.ID.String() + "/chat-templates").Want(200).Data(&choice)
		if choice.WindowOpen || choice.WindowExpiresAt == nil || !choice.WindowExpiresAt.Equal(until) {
			t.Errorf("the choice is %+v", choice)
		}
		// A new conversation is created anyway, and says that the message failed.
		var begun struct {
			Delivery      string  `json:"delivery"`
			DeliveryError *string `json:"delivery_error"`
			Reused        bool    `json:"reused"`
		}
		sh.Owner.Post(conversations+"/new-as-agent", map[string]any{"contact_id": c.ContactID, "channel": "whatsapp", "body": "Merhaba"}).Want(201).Whole(&begun)
		if begun.Delivery != conversation.Failed || begun.DeliveryError == nil || *begun.DeliveryError != "window_closed" || !begun.Reused {
			t.Errorf("begun: %+v", begun)
		}
		sh.says("Buradayım")
		sh.Reply(c.ID, "Hoş geldiniz")
	})
}

// While the provider is busy the message waits, for as long as the provider asks.
func TestBusyProvider(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		sh.Box.Fail(503, 131016, 0)
		sh.Box.Fail(429, 130429, 90)
		item := sh.Reply(c, "Bekleyin")
		sh.Settle()
		if apptest.DeliveryOf(sh.Item(c, item.ID)) != conversation.Queued {
			t.Error("a busy provider ended the message")
		}
		sh.Server.Clock.Advance(5 * time.Second) // the job's own pace
		sh.Settle()
		sh.Server.Clock.Advance(80 * time.Second) // before Retry-After
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 0 {
			t.Errorf("too early: %+v", out)
		}
		sh.Server.Clock.Advance(15 * time.Second)
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 1 || apptest.DeliveryOf(sh.Item(c, item.ID)) != conversation.Sent {
			t.Errorf("sent %+v", out)
		}
	})
}

// If the provider never recovers, the message fails after a while.
func TestProviderStaysDown(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		for range 20 {
			sh.Box.Fail(500, 131000, 0)
		}
		item := sh.Reply(c, "Bekleyin")
		for range 20 {
			sh.Settle()
			sh.Later(time.Hour)
		}
		if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Failed || got.DeliveryError == nil {
			t.Errorf("the item is %+v", got)
		}
	})
}

// A message that the provider finally refuses fails, is announced, and can be sent again by
// hand.
func TestRefusedMessage(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		sh.Box.Fail(400, 131026, 0)
		item := sh.Reply(c, "Olmayacak")
		sh.Settle()
		got := sh.Item(c, item.ID)
		if apptest.DeliveryOf(got) != conversation.Failed || !strings.Contains(*got.DeliveryError, "131026") {
			t.Errorf("the item is %+v", got)
		}
		sh.Owner.Post(conversations+"/"+c.String()+"/items/"+item.ID.String()+"/retry", nil).Want(200)
		sh.Settle()
		if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Sent {
			t.Errorf("again: %+v", got)
		}
	})
}

// Later reports of the provider apply: a message that was accepted and did not arrive has
// failed, and a late "sent" does not change that.
func TestLateReports(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		item := sh.Reply(c, "Yola çıktı")
		sh.Settle()
		id := sh.Box.Sent()[0].ID
		sh.Box.Report(numberID, wire.Report{ID: id, Status: "failed", Errors: []wire.Error{{Code: 131049, Title: "Not delivered", Message: "Not delivered"}}})
		sh.Settle()
		sh.Box.Report(numberID, wire.Report{ID: id, Status: "sent"})
		sh.Box.Report(numberID, wire.Report{ID: "wamid.another", Status: "failed", Mark: uuid.NewString()})
		sh.Box.Report(numberID, wire.Report{ID: "wamid.third", Status: "failed", Mark: "somebody else's"})
		sh.Settle()
		if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Failed || !strings.Contains(*got.DeliveryError, "131049") {
			t.Errorf("the item is %+v", got)
		}
	})
}

// After two refusals of the token the account needs attention; a good token clears it.
func TestExpiredToken(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		sh.Box.Revoke(businessID, "EAAGnew")
		first := sh.Reply(c, "Bir")
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("after one refusal: %+v", a)
		}
		sh.Reply(c, "İki")
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != channel.TokenExpired {
			t.Errorf("after two: %+v", a)
		}
		if got := sh.Item(c, first.ID); apptest.DeliveryOf(got) != conversation.Failed || *got.DeliveryError != "token_expired" {
			t.Errorf("the first answer: %+v", got)
		}
		sh.connect(map[string]any{"access_token": "EAAGnew"}).Want(201)
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active || a.Reason != nil {
			t.Errorf("with a new token: %+v", a)
		}
		sh.Owner.Post(conversations+"/"+c.String()+"/items/"+first.ID.String()+"/retry", nil).Want(200)
		sh.Settle()
		if got := sh.Item(c, first.ID); apptest.DeliveryOf(got) != conversation.Sent {
			t.Errorf("the first answer again: %+v", got)
		}
	})
}
