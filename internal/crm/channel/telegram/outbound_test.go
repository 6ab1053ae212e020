package telegram_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/telegram"
	"konak/internal/crm/conversation"
	sandbox "konak/internal/sandbox/telegram"
)

func TestAnswersGoOut(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.only().ID
		item := sh.reply(c, "Buyurun")
		sh.settle()
		out := sh.box.Sent(botID)
		if len(out) != 1 || out[0].Chat != elif.ID || out[0].Text != "Buyurun" || delivery(sh.item(c, item.ID)) != conversation.Sent {
			t.Errorf("sent %+v", out)
		}
		// More than one message holds is cut at the end of a word, in order.
		long := strings.Repeat("kırk iki 🎈 ", 700)
		item = sh.reply(c, long)
		sh.settle()
		whole := []string{}
		for _, m := range sh.box.Sent(botID) {
			whole = append(whole, m.Text)
		}
		if got := strings.Join(whole, " "); len(whole) != 3 || got != strings.TrimSpace(long) || delivery(sh.item(c, item.ID)) != conversation.Sent {
			t.Errorf("%d parts", len(whole))
		}
	})
}

// Pictures go out together, the text as the caption of the first; what is none is
// a document of its own.
func TestFilesGoOut(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Fatura?")
		c := sh.only().ID
		shape := func(files ...uuid.UUID) string {
			t.Helper()
			item := sh.reply(c, "Ekte", files...)
			sh.settle()
			if delivery(sh.item(c, item.ID)) != conversation.Sent {
				t.Errorf("the item is %+v", sh.item(c, item.ID))
			}
			var out []string
			for _, m := range sh.box.Sent(botID) {
				out = append(out, strings.TrimPrefix(m.Method, "send")+" "+m.Files[0].Kind+" "+m.Files[0].Name+" "+m.Text)
			}
			return strings.Join(out, "; ")
		}
		photo := func(name string) uuid.UUID { return sh.upload(name, string(picture(t))) }
		for want, files := range map[string][]uuid.UUID{
			"Photo photo a.png Ekte":                                {photo("a.png")},
			"MediaGroup photo a.png Ekte; MediaGroup photo b.png ":  {photo("a.png"), photo("b.png")},
			"Document document fatura.pdf Ekte; Photo photo a.png ": {sh.upload("fatura.pdf", "%PDF-1.4 fatura"), photo("a.png")},
		} {
			if got := shape(files...); got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		}
		// A text that is no caption goes first.
		long := strings.Repeat("a", 1100)
		sh.reply(c, long, photo("a.png"))
		sh.settle()
		if out := sh.box.Sent(botID); len(out) != 2 || out[0].Text != long || out[1].Text != "" || len(out[1].Files) != 1 {
			t.Errorf("sent %+v", out)
		}
	})
}

// What the provider refuses is shown on the message, with its words.
func TestRefusals(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.only().ID
		sh.box.Fail("sendMessage", 403, "Forbidden: bot was blocked by the user", 0)
		item := sh.reply(c, "Orada mısınız?")
		sh.settle()
		if got := sh.item(c, item.ID); delivery(got) != conversation.Failed || *got.DeliveryError != "Forbidden: bot was blocked by the user" {
			t.Errorf("the item is %+v", got)
		}
		// A token that is refused twice in a row needs attention, until it works.
		for range 2 {
			sh.box.Fail("sendMessage", 401, "Unauthorized", 0)
			item = sh.reply(c, "Buyurun")
			sh.settle()
		}
		if got, a := sh.item(c, item.ID), sh.account(sh.acc.ID); *got.DeliveryError != telegram.ReasonToken || a.Status != channel.Attention || *a.Reason != channel.TokenExpired {
			t.Errorf("the item is %+v, the account %+v", got, a)
		}
		sh.reply(c, "Buyurun")
		sh.settle()
		if a := sh.account(sh.acc.ID); a.Status != channel.Active {
			t.Errorf("after the token works: %+v", a)
		}
		// What was taken while the bot worked fails visibly once it is paused.
		sh.box.Fail("sendMessage", 502, "Bad Gateway", 0)
		item = sh.reply(c, "Geç")
		sh.settle()
		sh.Owner.Do("PATCH", channels+"/"+sh.acc.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.s.Clock.Advance(5 * time.Second)
		sh.settle()
		if got := sh.item(c, item.ID); delivery(got) != conversation.Failed || *got.DeliveryError != telegram.ReasonUnavailable {
			t.Errorf("the item is %+v", got)
		}
		sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": "?"}).Refused(409, "channel_unavailable")
	})
}

