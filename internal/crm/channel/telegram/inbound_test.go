package telegram_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/edit"
	"konak/internal/crm/conversation/file"
	wire "konak/internal/provider/telegram"
	sandbox "konak/internal/sandbox/telegram"
)

func TestCustomersWrite(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("/start")
		if len(sh.Inbox()) != 0 {
			t.Error("who only opened the bot asked for something")
		}
		first := sh.says("Merhaba, siparişim nerede?")
		c := sh.Only()
		if c.Channel != "telegram" || c.ContactName != "Elif Kaya" || *c.ChannelAccountID != sh.Account.ID || c.State != conversation.Open {
			t.Errorf("the conversation is %+v", c)
		}
		var who contact.Contact
		sh.Owner.Get("/api/crm/v1/contacts/" + c.ContactID.String()).Want(200).Data(&who)
		if i := who.Identities[0]; i.ExternalID != "555" || i.WindowExpiresAt != nil || who.Language != "tr" {
			t.Errorf("the contact is %+v", who)
		}
		mine := sh.Items(c.ID)[0]
		for _, tc := range []struct {
			name, body, detail string
			message            wire.Message
		}{
			{"location", "https://maps.google.com/?q=41.01,29", "", wire.Message{Location: &wire.Location{Latitude: 41.01, Longitude: 29}}},
			{"venue", "Depo\nKadıköy\nhttps://maps.google.com/?q=41,29", "", wire.Message{
				Location: &wire.Location{Latitude: 41, Longitude: 29}, Venue: &wire.Venue{Title: "Depo", Address: "Kadıköy", Location: wire.Location{Latitude: 41, Longitude: 29}},
			}},
			{"contact", "Ali Can\n+905321112233", "", wire.Message{Contact: &wire.Contact{PhoneNumber: "+905321112233", FirstName: "Ali", LastName: "Can"}}},
			{"animated sticker", "😀", "", wire.Message{Sticker: &wire.File{FileID: "s", Emoji: "😀", IsAnimated: true}}},
			{"poll", "Hangisi?", "", wire.Message{Poll: &wire.Poll{Question: "Hangisi?"}}},
			{"game", "gösterilemiyor", "", wire.Message{Game: json.RawMessage(`{"title":"x"}`)}},
			{"answer", "Bunu diyorum", fmt.Sprintf(`"quoted_item_id":%q`, mine.ID), wire.Message{Text: "Bunu diyorum", ReplyTo: &wire.Message{MessageID: first, Chat: wire.Chat{ID: 555}}}},
			{"forwarded", "Şunu gördüm", `"forwarded":true`, wire.Message{Text: "Şunu gördüm", ForwardOrigin: json.RawMessage(`{"type":"user"}`)}},
		} {
			got := sh.writes(tc.message)
			detail, err := json.Marshal(got.Detail)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.Body, tc.body) || !strings.Contains(string(detail), tc.detail) || got.AuthorKind != conversation.ByContact {
				t.Errorf("%s: %q with %s", tc.name, got.Body, detail)
			}
		}
		// Messages written by bots are ignored.
		sh.Box.Write(botID, elif, wire.Message{Text: "bip", From: &wire.User{ID: 555, IsBot: true}})
		sh.Settle()
		if got := sh.Items(c.ID); len(got) != 9 {
			t.Errorf("%d items", len(got))
		}
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
		id := sh.Box.File(content)
		for _, tc := range []struct {
			name    string
			message wire.Message
		}{
			{"photo.jpg", wire.Message{Caption: "Kırık", Photo: []wire.File{{FileID: "small"}, {FileID: id, FileSize: int64(len(content))}}}},
			{"voice.ogg", wire.Message{Voice: &wire.File{FileID: id, MimeType: "audio/ogg"}}},
			{"fatura.png", wire.Message{Document: &wire.File{FileID: id, FileName: "fatura.png", MimeType: "image/png"}}},
			{"animation.mp4", wire.Message{Animation: &wire.File{FileID: id}, Document: &wire.File{FileID: "other", FileName: "x.gif"}}},
			{"sticker.webp", wire.Message{Sticker: &wire.File{FileID: id, Emoji: "😀"}}},
			{"video.mp4", wire.Message{VideoNote: &wire.File{FileID: id}}},
		} {
			got := sh.writes(tc.message)
			if len(got.Attachments) != 1 || got.Attachments[0].Pending || got.Attachments[0].Name != tc.name || got.Attachments[0].Size != int64(len(content)) || got.Body != tc.message.Caption {
				t.Errorf("%s: %+v", tc.name, got)
				continue
			}
			if f := sh.Owner.Get("/api/crm/v1/attachments/" + got.Attachments[0].ID.String()).Want(200); !bytes.Equal(f.Body, content) {
				t.Errorf("%s has other bytes", tc.name)
			}
		}
		// An album is several messages, in their order, that name it.
		for n := range 2 {
			got := sh.writes(wire.Message{MediaGroupID: "77", Photo: []wire.File{{FileID: id}}, Caption: strings.Repeat("Albüm", 1-n)})
			if got.Detail["album"] != "77" || len(got.Attachments) != 1 {
				t.Errorf("of the album: %+v", got)
			}
		}
		for what, f := range map[string]wire.File{
			file.BlockedGone: {FileID: "lost", FileName: "a.pdf"},
			file.BlockedSize: {FileID: "huge", FileName: "b.mp4", FileSize: 21 << 20},
		} {
			if got := sh.writes(wire.Message{Document: &f}); len(got.Attachments) != 1 || got.Attachments[0].Blocked == nil || *got.Attachments[0].Blocked != what {
				t.Errorf("%s: %+v", what, got)
			}
		}
	})
}

