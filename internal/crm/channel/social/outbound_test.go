package social_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/social"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/reply"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	wire "konak/internal/provider/social"
)

func TestRepliesAreSent(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		long := strings.Repeat("çok uzun ", 300) // 2,700 characters
		item := sh.Reply(c.ID, long, sh.Upload("a.png", string(picture(t))), sh.Upload("fatura.pdf", "%PDF-1.4\n"))
		sh.Settle()
		sent := sh.Box.Sent(pageID)
		if len(sent) != 4 {
			t.Fatalf("%d messages were sent: %s", len(sent), asText(sent))
		}
		if a, b := sent[0].Message.Text, sent[1].Message.Text; a+" "+b != strings.TrimSpace(long) || len([]rune(a)) > 2000 {
			t.Errorf("the pieces have %d and %d characters", len([]rune(a)), len([]rune(b)))
		}
		if f := sent[2].File; f == nil || f.Kind != social.FileImage || f.Name != "a.png" {
			t.Errorf("the picture is %+v", f)
		}
		if f := sent[3].File; f == nil || f.Kind != social.FileOther || string(f.Content) != "%PDF-1.4\n" {
			t.Errorf("the document is %+v", f)
		}
		if sent[0].Type != wire.TypeResponse || sent[0].Tag != "" {
			t.Errorf("within the window it is a %s with %q", sent[0].Type, sent[0].Tag)
		}
		if got := sh.Item(c.ID, item.ID); apptest.DeliveryOf(got) != conversation.Sent {
			t.Errorf("the answer is %+v", got)
		}
	})
}

// After 24 hours only a person can reply, if the page has the human-agent tag, and after
// seven days nobody.
func TestReplyWindow(t *testing.T) {
	for name, human := range map[string]bool{"with the tag": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, sh *shop) {
				sh.connect("messenger", map[string]any{"human_agent": human}).Want(201).Data(&sh.Account)
				sh.says(elif, "Merhaba")
				c := sh.Only()
				checkWindow := func(open bool) {
					t.Helper()
					var got reply.ChatTemplates
					sh.Owner.Get(conversations + "/" + c.ID.String() + "/chat-templates").Want(200).Data(&got)
					if got.WindowOpen != open {
						t.Errorf("the window is said to be open: %t", got.WindowOpen)
					}
				}
				checkWindow(true)
				sh.Later(24 * time.Hour)
				checkWindow(human)
				if !human {
					sh.TryReply(c.ID, "Buyurun").Refused(422, "window_closed")
					return
				}
				sh.Reply(c.ID, "Buyurun")
				sh.Settle()
				if sent := sh.Box.Sent(pageID); len(sent) != 1 || sent[0].Tag != wire.TagHuman || sent[0].Type != wire.TypeTag {
					t.Errorf("after a day %s was sent", asText(sent))
				}
				// A program does not count as a person.
				_, err := sh.Server.Replies.Reply(sh.Context(), c.ID, reply.Answer{Author: conversation.Author{Kind: conversation.ByBot}, Body: "Otomatik"})
				if !fault.Is(err, fault.WindowClosed) {
					t.Errorf("a program's answer after a day: %v", err)
				}
				if n := len(sh.Items(c.ID)); n != 2 {
					t.Errorf("%d items: what was refused was written", n)
				}
				sh.Later(6*24*time.Hour - time.Minute)
				sh.Reply(c.ID, "Hâlâ yardımcı olabilirim")
				sh.Later(2 * time.Minute)
				sh.TryReply(c.ID, "Çok geç").Refused(422, "window_closed")
				checkWindow(false)
			})
		})
	}
}

// A message that the channel cannot carry is refused before anything is written.
func TestUnsupported(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		sh.says(ayse, "Merhaba")
		c := sh.Only()
		e := sh.TryReply(c.ID, "Faturanız", sh.Upload("fatura.pdf", "%PDF-1.4\n")).Refused(422, "validation_failed")
		if e.Fields["attachments"][0] != "type_unsupported" || e.Reason != "fatura.pdf" {
			t.Errorf("a document: %+v", e)
		}
		big := string(picture(t)) + strings.Repeat("x", 9<<20)
		if e := sh.TryReply(c.ID, "", sh.Upload("big.png", big)).Refused(422, "validation_failed"); e.Fields["attachments"][0] != "too_large" {
			t.Errorf("a large picture: %+v", e)
		}
		items := sh.Items(c.ID)
		if len(items) != 1 {
			t.Fatalf("%d items: what was refused was written", len(items))
		}
		at := conversations + "/" + c.ID.String() + "/items/" + items[0].ID.String() + "/reaction"
		if e := sh.Owner.Post(at, map[string]any{"emoji": "👍"}).Refused(422, "reaction_unsupported"); e.Reason != "sign_unsupported" {
			t.Errorf("another sign: %+v", e)
		}
		sh.Owner.Post(at, map[string]any{"emoji": "❤️"}).Want(200)
		if sent := sh.Box.Sent(pageID); len(sent) != 1 || sent[0].Payload.Reaction != "love" {
			t.Errorf("the heart was sent as %s", asText(sent))
		}
		long := strings.Repeat("ğ", 600) // 1,200 bytes
		sh.Reply(c.ID, long)
		sh.Settle()
		if sent := sh.Box.Sent(pageID); len(sent) != 2 {
			t.Errorf("a long text was sent as %d", len(sent))
		}
	})
}

