package social_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/social"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	wire "konak/internal/provider/social"
)

// The copy of our own message may come before the provider's answer, and may name no app:
// it is recognised anyway, and sent once.
func TestCopyOfOwnMessageBeforeProviderAnswer(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		sh.says(ayse, "Merhaba")
		c := sh.Only()
		echo := func(id, text string) {
			sh.post(appSecret, asText(wire.Webhook{Object: wire.ObjectInstagram, Entry: []wire.Entry{{ID: "ig1", Messaging: []wire.Messaging{{
				Sender: wire.Ref{ID: "ig1"}, Recipient: wire.Ref{ID: ayse.ID}, Timestamp: sh.Server.Clock.Now().UnixMilli(),
				Message: &wire.Incoming{ID: id, Text: text, Echo: true},
			}}}}})).Want(200)
		}
		sends := 0
		sh.Answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/messages") {
				sh.Box.ServeHTTP(w, r)
				return
			}
			sends++
			echo("m_ours", "Buyurun")
			echo("m_app", "Telefondan")
			_, _ = w.Write([]byte(`{"recipient_id":"` + ayse.ID + `","message_id":"m_ours"}`))
		})
		sent := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		sh.Later(time.Minute)
		sh.Settle()
		items := sh.Items(c.ID)
		if sends != 1 || apptest.DeliveryOf(sh.Item(c.ID, sent.ID)) != conversation.Sent {
			t.Errorf("sent %d times, %+v", sends, sh.Item(c.ID, sent.ID))
		}
		bodies := map[string]int{}
		for _, i := range items {
			bodies[i.Body]++
		}
		if len(items) != 3 || bodies["Buyurun"] != 1 || bodies["Telefondan"] != 1 {
			t.Errorf("the conversation is %s", asText(items))
		}
		sh.Answer(nil)
		echo("m_ours", "Buyurun")
		if n := len(sh.Items(c.ID)); n != 3 {
			t.Errorf("a late copy: %d items", n)
		}
	})
}

// A long reply goes out in parts. Copies of the later parts, early or late and without an
// app's name, are not separate messages.
func TestCopiesOfMessagePartsAreNotNewMessages(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		sh.says(ayse, "Merhaba")
		c := sh.Only()
		echo := func(id string) {
			t.Helper()
			sh.post(appSecret, asText(wire.Webhook{Object: wire.ObjectInstagram, Entry: []wire.Entry{{ID: "ig1", Messaging: []wire.Messaging{{
				Sender: wire.Ref{ID: "ig1"}, Recipient: wire.Ref{ID: ayse.ID}, Timestamp: sh.Server.Clock.Now().UnixMilli(),
				Message: &wire.Incoming{ID: id, Text: "Parça", Echo: true},
			}}}}})).Want(200)
		}
		sends := 0
		sh.Answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/messages") {
				sh.Box.ServeHTTP(w, r)
				return
			}
			sends++
			id := "m_part" + strconv.Itoa(sends)
			echo(id)
			_, _ = w.Write([]byte(`{"recipient_id":"` + ayse.ID + `","message_id":"` + id + `"}`))
		})
		sent := sh.Reply(c.ID, strings.Repeat("uzun ", 500)) // 2,500 bytes
		sh.Settle()
		sh.Later(time.Minute)
		sh.Settle()
		sh.Answer(nil)
		for _, id := range []string{"m_part1", "m_part2", "m_part3"} {
			echo(id)
		}
		if items := sh.Items(c.ID); sends != 3 || len(items) != 2 || apptest.DeliveryOf(sh.Item(c.ID, sent.ID)) != conversation.Sent {
			t.Errorf("%d parts were sent, the conversation is %s", sends, asText(items))
		}
		echo("m_app") // somebody wrote in the app
		if items := sh.Items(c.ID); len(items) != 3 {
			t.Errorf("%d items", len(items))
		}
		// The ids of parts are deleted after a week, with the next message in parts.
		known := func() int {
			t.Helper()
			n, err := db.Read(t.Context(), sh.Server.DB.Tenant(sh.ID), func(r *db.Reader) (int, error) {
				return db.One(r, db.Scalar[int], `SELECT count(*) FROM social_part WHERE tenant_id = $1 AND provider_message_id LIKE 'm_part%'`, r.Tenant())
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := known(); n != 2 { // the first is the message's own
			t.Errorf("%d parts are known", n)
		}
		sh.Later(6 * 24 * time.Hour)
		sh.says(ayse, "Bir şey daha")
		sh.Reply(c.ID, strings.Repeat("kısa ", 300))
		sh.Settle()
		if n := known(); n != 2 {
			t.Errorf("%d parts are known after six days", n)
		}
		sh.Later(2 * 24 * time.Hour)
		sh.says(ayse, "Ve bir şey")
		sh.Reply(c.ID, strings.Repeat("kısa ", 300))
		sh.Settle()
		if n := known(); n != 0 {
			t.Errorf("%d parts are known after eight days", n)
		}
	})
}

// Our own message is marked as sent even if another message already has the id that the
// provider gave it.
func TestSentMessageWithTakenProviderID(t *testing.T) {
	connected(t, social.Instagram, func(t *testing.T, sh *shop) {
		sh.says(ayse, "Merhaba")
		c := sh.Only()
		sh.writes(ayse, wire.Incoming{ID: "m_taken", Text: "Önce"})
		sends := 0
		sh.Answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/messages") {
				sh.Box.ServeHTTP(w, r)
				return
			}
			sends++
			_, _ = w.Write([]byte(`{"recipient_id":"` + ayse.ID + `","message_id":"m_taken"}`))
		})
		sent := sh.Reply(c.ID, "Buyurun")
		sh.Settle()
		sh.Later(time.Hour)
		sh.Settle()
		if sends != 1 || apptest.DeliveryOf(sh.Item(c.ID, sent.ID)) != conversation.Sent {
			t.Errorf("sent %d times, %+v", sends, sh.Item(c.ID, sent.ID))
		}
	})
}

// After a day a program does not count as a person, whichever agent its key writes for.
func TestAPIKeyCannotReplyAfterADay(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect("messenger", map[string]any{"human_agent": true}).Want(201).Data(&sh.Account)
		sh.says(elif, "Merhaba")
		c := sh.Only()
		key := sh.Key(false, perm.All()...)
		path := "/api/crm/public/v1/conversations/" + c.ID.String() + "/reply"
		key.Post(path, map[string]any{"type": "admin", "body": "Hemen", "admin_id": sh.Member}).Want(200)
		sh.Settle()
		sh.Later(25 * time.Hour)
		key.Post(path, map[string]any{"type": "admin", "body": "Geç", "admin_id": sh.Member}).Refused(422, "window_closed")
		if n := len(sh.Items(c.ID)); n != 2 {
			t.Errorf("%d items: what was refused was written", n)
		}
	})
}