// An acknowledged file is fetched while the bot is paused, and once an unavailable provider
// is back; one whose path leads elsewhere is not.
func TestFilesAreFetchedAfterPauseOrOutage(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		id := sh.Box.File(picture(t))
		for range 2 {
			sh.Box.Fail("getFile", 502, "Bad Gateway", 0)
		}
		sh.Box.Write(botID, elif, wire.Message{Photo: []wire.File{{FileID: id}}})
		sh.Box.Say(botID, elif, "Gördünüz mü?")
		sh.Box.Settle()
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Settle()
		items := sh.Items(sh.Only().ID)
		if len(items) != 2 || items[0].Body != "Gördünüz mü?" || !items[1].Attachments[0].Pending {
			t.Fatalf("what came is %+v", items)
		}
		for range 3 {
			sh.Server.Clock.Advance(10 * time.Second)
			sh.Settle()
		}
		if a := sh.Items(sh.Only().ID)[1].Attachments[0]; a.Pending || a.Type != "image/png" {
			t.Errorf("the file is %+v", a)
		}
	})
}

func TestFilePathsLeadingElsewhereAreNotFetched(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		for _, path := range []string{"../bot" + token + "/getMe", "a//b", "", "https://evil.example/x"} {
			var asked []string
			answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path)
				_, _ = fmt.Fprintf(w, `{"ok":true,"result":{"file_id":"f","file_path":%q}}`, path)
			})
			sh.Box.Write(botID, elif, wire.Message{Photo: []wire.File{{FileID: "f"}}})
			sh.Box.Settle()
			sh.Instead.Store(&answer)
			sh.Settle()
			sh.Instead.Store(nil)
			a := sh.Items(sh.Only().ID)[0].Attachments[0]
			if len(asked) != 1 || a.Blocked == nil || *a.Blocked != file.BlockedGone {
				t.Errorf("%q: asked for %v, the file is %+v", path, asked, a)
			}
		}
	})
}

func TestEdits(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		id := sh.says("Yarın gelin")
		c := sh.Only()
		for range 2 { // the second time nothing changes
			sh.Box.Edit(botID, elif, wire.Message{MessageID: id, Text: "Öbür gün gelin"})
			sh.Settle()
		}
		got := sh.Items(c.ID)
		if len(got) != 1 || got[0].Body != "Öbür gün gelin" || got[0].EditedAt == nil || sh.Only().Preview != "Öbür gün gelin" {
			t.Errorf("the message is %+v", got)
		}
		var before []edit.Edition
		sh.Owner.Get(conversations + "/" + c.ID.String() + "/items/" + got[0].ID.String() + "/edits").Want(200).Data(&before)
		if len(before) != 1 || before[0].Body != "Yarın gelin" || before[0].EditorKind != conversation.ByContact {
			t.Errorf("it said %+v", before)
		}
		// An edit that overtakes its message brings it in; the message is then a repeat.
		sh.Box.Edit(botID, elif, wire.Message{MessageID: 99, Text: "Düzeltilmiş"})
		sh.Box.Write(botID, elif, wire.Message{MessageID: 99, Text: "Düzltilms"})
		sh.Settle()
		if got := sh.Items(c.ID); len(got) != 2 || got[0].Body != "Düzeltilmiş" {
			t.Errorf("after the overtaking: %+v", got)
		}
	})
}