// memberWith signs in a member who has one permission.
func (sh *shop) memberWith(p perm.Permission) *apptest.Client {
	sh.T.Helper()
	role, email := strings.ReplaceAll(string(p), ".", "-"), string(p)+"@demo.example"
	sh.Owner.Put("/api/v1/auth/roles", map[string]any{"name": role, "title": role, "permissions": []perm.Permission{p}}).Want(200)
	if err := sh.Server.Identity.AddMember(sh.T.Context(), sh.ID, "Üye", email, apptest.Password, role); err != nil {
		sh.T.Fatal(err)
	}
	return sh.SignIn(email)
}

// The API lists what each kind can carry.
func TestCapabilities(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		var list []channel.KindCapabilities
		sh.Owner.Get(channels + "/capabilities").Want(200).Data(&list)
		got := ""
		for _, c := range list {
			if c.Kind == "telegram" { // it has many
				c.ReactionSigns = c.ReactionSigns[:2]
			}
			got += fmt.Sprintf("%s: %dh, %d rules, signs %v, calls %v, templates %v\n", c.Kind, c.WindowHours, len(c.Files), c.ReactionSigns, c.Calls, c.Templates)
			if c.Formatting != (c.Kind == "email") || c.Typing != slices.Contains([]string{"widget", "telegram", social.Messenger}, c.Kind) {
				t.Errorf("%s: formatting %v, typing %v", c.Kind, c.Formatting, c.Typing)
			}
			if (c.MaxText == 4096) != (c.Kind == "whatsapp") || c.MaxText != 0 && c.Kind != "whatsapp" {
				t.Errorf("%s: texts of %d characters", c.Kind, c.MaxText)
			}
			for _, rule := range c.Files { // no more than an upload can have
				if rule.MaxSize <= 0 || rule.MaxSize > file.MaxSize {
					t.Errorf("%s: files of %d bytes", c.Kind, rule.MaxSize)
				}
			}
		}
		want := "custom: 0h, 1 rules, signs [], calls false, templates false\n" +
			"email: 0h, 1 rules, signs [], calls false, templates false\n" +
			"help_center: 0h, 0 rules, signs [], calls false, templates false\n" +
			"instagram: 24h, 3 rules, signs [❤️ ❤], calls false, templates false\n" +
			"messenger: 24h, 1 rules, signs [], calls true, templates false\n" +
			"telegram: 0h, 1 rules, signs [❤ 👍], calls false, templates false\n" +
			"whatsapp: 24h, 1 rules, signs [], calls true, templates true\n" +
			"widget: 0h, 1 rules, signs [], calls false, templates false\n"
		if got != want {
			t.Errorf("the kinds are\n%s", got)
		}
		// The list is for people who answer customers, and nobody else.
		sh.Guest().Get(channels+"/capabilities").Refused(403, "forbidden")
		sh.memberWith(perm.ConversationsView).Get(channels + "/capabilities").Want(200)
		sh.memberWith(perm.ChannelsView).Get(channels+"/capabilities").Refused(403, "forbidden")
	})
}

func TestReact(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		id := sh.says(elif, "Merhaba")
		c := sh.Only()
		at := conversations + "/" + c.ID.String() + "/items/" + sh.Items(c.ID)[0].ID.String() + "/reaction"
		sh.Owner.Post(at, map[string]any{"emoji": "🎉"}).Want(200)
		sent := sh.Box.Sent(pageID)
		if len(sent) != 1 || sent[0].Action != wire.ActionReact || sent[0].Payload.MessageID != id || sent[0].Payload.Reaction != "🎉" {
			t.Errorf("the reaction was sent as %s", asText(sent))
		}
		sh.Owner.Post(at, map[string]any{"emoji": ""}).Want(200)
		if sent := sh.Box.Sent(pageID); len(sent) != 1 || sent[0].Action != wire.ActionUnreact {
			t.Errorf("it was taken away as %s", asText(sent))
		}
		sh.Box.Fail("messages", 500, 2, 0, 0)
		sh.Owner.Post(at, map[string]any{"emoji": "🎉"}).Refused(502, "provider_rejected")
	})
}

