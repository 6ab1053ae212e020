package telegram_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/telegram"
	"konak/internal/crm/conversation"
	wire "konak/internal/provider/telegram"
	sandbox "konak/internal/sandbox/telegram"
)

// A link ties one person to the workspace, for a while; a connection without a link is
// ignored.
func TestBusinessLink(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		start := channels + "/chatbot/business/start"
		if e := sh.Owner.Post(start, map[string]any{}).Refused(409, "channel_unavailable"); e.Reason != "no_bot" {
			t.Errorf("without a bot: %+v", e)
		}
		sh.connect(nil).Want(201).Data(&sh.Account)
		sh.Guest().Post(start, map[string]any{}).Refused(403, "forbidden")
		sh.Owner.Post(start, nil).Want(200)
		link := func() telegram.Link {
			t.Helper()
			var started telegram.Started
			sh.Owner.Post(start, map[string]any{"channel_id": sh.Account.ID}).Want(200).Data(&started)
			return started.Link
		}
		first := link()
		if first.URL != "https://t.me/demo_bot?start="+first.State || first.BotUsername != "demo_bot" || len(first.State) > 64 || !first.ExpiresAt.Equal(sh.Server.Clock.Now().Add(15*time.Minute)) {
			t.Errorf("the link is %+v", first)
		}
		opens := func(who sandbox.Person, state string) string {
			t.Helper()
			sh.Box.Say(botID, who, "/start "+state)
			sh.Settle()
			if out := sh.Box.Sent(botID); len(out) == 1 && out[0].Chat == who.ID {
				return out[0].Text
			}
			return ""
		}
		stranger := sandbox.Person{ID: 901, Name: "Yabancı"}
		if got := opens(stranger, strings.Replace(first.State, "tgb_", "tgb_x", 1)); got != "" {
			t.Errorf("a guessed state was answered with %q", got)
		}
		// Opened at another bot of the workspace, a link ties nobody, there or here.
		const otherID = 700000009
		sh.Box.Add(sandbox.Bot{ID: otherID, Name: "Öteki", Username: "other_bot", Token: "700000009:x"})
		var other channel.Account
		sh.connect(map[string]any{"bot_token": "700000009:x"}).Want(201).Data(&other)
		sh.Box.Say(otherID, owner, "/start "+first.State)
		sh.Settle()
		if out := sh.Box.Sent(otherID); len(out) != 1 || !strings.Contains(out[0].Text, "is over") {
			t.Errorf("at another bot: %+v", out)
		}
		if got := opens(owner, first.State); !strings.Contains(got, "Chatbots") {
			t.Errorf("the owner was told %q", got)
		}
		if got := opens(stranger, first.State); !strings.Contains(got, "used by somebody else") {
			t.Errorf("a stranger was told %q", got)
		}
		sh.Box.Connect(botID, "conn9", stranger, true, true)
		sh.Settle()
		if len(sh.accounts()) != 2 || len(sh.Inbox()) != 0 {
			t.Errorf("a stranger's account is ours: %+v", sh.accounts())
		}
		sh.Box.Connect(otherID, "conn8", owner, true, true) // the link is for the first bot
		sh.Settle()
		if len(sh.accounts()) != 2 {
			t.Errorf("a link counted for another bot: %+v", sh.accounts())
		}
		sh.Owner.Delete(channels + "/" + other.ID.String()).Want(200)
		sh.Box.Connect(botID, "conn1", owner, true, true)
		sh.Settle()
		if a := sh.ofOwner(); a.Name != owner.Name || a.Status != channel.Active || sh.settings(a).Business.PersonID != owner.ID {
			t.Errorf("the account is %+v", a)
		}
		// The link is used up: after the bot was removed and the account disconnected, it
		// does not come back.
		sh.Owner.Delete(channels + "/" + sh.ofOwner().ID.String()).Want(200)
		sh.Box.Connect(botID, "conn2", owner, true, true)
		sh.Settle()
		if len(sh.accounts()) != 1 {
			t.Error("a link counted twice")
		}
		// An expired link ties nobody.
		late := link()
		sh.Later(15 * time.Minute)
		if got := opens(owner, late.State); !strings.Contains(got, "is over") {
			t.Errorf("a late owner was told %q", got)
		}
		tied := link()
		opens(owner, tied.State)
		sh.Later(15 * time.Minute)
		sh.Box.Connect(botID, "conn3", owner, true, true)
		sh.Settle()
		if len(sh.accounts()) != 1 {
			t.Error("a connection came after its link's time")
		}
	})
}