func TestReactions(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		theirs := sh.says("Teşekkürler")
		c := sh.Only()
		path := conversations + "/" + c.ID.String() + "/items/" + sh.Items(c.ID)[0].ID.String() + "/reaction"
		sh.Owner.Post(path, map[string]any{"emoji": "👍"}).Want(200)
		if out := sh.Box.Sent(botID); len(out) != 1 || out[0].ReactTo != theirs || out[0].Emoji != "👍" || out[0].Chat != elif.ID {
			t.Errorf("the provider got %+v", out)
		}
		// The provider accepts emoji only without a variation selector.
		sh.Owner.Post(path, map[string]any{"emoji": "❤\ufe0f"}).Want(200)
		if out := sh.Box.Sent(botID); len(out) != 1 || out[0].Emoji != "❤" {
			t.Errorf("the provider got %+v", out)
		}
		// An unsupported emoji is refused without calling the provider.
		if e := sh.Owner.Post(path, map[string]any{"emoji": "😂"}).Refused(422, "reaction_unsupported"); e.Reason != "sign_unsupported" {
			t.Errorf("a sign that the provider has not: %+v", e)
		}
		if out := sh.Box.Sent(botID); len(out) != 0 {
			t.Errorf("the provider got %+v", out)
		}
		// The declared capabilities are what the provider accepts.
		var kinds []channel.KindCapabilities
		sh.Owner.Get(channels + "/capabilities").Want(200).Data(&kinds)
		for _, k := range kinds {
			if k.Kind == "telegram" && (len(k.ReactionSigns) != 73 || slices.Contains(k.ReactionSigns, "😂")) {
				t.Errorf("the signs are %v", k.ReactionSigns)
			}
			for _, sign := range k.ReactionSigns {
				if k.Kind == "telegram" {
					sh.Owner.Post(path, map[string]any{"emoji": sign}).Want(200)
				}
			}
		}
		sh.Box.Sent(botID)
		sh.Owner.Post(path, map[string]any{"emoji": ""}).Want(200)
		if out := sh.Box.Sent(botID); len(out) != 1 || out[0].ReactTo != theirs || out[0].Emoji != "" {
			t.Errorf("it was taken away as %+v", out)
		}
		ours := sh.Reply(c.ID, "Rica ederiz")
		sh.Settle()
		sent := sh.Box.Sent(botID)
		for _, sign := range []string{"🎉", "❤"} {
			sh.Box.React(botID, elif, sent[0].MessageID, sign)
			sh.Settle()
			if got := sh.Item(c.ID, ours.ID); len(got.Reactions) != 1 || got.Reactions[0].Emoji != sign || got.Reactions[0].AuthorKind != conversation.ByContact {
				t.Errorf("after %s: %+v", sign, got.Reactions)
			}
		}
		sh.Box.React(botID, elif, sent[0].MessageID, "")
		sh.Box.React(botID, elif, 12345, "👍") // a message that we do not have
		sh.Settle()
		if got := sh.Item(c.ID, ours.ID); len(got.Reactions) != 0 {
			t.Errorf("taken away: %+v", got.Reactions)
		}
	})
}

// A pressed button is a message of the customer; one of a survey is their rating.
func TestButtons(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		press := sh.Box.Press(botID, elif, 5, wire.Button{Text: "Evet", CallbackData: "yes"})
		sh.Settle()
		if got := sh.Items(c.ID)[0]; got.Body != "Evet" || got.Detail["button"] != "yes" {
			t.Errorf("the press is %+v", got)
		}
		if got := sh.Box.Answered(botID); len(got) != 1 || got[0] != press {
			t.Errorf("answered %v", got)
		}
		sh.Owner.Put(conversations+"/settings", map[string]any{"reopen": true, "reopen_days": nil, "csat": true}).Want(200)
		sh.Box.Sent(botID)
		sh.Owner.Post(conversations+"/"+c.ID.String()+"/close", nil).Want(200)
		sh.Server.Clock.Advance(time.Minute)
		sh.Settle()
		asked := sh.Box.Sent(botID)
		if len(asked) != 1 || len(asked[0].Buttons) != 5 {
			t.Fatalf("the customer was asked %+v", asked)
		}
		// An app can send anything: another customer's rating cannot be given.
		sh.Box.Press(botID, sandbox.Person{ID: 777, Name: "Can"}, asked[0].MessageID, asked[0].Buttons[0])
		sh.Settle()
		if got := sh.Items(c.ID)[0]; got.Event != nil && *got.Event == "rated" {
			t.Errorf("another customer's rating counts: %+v", got)
		}
		sh.Box.Press(botID, elif, asked[0].MessageID, asked[0].Buttons[3])
		sh.Settle()
		got := sh.Items(c.ID)[0]
		if got.Event == nil || *got.Event != "rated" || got.Detail["rating"] != float64(4) || sh.Only().State != conversation.Closed {
			t.Errorf("the rating is %+v", got)
		}
	})
}