func TestReceipts(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		see := func() []string {
			sh.says(elif, "Orada mısınız?")
			c := sh.Only()
			sh.Owner.Post(conversations+"/"+c.ID.String()+"/join", nil).Want(200)
			sh.Owner.Post(conversations+"/"+c.ID.String()+"/read", nil).Want(200)
			sh.Settle()
			return sh.Box.Seen(pageID)
		}
		if got := see(); len(got) != 0 {
			t.Errorf("receipts are off and %v were told", got)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/read-receipts", map[string]any{"enabled": true}).Want(200)
		if got := see(); len(got) != 1 || got[0] != elif.ID {
			t.Errorf("%v were told", got)
		}
	})
}

func TestRating(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.Owner.Put(conversations+"/settings", map[string]any{"reopen": true, "reopen_days": nil, "csat": true}).Want(200)
		sh.says(elif, "Merhaba")
		c := sh.Only()
		sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		sh.Box.Sent(pageID)
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/close", nil).Want(200)
		sh.Later(time.Minute)
		sh.Settle()
		sent := sh.Box.Sent(pageID)
		if len(sent) != 1 || len(sent[0].Message.QuickReplies) != 5 {
			t.Fatalf("the question is %s", asText(sent))
		}
		choice := sent[0].Message.QuickReplies[3]
		// An app can send anything: another customer's rating cannot be given.
		sh.Box.Write(pageID, ayse, wire.Incoming{Text: choice.Title, QuickReply: &wire.QuickReply{Payload: choice.Payload}})
		sh.Settle()
		if got := sh.Items(c.ID)[0]; got.Event != nil && *got.Event == "rated" {
			t.Errorf("another customer's rating counts: %+v", got)
		}
		sh.Box.Write(pageID, elif, wire.Incoming{Text: choice.Title, QuickReply: &wire.QuickReply{Payload: choice.Payload}})
		sh.Settle()
		got := sh.Items(c.ID)[0]
		if got.Event == nil || *got.Event != "rated" || got.Detail["rating"] != float64(4) || sh.Only().State != conversation.Closed {
			t.Errorf("the rating is %+v", got)
		}
	})
}

// A token that no longer opens the page is shown on the account, and a new one repairs it.
func TestTokenExpires(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		sh.Box.Add(renamed("gone"))
		for range 2 {
			item := sh.Reply(c.ID, "Buyurun")
			sh.Settle()
			if got := sh.Item(c.ID, item.ID); apptest.DeliveryOf(got) != conversation.Failed || *got.DeliveryError != transport.ReasonToken {
				t.Errorf("with an old token the answer is %+v", got)
			}
		}
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != channel.TokenExpired {
			t.Errorf("the account is %s because of %v", a.Status, a.Reason)
		}
		sh.connect("messenger", map[string]any{"access_token": "gone"}).Want(201)
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("with a new token the account is %s", a.Status)
		}
		// The count starts again with the new token.
		sh.Box.Add(renamed("gone again"))
		sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("after one refusal the account is %s", a.Status)
		}
	})
}

// If the provider is busy, broken or cut off, the call is tried again; a refusal is shown
// on the message.
func TestProviderFails(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		for _, f := range []struct {
			what   string
			status int
			code   int
			retry  int
		}{{"busy", 400, 613, 0}, {"busy for a while", 429, 4, 60}, {"broken", 500, 2, 0}} {
			sh.Box.Fail("messages", f.status, f.code, 0, f.retry)
			item := sh.Reply(c.ID, "Buyurun")
			sh.Settle()
			if got := sh.Item(c.ID, item.ID); apptest.DeliveryOf(got) != conversation.Queued {
				t.Errorf("%s: the answer is %+v", f.what, got)
			}
			sh.Later(10 * time.Minute)
			sh.Settle()
			if got, sent := sh.Item(c.ID, item.ID), sh.Box.Sent(pageID); apptest.DeliveryOf(got) != conversation.Sent || len(sent) != 1 {
				t.Errorf("%s: later the answer is %s, sent %d times", f.what, apptest.DeliveryOf(got), len(sent))
			}
		}
		sh.Box.Fail("messages", 400, 100, 2018109, 0)
		item := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		if got := sh.Item(c.ID, item.ID); apptest.DeliveryOf(got) != conversation.Failed || !strings.Contains(*got.DeliveryError, "(100)") {
			t.Errorf("refused: %+v", got)
		}
	})
}

// If the provider accepted a message but its answer was lost, the page's own copy proves
// it, and the message is not sent twice.
func TestLostProviderAnswerSendsOnce(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		sh.Answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/messages") {
				sh.Box.ServeHTTP(w, r)
				return
			}
			sh.Box.ServeHTTP(discard{http.Header{}}, r)
			panic(http.ErrAbortHandler)
		})
		item := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		sh.Answer(nil)
		sh.Later(time.Hour)
		sh.Settle()
		if got, sent := sh.Item(c.ID, item.ID), sh.Box.Sent(pageID); apptest.DeliveryOf(got) != conversation.Sent || len(sent) != 1 {
			t.Errorf("the answer is %s, sent %d times", apptest.DeliveryOf(got), len(sent))
		}
	})
}
