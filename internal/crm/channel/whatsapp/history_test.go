package whatsapp_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/conversation"
	"konak/internal/kit/dbtest"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

// past returns a message of the history of this age.
func (sh *shop) past(id, from string, ago time.Duration, text string) wire.HistoryIncoming {
	m := wire.Incoming{ID: id, From: from, Type: "text", Text: &wire.Text{Body: text}, Timestamp: strconv.FormatInt(sh.Server.Clock.Now().Add(-ago).Unix(), 10)}
	if text == "" {
		m.Type, m.Text = "media_placeholder", nil
	}
	return wire.HistoryIncoming{Incoming: m, Context: &wire.HistoryContext{Status: "read", FromMe: from == owners}}
}

const owners = "902121234567"

// onApp makes the number one that its owner also uses in the app, and connects it.
func (sh *shop) onApp(threads ...wire.HistoryThread) whatsapp.Settings {
	sh.T.Helper()
	sh.Box.Add(sandbox.Business{
		ID: businessID, Token: token, AppSecret: appSecret,
		Numbers: []wire.PhoneNumber{{ID: numberID, Display: "+90 212 123 45 67", VerifiedName: "Demo A.Ş.", Platform: "CLOUD_API", OnApp: true}},
	})
	if threads != nil {
		sh.Box.ShareHistory(numberID, threads...)
	}
	sh.connect(nil).Want(201).Data(&sh.Account)
	sh.Settle()
	return sh.numberSettings()
}

func (sh *shop) numberSettings() (set whatsapp.Settings) {
	sh.T.Helper()
	a := sh.ReadAccount(sh.Account.ID)
	if err := a.Read(&set); err != nil {
		sh.T.Fatal(err)
	}
	return set
}

// Earlier messages of the phone appear at their place in the timeline, and trigger nothing.
func TestHistoryIsImported(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		day := 24 * time.Hour
		list := []wire.HistoryIncoming{ // the newest first, as the provider has them
			sh.past("wamid.4", elif.ID, time.Hour, "Kargo çıktı mı?"),
			sh.past("wamid.3", owners, 2*day, ""),
			sh.past("wamid.2", owners, 2*day+time.Second, "Yarın çıkıyor"),
			sh.past("wamid.1", elif.ID, 3*day, "Siparişim nerede?"),
			sh.past("wamid.0", elif.ID, 181*day, "Çok eski"),
		}
		list = append(list, wire.HistoryIncoming{Incoming: wire.Incoming{ID: "wamid.r", From: elif.ID, Type: "reaction", Reaction: &wire.Reaction{MessageID: "wamid.2", Emoji: "👍"}, Timestamp: list[0].Timestamp}})
		set := sh.onApp(wire.HistoryThread{ID: elif.ID, Messages: list})
		if !set.OnApp || set.History != whatsapp.HistoryShared {
			t.Errorf("the number is %+v", set)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/ai", map[string]any{"enabled": true}).Want(200)
		var closed []conversation.Conversation
		sh.Owner.Get(conversations + "?state=closed").Want(200).Data(&closed)
		if len(closed) != 1 || len(sh.Inbox()) != 1 {
			t.Fatalf("%d closed conversations of %d", len(closed), len(sh.Inbox()))
		}
		c := closed[0]
		if c.WaitingSince != nil || c.FirstReplyAt != nil || c.AIState != conversation.AIOff || c.Preview != "Kargo çıktı mı?" || !c.LastActivityAt.Equal(sh.Server.Clock.Now().Add(-time.Hour)) {
			t.Errorf("the conversation is %+v", c)
		}
		items := sh.Items(c.ID)
		if len(items) != 4 || items[0].Body != "Kargo çıktı mı?" || items[3].Body != "Siparişim nerede?" || items[2].AuthorKind != conversation.ByAgent || items[1].Body == "" {
			t.Fatalf("the timeline is %+v", items)
		}
		// The provider may send it again, and a new message comes after it.
		sh.Box.Tell(numberID, "history", map[string]any{"history": []wire.HistoryChunk{{Threads: []wire.HistoryThread{{ID: elif.ID, Messages: list}}}}})
		sh.Settle()
		sh.says("Yeni mesaj")
		if items = sh.Items(c.ID); len(items) < 5 || items[0].Body == "Kargo çıktı mı?" {
			t.Fatalf("after a new message: %+v", items)
		}
		messages := 0
		for _, i := range items {
			if i.Kind == conversation.Message {
				messages++
			}
		}
		if now := sh.Only(); messages != 5 || now.State != conversation.Open || now.WaitingSince == nil {
			t.Errorf("%d messages, the conversation is %+v", messages, now)
		}
		// Shared history stays, and it opened no window for anybody else.
		sh.Box.Tell(numberID, "history", map[string]any{"history": []wire.HistoryChunk{{Errors: []wire.Error{{Code: wire.CodeHistoryDeclined}}}}})
		sh.Settle()
		if set := sh.numberSettings(); set.History != whatsapp.HistoryShared {
			t.Errorf("the history is %q", set.History)
		}
	})
}