// While the provider asks for a pause the whole account waits, and nothing comes
// out of order.
func TestPauseHoldsTheAccount(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.only().ID
		sh.box.Fail("sendMessage", 429, "Too Many Requests: retry after 90", 90)
		var items []conversation.Item
		for n := range 3 {
			sh.s.Clock.Advance(time.Millisecond)
			items = append(items, sh.reply(c, fmt.Sprint("yanıt ", n)))
		}
		sh.settle()
		sh.s.Clock.Advance(89 * time.Second)
		sh.settle()
		if out := sh.box.Sent(botID); len(out) != 0 || delivery(sh.item(c, items[0].ID)) != conversation.Queued {
			t.Errorf("in the pause: %+v", out)
		}
		if a := sh.account(sh.acc.ID); a.Status != channel.Active {
			t.Errorf("a pause alarms people: %+v", a)
		}
		sh.s.Clock.Advance(2 * time.Second)
		sh.settle()
		var texts []string
		for _, m := range sh.box.Sent(botID) {
			texts = append(texts, m.Text)
		}
		if !slices.Equal(texts, []string{"yanıt 0", "yanıt 1", "yanıt 2"}) || delivery(sh.item(c, items[2].ID)) != conversation.Sent {
			t.Errorf("sent %v", texts)
		}
	})
}

// A provider that answers with garbage, without an end or not at all costs no
// message: it is tried again and sent once it is well.
func TestProviderMisbehaves(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.only().ID
		for what, answer := range map[string]http.HandlerFunc{
			"garbage":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
			"no result": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"ok":true,"result":{}}`)) },
			"cut off": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000")
				_, _ = w.Write([]byte(`{"ok":true`))
			},
			"endless": func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					if _, err := w.Write(make([]byte, 1<<16)); err != nil {
						return
					}
				}
			},
			"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"redirects": func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
			},
		} {
			sh.instead.Store(&answer)
			item := sh.reply(c, what)
			sh.settle()
			sh.instead.Store(nil)
			if got := sh.item(c, item.ID); what == "redirects" {
				if delivery(got) != conversation.Failed {
					t.Errorf("%s: %+v", what, got)
				}
				continue
			} else if delivery(got) != conversation.Queued {
				t.Errorf("%s: %+v", what, got)
			}
			sh.s.Clock.Advance(5 * time.Second)
			sh.settle()
			if got := sh.item(c, item.ID); delivery(got) != conversation.Sent || len(sh.box.Sent(botID)) != 1 {
				t.Errorf("%s, and well again: %+v", what, got)
			}
		}
		if strings.Contains(sh.s.Logs.String(), token) {
			t.Error("the token is in the log")
		}
	})
}

// business is connected with an account of a person that the bot works in.
func business(t *testing.T, fn func(t *testing.T, sh *shop, at channel.Account)) {
	t.Helper()
	connected(t, func(t *testing.T, sh *shop) {
		var started telegram.Started
		sh.Owner.Post(channels+"/chatbot/business/start", map[string]any{}).Want(200).Data(&started)
		sh.box.Say(botID, owner, "/start "+started.Link.State)
		sh.settle()
		sh.box.Connect(botID, "conn1", owner, true, true)
		sh.settle()
		fn(t, sh, sh.ofOwner())
	})
}

var owner = sandbox.Person{ID: 900, Name: "Deniz Patron", Username: "denizpatron"}

// accounts lists the workspace's accounts on Telegram.
func (sh *shop) accounts() (list []channel.Account) {
	sh.t.Helper()
	sh.Owner.Get(channels + "?kind=telegram").Want(200).Data(&list)
	return list
}

// ofOwner finds the account of the person that the bot works for.
func (sh *shop) ofOwner() channel.Account {
	sh.t.Helper()
	for _, a := range sh.accounts() {
		if sh.settings(a).Business != nil {
			return a
		}
	}
	sh.t.Fatal("the bot works in nobody's account")
	return channel.Account{}
}