// If the provider cannot call, one node polls it, and takes every update once.
func TestPolling(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(map[string]any{"mode": "polling"}).Want(201).Data(&sh.Account)
		if w := sh.webhook(); w.Registered || w.Mode != channel.ByPolling || sh.ReadAccount(sh.Account.ID).Status != channel.Active {
			t.Errorf("the webhook is %+v", w)
		}
		poll := func() {
			t.Helper()
			sh.Server.Clock.Advance(time.Second)
			sh.Settle()
		}
		for n := range 3 {
			sh.Box.Say(botID, elif, fmt.Sprint("ileti ", n))
		}
		poll()
		poll()
		items := sh.Items(sh.Only().ID)
		if len(items) != 3 || items[0].Body != "ileti 2" || items[2].Body != "ileti 0" {
			t.Fatalf("polled %+v", items)
		}
		if w := sh.webhook(); w.Pending != 0 {
			t.Errorf("%d still wait", w.Pending)
		}
		// While the bot is paused nobody polls; waiting updates come afterwards.
		at := channels + "/" + sh.Account.ID.String()
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Box.Say(botID, elif, "bekleyen")
		poll()
		if w := sh.webhook(); w.Pending != 1 || len(sh.Items(sh.Only().ID)) != 3 {
			t.Errorf("%d wait, %d items are here", w.Pending, len(sh.Items(sh.Only().ID)))
		}
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		poll()
		if got := sh.Items(sh.Only().ID); len(got) != 4 || got[0].Body != "bekleyen" {
			t.Errorf("after the pause: %d items", len(got))
		}
		// If the provider is away, sends garbage or is busy, nothing is lost.
		garbled := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"ok":tr`)) })
		sh.Box.Say(botID, elif, "kaybolmayan")
		sh.Instead.Store(&garbled)
		poll()
		sh.Instead.Store(nil)
		sh.Box.Fail("getUpdates", 500, "Internal Server Error", 0)
		sh.Box.Fail("getUpdates", 429, "Too Many Requests: retry after 5", 5)
		for range 4 {
			sh.Later(31 * time.Second)
			sh.Settle()
		}
		if got := sh.Items(sh.Only().ID); len(got) != 5 || got[0].Body != "kaybolmayan" {
			t.Errorf("after the faults: %d items, %q", len(got), got[0].Body)
		}
		// If somebody else polls the bot, people are shown so.
		sh.Box.Fail("getUpdates", 409, "Conflict: terminated by other getUpdates request", 0)
		poll()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != "poll_conflict" {
			t.Errorf("in conflict: %+v", a)
		}
		sh.Later(31 * time.Second)
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("after the conflict: %+v", a)
		}
		// Registering the webhook ends the polling.
		sh.Owner.Post(at+"/webhook", nil).Want(200)
		poll()
		sh.says("aranan")
		if got := sh.Items(sh.Only().ID); len(got) != 6 || got[0].Body != "aranan" || sh.ReadAccount(sh.Account.ID).Status != channel.Active {
			t.Errorf("after the switch: %d items, the account is %+v", len(got), sh.ReadAccount(sh.Account.ID))
		}
	})
}

// Two nodes do not poll the same bot at once.
func TestOneNodePolls(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(map[string]any{"mode": "polling"}).Want(201).Data(&sh.Account)
		sh.Settle()
		sh.Server.Clock.Advance(time.Second)
		other := sh.Server.Node()
		under := 0
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/getUpdates") {
				if under++; under == 1 {
					other.Settle() // the other node looks for work while this one asks
				}
			}
			sh.Box.ServeHTTP(w, r)
		})
		sh.Instead.Store(&slow)
		sh.Server.Settle()
		if under != 1 {
			t.Errorf("%d nodes asked", under)
		}
	})
}

// Unprintable or unstorable characters in a message or a name do not lose the message.
func TestUnprintableCharactersDoNotLoseMessage(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.Box.Say(botID, sandbox.Person{ID: 4711, Name: "\u200e", Username: ""}, "bir\x00iki")
		sh.Settle()
		c := sh.Only()
		if items := sh.Items(c.ID); len(items) != 1 || items[0].Body != "bir\ufffdiki" {
			t.Errorf("the message is %+v", items)
		}
		if c.ContactName != "4711" {
			t.Errorf("the customer is called %q", c.ContactName)
		}
	})
}

// The provider sends updates again that came while the workspace was suspended.
func TestSuspendedWorkspace(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		_, key := sh.Box.Webhook(botID)
		const update = `{"update_id":1,"message":{"message_id":9,"date":1763197200,"from":{"id":555,"first_name":"Elif"},"chat":{"id":555,"type":"private"},"text":"Merhaba"}}`
		for _, c := range []struct {
			suspended bool
			want      int
		}{{true, http.StatusForbidden}, {false, http.StatusOK}} {
			if _, err := sh.Server.SetSuspended(t.Context(), sh.Slug, c.suspended); err != nil {
				t.Fatal(err)
			}
			if got := sh.hook(fmt.Sprint(botID), key, update); got != c.want {
				t.Errorf("suspended %t: answered with %d", c.suspended, got)
			}
		}
		if items := sh.Items(sh.Only().ID); len(items) != 1 {
			t.Errorf("%d items", len(items))
		}
	})
}