// A history opens no window and announces nothing: no event of a message or a conversation.
func TestHistoryAnnouncesNothing(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.onApp(wire.HistoryThread{ID: elif.ID, Messages: []wire.HistoryIncoming{sh.past("wamid.1", elif.ID, time.Minute, "Merhaba")}})
		c := sh.Only()
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "Buyurun"}).Refused(422, "window_closed")
		rows := dbtest.Dump(t, sh.Server.DB, sh.ID)
		for _, e := range []string{conversation.Created, conversation.Replied, conversation.Updated} {
			if strings.Contains(rows, e) {
				t.Errorf("the history was announced by %s", e)
			}
		}
	})
}

// Messages that are not from the past, have no name or are of a blocked customer are
// skipped; the provider decides who wrote a message.
func TestHistorySkipsUnusableMessages(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		blocked := sh.customer("+905550001122")
		sh.Owner.Post("/api/crm/v1/contacts/"+blocked.ID.String()+"/block", nil).Want(200)
		ours := sh.past("wamid.2", elif.ID, time.Minute, "Telefondan")
		ours.Context.FromMe = true
		system := sh.past("wamid.3", elif.ID, time.Minute, "Yeni numara")
		system.Type, system.Text, system.System = "system", nil, &wire.System{Body: "Yeni numara"}
		sh.onApp(
			wire.HistoryThread{ID: elif.ID, Messages: []wire.HistoryIncoming{
				sh.past("wamid.1", elif.ID, 2*time.Minute, "Merhaba"), ours, system, sh.past("wamid.4", elif.ID, -time.Hour, "Yarın"), sh.past("", elif.ID, time.Minute, "Adsız"),
			}},
			wire.HistoryThread{ID: "905550001122", Messages: []wire.HistoryIncoming{sh.past("wamid.5", "905550001122", time.Minute, "Engelli")}},
		)
		items := sh.Items(sh.Only().ID)
		if len(items) != 2 || items[0].Body != "Telefondan" || items[0].AuthorKind != conversation.ByAgent || items[1].Body != "Merhaba" || items[1].AuthorKind != conversation.ByContact {
			t.Errorf("the timeline is %+v", items)
		}
	})
}

// The app's data is requested once, and only for a number that its owner uses there.
func TestHistoryIsRequestedOnce(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		asked := 0
		before := func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/smb_app_data") {
				asked++
			}
		}
		sh.Before.Store(&before)
		sh.connect(nil).Want(201)
		if asked != 0 {
			t.Errorf("an ordinary number was asked %d times", asked)
		}
		sh.onApp()
		sh.connect(nil).Want(201)
		if asked != 2 { // for contacts and history
			t.Errorf("asked %d times", asked)
		}
	})
}

// That an owner does not share the history is shown, and nothing else changes.
func TestHistoryIsDeclined(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		if set := sh.onApp(); set.History != whatsapp.HistoryDeclined || len(sh.Inbox()) != 0 {
			t.Errorf("the number is %+v", set)
		}
		sh.Box.Tell(numberID, "smb_app_state_sync", map[string]any{"state_sync": []any{map[string]any{
			"type": "contact", "action": "add", "contact": map[string]any{"full_name": "Elif Kaya", "phone_number": elif.ID},
		}}})
		sh.Settle()
		sh.says("Yeni mesaj")
		if items := sh.Items(sh.Only().ID); len(items) != 1 || items[0].Body != "Yeni mesaj" {
			t.Errorf("the timeline is %+v", items)
		}
	})
}

