package telegram_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/telegram"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/conversation"
	sandbox "konak/internal/sandbox/telegram"
)

func TestAnswersGoOut(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		item := sh.Reply(c, "Buyurun")
		sh.Settle()
		out := sh.Box.Sent(botID)
		if len(out) != 1 || out[0].Chat != elif.ID || out[0].Text != "Buyurun" || apptest.DeliveryOf(sh.Item(c, item.ID)) != conversation.Sent {
			t.Errorf("sent %+v", out)
		}
		// A text too long for one message is cut at the end of a word, in order.
		long := strings.Repeat("kırk iki 🎈 ", 700)
		item = sh.Reply(c, long)
		sh.Settle()
		whole := []string{}
		for _, m := range sh.Box.Sent(botID) {
			whole = append(whole, m.Text)
		}
		if got := strings.Join(whole, " "); len(whole) != 3 || got != strings.TrimSpace(long) || apptest.DeliveryOf(sh.Item(c, item.ID)) != conversation.Sent {
			t.Errorf("%d parts", len(whole))
		}
	})
}

// Pictures go out together, with the text as the caption of the first; other files are
// separate documents.
func TestFilesGoOut(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Fatura?")
		c := sh.Only().ID
		shape := func(files ...uuid.UUID) string {
			t.Helper()
			item := sh.Reply(c, "Ekte", files...)
			sh.Settle()
			if apptest.DeliveryOf(sh.Item(c, item.ID)) != conversation.Sent {
				t.Errorf("the item is %+v", sh.Item(c, item.ID))
			}
			var out []string
			for _, m := range sh.Box.Sent(botID) {
				out = append(out, strings.TrimPrefix(m.Method, "send")+" "+m.Files[0].Kind+" "+m.Files[0].Name+" "+m.Text)
			}
			return strings.Join(out, "; ")
		}
		photo := func(name string) uuid.UUID { return sh.Upload(name, string(picture(t))) }
		for want, files := range map[string][]uuid.UUID{
			"Photo photo a.png Ekte":                                {photo("a.png")},
			"MediaGroup photo a.png Ekte; MediaGroup photo b.png ":  {photo("a.png"), photo("b.png")},
			"Document document fatura.pdf Ekte; Photo photo a.png ": {sh.Upload("fatura.pdf", "%PDF-1.4 fatura"), photo("a.png")},
		} {
			if got := shape(files...); got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		}
		// A text too long for a caption goes first.
		long := strings.Repeat("a", 1100)
		sh.Reply(c, long, photo("a.png"))
		sh.Settle()
		if out := sh.Box.Sent(botID); len(out) != 2 || out[0].Text != long || out[1].Text != "" || len(out[1].Files) != 1 {
			t.Errorf("sent %+v", out)
		}
	})
}

// The provider's refusal is shown on the message, in its words.
func TestRefusals(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		sh.Box.Fail("sendMessage", 403, "Forbidden: bot was blocked by the user", 0)
		item := sh.Reply(c, "Orada mısınız?")
		sh.Settle()
		if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Failed || *got.DeliveryError != "Forbidden: bot was blocked by the user" {
			t.Errorf("the item is %+v", got)
		}
		// After two refusals of the token in a row the account needs attention, until the
		// token works.
		for range 2 {
			sh.Box.Fail("sendMessage", 401, "Unauthorized", 0)
			item = sh.Reply(c, "Buyurun")
			sh.Settle()
		}
		if got, a := sh.Item(c, item.ID), sh.ReadAccount(sh.Account.ID); *got.DeliveryError != transport.ReasonToken || a.Status != channel.Attention || *a.Reason != channel.TokenExpired {
			t.Errorf("the item is %+v, the account %+v", got, a)
		}
		sh.Reply(c, "Buyurun")
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("after the token works: %+v", a)
		}
		// A message queued while the bot worked fails visibly once it is paused.
		sh.Box.Fail("sendMessage", 502, "Bad Gateway", 0)
		item = sh.Reply(c, "Geç")
		sh.Settle()
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Server.Clock.Advance(5 * time.Second)
		sh.Settle()
		if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Failed || *got.DeliveryError != transport.ReasonUnavailable {
			t.Errorf("the item is %+v", got)
		}
		sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": "?"}).Refused(409, "channel_unavailable")
	})
}