// Customers' messages to the person come in over the person's account; what the person
// types is an agent's reply, and our own messages are not brought in again.
func TestBusinessMessages(t *testing.T) {
	business(t, func(t *testing.T, sh *shop, at channel.Account) {
		in := func(m wire.Message) int64 {
			t.Helper()
			m.BusinessConnectionID = "conn1"
			id := sh.Box.Write(botID, elif, m)
			sh.Settle()
			return id
		}
		sh.Box.Sent(botID)
		first := in(wire.Message{Text: "Patron orada mı?"})
		c := sh.Only()
		if *c.ChannelAccountID != at.ID || c.ContactName != "Elif Kaya" || c.WaitingSince == nil {
			t.Errorf("the conversation is %+v", c)
		}
		item := sh.Reply(c.ID, "Buradayız")
		sh.Settle()
		out := sh.Box.Sent(botID)
		if len(out) != 1 || out[0].Connection != "conn1" || out[0].Chat != elif.ID || apptest.DeliveryOf(sh.Item(c.ID, item.ID)) != conversation.Sent {
			t.Fatalf("sent %+v", out)
		}
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/typing", map[string]any{"typing": true}).Want(200)
		sh.Settle()
		if got := sh.Box.Actions(botID); len(got) != 1 || got[0] != (sandbox.ChatAction{Chat: elif.ID, Connection: "conn1", Action: "typing"}) {
			t.Errorf("the customer was shown %+v", got)
		}
		// Our own message comes back, possibly before we know its number.
		for _, id := range []int64{out[0].MessageID, 777} {
			in(wire.Message{MessageID: id, Text: "Buradayız", From: &wire.User{ID: owner.ID}, Chat: wire.Chat{ID: elif.ID, Type: "private"}, SenderBusinessBot: &wire.User{ID: botID}})
		}
		in(wire.Message{Text: "Bir sorum daha var"})
		typed := in(wire.Message{Text: "Ben yazıyorum", From: &wire.User{ID: owner.ID, FirstName: "Deniz"}, Chat: wire.Chat{ID: elif.ID, Type: "private", FirstName: "Elif Kaya"}})
		items := sh.Items(c.ID)
		if len(items) != 4 || items[0].Body != "Ben yazıyorum" || items[0].AuthorKind != conversation.ByAgent || apptest.DeliveryOf(items[0]) != conversation.Sent {
			t.Fatalf("the timeline is %+v", items)
		}
		if got := sh.Only(); got.WaitingSince != nil || got.Preview != "Ben yazıyorum" {
			t.Errorf("the customer still waits: %+v", got)
		}
		// Edits and deletions of both sides.
		sh.Box.Edit(botID, elif, wire.Message{MessageID: typed, BusinessConnectionID: "conn1", Text: "Ben yazdım", From: &wire.User{ID: owner.ID}, Chat: wire.Chat{ID: elif.ID, Type: "private"}})
		sh.Box.Delete(botID, "conn1", elif, first, 4242)
		sh.Box.Delete(botID, "conn7", elif, typed) // a connection that is not ours
		sh.Settle()
		sh.Box.Delete(botID, "conn1", elif, first)
		sh.Settle()
		if items := sh.Items(c.ID); len(items) != 3 || items[0].Body != "Ben yazdım" {
			t.Errorf("after the changes: %+v", items)
		}
		// The same chat with the bot itself is another conversation.
		sh.says("Bota yazıyorum")
		if len(sh.Inbox()) != 2 {
			t.Errorf("%d conversations", len(sh.Inbox()))
		}
		// Bots cannot react in a person's account.
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/items/"+items[1].ID.String()+"/reaction", map[string]any{"emoji": "👍"}).Refused(422, "reaction_unsupported")
		// The window closes a day after the customer's last message.
		sh.Later(24*time.Hour + time.Second)
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Geç"}).Refused(422, "window_closed")
	})
}