// pastFile returns a picture of the history of this age.
func (sh *shop) pastFile(id, from string, ago time.Duration, caption string) wire.HistoryIncoming {
	m := sh.past(id, from, ago, caption)
	m.Type, m.Text = "image", nil
	m.Image = &wire.Media{ID: sh.Box.File(businessID, "image/png", picture(sh.T)), MimeType: "image/png", Caption: caption}
	return m
}

// Files of the last two weeks are reported separately from the history, and replace the
// text that stood for them; older ones stay text.
func TestFilesOfTheHistory(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		day := 24 * time.Hour
		list := []wire.HistoryIncoming{
			sh.pastFile("wamid.3", owners, day, ""), sh.pastFile("wamid.2", elif.ID, 2*day, "Fatura"), sh.pastFile("wamid.1", elif.ID, 15*day, ""),
		}
		sh.onApp(wire.HistoryThread{ID: elif.ID, Messages: list})
		c := sh.Only()
		items := sh.Items(c.ID)
		if len(items) != 3 {
			t.Fatalf("the timeline is %+v", items)
		}
		for i, want := range []string{"", "Fatura"} {
			got := items[i]
			if got.Body != want || got.EditedAt != nil || len(got.Attachments) != 1 || got.Attachments[0].Pending || got.Attachments[0].Blocked != nil || got.Attachments[0].Size != int64(len(picture(t))) {
				t.Errorf("%d: %+v", i, got)
			}
		}
		if old := items[2]; !strings.Contains(old.Body, "📎") || len(old.Attachments) != 0 {
			t.Errorf("what is too old is %+v", old)
		}
		if c.Preview != "📎 image.png" || c.WaitingSince != nil || c.State != conversation.Closed {
			t.Errorf("the conversation is %+v", c)
		}
		// A repeat, in whatever order, adds nothing.
		files := []wire.Incoming{list[0].Incoming, list[1].Incoming}
		files[0].To = elif.ID
		sh.Box.Tell(numberID, "history", map[string]any{"messages": files})
		sh.Box.Tell(numberID, "history", map[string]any{"history": []wire.HistoryChunk{{Threads: []wire.HistoryThread{{ID: elif.ID, Messages: list}}}}})
		sh.Settle()
		again := sh.Items(c.ID)
		if len(again) != 3 || len(again[0].Attachments) != 1 || len(again[1].Attachments) != 1 {
			t.Errorf("after a repeat: %+v", again)
		}
	})
}

// Files that are reported before the history come with their messages.
func TestFilesBeforeTheHistory(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.onApp(wire.HistoryThread{ID: elif.ID})
		theirs, ours := sh.pastFile("wamid.1", elif.ID, time.Hour, "Fatura").Incoming, sh.pastFile("wamid.2", owners, time.Minute, "").Incoming
		lost := sh.pastFile("wamid.3", owners, time.Minute, "").Incoming // its customer is unknown
		ours.To = elif.ID
		sh.Box.Tell(numberID, "history", map[string]any{"messages": []wire.Incoming{ours, theirs, lost}})
		sh.Settle()
		sh.Box.Tell(numberID, "history", map[string]any{"history": []wire.HistoryChunk{{Threads: []wire.HistoryThread{{ID: elif.ID, Messages: []wire.HistoryIncoming{
			sh.past("wamid.1", elif.ID, time.Hour, ""), sh.past("wamid.2", owners, time.Minute, ""),
		}}}}}})
		sh.Settle()
		items := sh.Items(sh.Only().ID)
		if len(items) != 2 || items[0].Body != "" || items[0].AuthorKind != conversation.ByAgent || items[1].Body != "Fatura" || items[1].AuthorKind != conversation.ByContact {
			t.Fatalf("the timeline is %+v", items)
		}
		for _, i := range items {
			if len(i.Attachments) != 1 || i.Attachments[0].Pending || i.Attachments[0].Size != int64(len(picture(t))) {
				t.Errorf("%+v", i)
			}
		}
	})
}