// While the provider asks for a pause the whole account waits, and messages stay in order.
func TestProviderPauseHoldsAccount(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
		sh.Box.Fail("sendMessage", 429, "Too Many Requests: retry after 90", 90)
		var items []conversation.Item
		for n := range 3 {
			sh.Server.Clock.Advance(time.Millisecond)
			items = append(items, sh.Reply(c, fmt.Sprint("yanıt ", n)))
		}
		sh.Settle()
		sh.Server.Clock.Advance(89 * time.Second)
		sh.Settle()
		if out := sh.Box.Sent(botID); len(out) != 0 || apptest.DeliveryOf(sh.Item(c, items[0].ID)) != conversation.Queued {
			t.Errorf("in the pause: %+v", out)
		}
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active {
			t.Errorf("a pause alarms people: %+v", a)
		}
		sh.Server.Clock.Advance(2 * time.Second)
		sh.Settle()
		var texts []string
		for _, m := range sh.Box.Sent(botID) {
			texts = append(texts, m.Text)
		}
		if !slices.Equal(texts, []string{"yanıt 0", "yanıt 1", "yanıt 2"}) || apptest.DeliveryOf(sh.Item(c, items[2].ID)) != conversation.Sent {
			t.Errorf("sent %v", texts)
		}
	})
}

// If the provider sends garbage, an endless answer or none at all, no message is lost: it
// is tried again and sent once the provider recovers.
func TestProviderMisbehaves(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only().ID
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
			sh.Instead.Store(&answer)
			item := sh.Reply(c, what)
			sh.Settle()
			sh.Instead.Store(nil)
			if got := sh.Item(c, item.ID); what == "redirects" {
				if apptest.DeliveryOf(got) != conversation.Failed {
					t.Errorf("%s: %+v", what, got)
				}
				continue
			} else if apptest.DeliveryOf(got) != conversation.Queued {
				t.Errorf("%s: %+v", what, got)
			}
			sh.Server.Clock.Advance(5 * time.Second)
			sh.Settle()
			if got := sh.Item(c, item.ID); apptest.DeliveryOf(got) != conversation.Sent || len(sh.Box.Sent(botID)) != 1 {
				t.Errorf("%s, and well again: %+v", what, got)
			}
		}
		if strings.Contains(sh.Server.Logs.String(), token) {
			t.Error("the token is in the log")
		}
	})
}

// business is connected, with a person's account that the bot works in.
func business(t *testing.T, fn func(t *testing.T, sh *shop, at channel.Account)) {
	t.Helper()
	connected(t, func(t *testing.T, sh *shop) {
		var started telegram.Started
		sh.Owner.Post(channels+"/chatbot/business/start", map[string]any{}).Want(200).Data(&started)
		sh.Box.Say(botID, owner, "/start "+started.Link.State)
		sh.Settle()
		sh.Box.Connect(botID, "conn1", owner, true, true)
		sh.Settle()
		fn(t, sh, sh.ofOwner())
	})
}

var owner = sandbox.Person{ID: 900, Name: "Deniz Patron", Username: "denizpatron"}

// accounts lists the workspace's accounts on Telegram.
func (sh *shop) accounts() (list []channel.Account) {
	sh.T.Helper()
	sh.Owner.Get(channels + "?kind=telegram").Want(200).Data(&list)
	return list
}

// ofOwner finds the account of the person that the bot works for.
func (sh *shop) ofOwner() channel.Account {
	sh.T.Helper()
	for _, a := range sh.accounts() {
		if sh.settings(a).Business != nil {
			return a
		}
	}
	sh.T.Fatal("the bot works in nobody's account")
	return channel.Account{}
}