// A conversation that the person begins waits for nobody.
func TestConversationBegunByBusinessOwner(t *testing.T) {
	business(t, func(t *testing.T, sh *shop, at channel.Account) {
		sh.Box.Write(botID, elif, wire.Message{
			Text: "Merhaba Elif Hanım", BusinessConnectionID: "conn1", From: &wire.User{ID: owner.ID, FirstName: "Deniz"},
			Chat: wire.Chat{ID: elif.ID, Type: "private", FirstName: "Elif", LastName: "Kaya"},
		})
		sh.Settle()
		c := sh.Only()
		if c.ContactName != "Elif Kaya" || c.WaitingSince != nil || c.AIState != conversation.AIOff || *c.ChannelAccountID != at.ID {
			t.Errorf("the conversation is %+v", c)
		}
	})
}

// The person's changes to the bot in their account are shown and obeyed.
func TestBusinessChanges(t *testing.T) {
	business(t, func(t *testing.T, sh *shop, at channel.Account) {
		sh.Box.Write(botID, elif, wire.Message{Text: "Merhaba", BusinessConnectionID: "conn1"})
		sh.Settle()
		c := sh.Only().ID
		answer := func() string {
			t.Helper()
			sh.Settle()
			return string(sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": "Buyurun"}).Body)
		}
		sh.Box.Connect(botID, "conn1", owner, false, true)
		if got := answer(); !strings.Contains(got, "no_reply_right") {
			t.Errorf("without the right to answer: %s", got)
		}
		sh.Box.Connect(botID, "conn1", owner, true, false)
		sh.Settle()
		if a := sh.ReadAccount(at.ID); a.Status != channel.Attention || *a.Reason != telegram.BusinessEnded {
			t.Errorf("taken out: %+v", a)
		}
		if got := answer(); !strings.Contains(got, `"business_ended"`) || len(sh.Items(c)) != 1 {
			t.Errorf("an answer after the bot was taken out: %s", got)
		}
		// Connected again it has another name at the provider, but is the same account.
		sh.Box.Connect(botID, "conn5", owner, true, true)
		sh.Box.Write(botID, elif, wire.Message{Text: "Yeniden", BusinessConnectionID: "conn5"})
		if got := answer(); strings.Contains(got, `"error"`) || sh.ReadAccount(at.ID).Status != channel.Active || len(sh.Items(c)) != 3 {
			t.Errorf("connected anew: %s", got)
		}
		sh.Settle()
		sh.Owner.Get(channels+"/"+at.ID.String()+"/webhook").Refused(409, "conflict")
		sh.Owner.Post(channels+"/"+at.ID.String()+"/webhook", nil).Refused(409, "conflict")
		// A paused account brings nothing in while the bot itself works; what arrives in
		// the meantime comes in when it works again, unless that takes a day.
		sh.Owner.Do("PATCH", channels+"/"+at.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Box.Write(botID, elif, wire.Message{Text: "Duyulmaz", BusinessConnectionID: "conn5"})
		sh.Settle()
		if got := sh.Items(c); len(got) != 3 {
			t.Errorf("%d items", len(got))
		}
		sh.Later(time.Hour)
		sh.Settle()
		sh.Owner.Do("PATCH", channels+"/"+at.ID.String()+"/status", map[string]any{"status": "active"}).Want(200)
		sh.Settle()
		if got := sh.Items(c); len(got) != 4 || got[0].Body != "Duyulmaz" {
			t.Errorf("after the pause: %+v", got)
		}
		sh.Owner.Do("PATCH", channels+"/"+at.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Box.Write(botID, elif, wire.Message{Text: "Eskir", BusinessConnectionID: "conn5"})
		sh.Settle()
		for range 25 {
			sh.Later(time.Hour)
			sh.Settle()
		}
		sh.Owner.Do("PATCH", channels+"/"+at.ID.String()+"/status", map[string]any{"status": "active"}).Want(200)
		sh.Settle()
		if got := sh.Items(c); len(got) != 4 {
			t.Errorf("a day later: %+v", got)
		}
		// It ends with its bot.
		sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
		if a := sh.ReadAccount(at.ID); a.Status != channel.Disconnected {
			t.Errorf("after its bot: %+v", a)
		}
	})
}
